/** Gives a stored table the form that the user holds: apache-arrow's schema and record batches. */

import type { RecordBatch, Schema, Table } from "apache-arrow";
import { toRecordBatch, toSchema } from "../arrow/apache/apache.js";
import type { AsRead } from "../containers/tree/kept-objects.js";
import type { BatchOptions, DataTable, Layout, TableMetadata } from "../model/dataset.js";
import { InvalidInputError, isAnnarrowError, locateError } from "../model/errors.js";
import { type FromDataset, ORIGIN } from "./column-table.js";
import { columnPositions, readTable } from "./record-batch.js";
import { DEFAULT_BATCH_BYTES, type Origin, type StoredTable } from "./stored-table.js";

export class PlannedTable implements DataTable, FromDataset {
  readonly #stored: StoredTable;
  #schema: Schema | undefined;

  constructor(stored: StoredTable) {
    this.#stored = stored;
  }

  /** The stored table, which has no Arrow objects. */
  get stored(): StoredTable {
    return this.#stored;
  }

  get [ORIGIN](): Origin | null {
    return this.#stored.origin;
  }

  get name(): string {
    return this.#stored.name;
  }

  get rows(): number | null {
    return this.#stored.rows;
  }

  get metadata(): TableMetadata {
    return this.#stored.metadata;
  }

  get derived(): boolean {
    return this.#stored.derived;
  }

  get axis(): "row" | "col" | null {
    return this.#stored.axis;
  }

  get layouts(): readonly Layout[] {
    return this.#stored.layouts;
  }

  get schema(): Schema {
    this.#schema ??= toSchema(this.#stored.fields, this.#stored.schemaMetadata);
    return this.#schema;
  }

  async layout(layout: Layout): Promise<DataTable> {
    return new PlannedTable(await this.#stored.layout(layout));
  }

  async *batches(options: BatchOptions = {}): AsyncGenerator<RecordBatch> {
    const { rows, columns, where, fragments, signal, reuse = false } = options;
    if ([rows, where, fragments].filter((one) => one !== undefined).length > 1) {
      throw new InvalidInputError("either rows, where or fragments: rows are counted in the whole table", {
        element: this.name,
      });
    }
    const fields = this.#selected(columns);
    const schema = columns === undefined ? this.schema : this.schema.selectAt(fields);
    const read = signal === undefined ? {} : { signal };
    let stored = where === undefined ? this.#stored : await this.#stored.at(where, read);
    if (fragments !== undefined) stored = await stored.selectFragments(fragments, read);
    const parts = stored.parts(
      {
        kind: "batches",
        batchBytes: options.batchBytes ?? (reuse ? stored.reusedBatchBytes : stored.batchBytes),
        reuse,
      },
      { fields, ...(rows === undefined ? {} : { rows }), ...(signal === undefined ? {} : { signal }) },
    );
    for await (const part of parts) {
      if (part.kind !== "batches") throw new TypeError("batches were asked for");
      for (const batch of part.batches) yield toRecordBatch(schema, batch.columns, batch.length);
    }
  }

  read(options: BatchOptions = {}): Promise<Table> {
    // All batches stay: few large ones are easier to handle.
    const { batchBytes = DEFAULT_BATCH_BYTES, ...rest } = options;
    return readTable(this, { ...rest, batchBytes, reuse: false }).catch((error: unknown) => {
      throw isAnnarrowError(error) ? error.locate({ source: this.#stored.source }) : error;
    });
  }

  #selected(columns: readonly string[] | undefined): number[] {
    const names = this.#stored.fields.map((field) => field.name);
    if (columns === undefined) return names.map((_, i) => i);
    try {
      return columnPositions(names, columns, this.name);
    } catch (error) {
      throw locateError(error, { source: this.#stored.source, element: this.name });
    }
  }
}

/** The objects of the file that lie beside the table; null for a table that a caller made. */
export function asReadOf(table: DataTable): AsRead | null {
  return table instanceof PlannedTable ? table.stored.asRead : null;
}
