/** The public form (`DataTable`) of a stored table, with apache-arrow's schema and record batches. */

import type { RecordBatch, Schema, Table } from "apache-arrow";
import { toRecordBatch, toSchema } from "../arrow/apache/apache.js";
import { type ArrowField, describeArrowType } from "../arrow/type.js";
import type { AsRead } from "../containers/tree/passthrough-objects.js";
import type { ReadOptions } from "../io/sources/source.js";
import type { MatrixPositions } from "../jobs/plan/matrix-plan.js";
import type { BatchOptions, DataTable, Layout } from "../model/dataset.js";
import { InvalidInputError, locateError } from "../model/errors.js";
import { checkBatchOptions } from "../model/table-options.js";
import { BatchTable } from "./batch-table.js";
import { type FromDataset, ORIGIN } from "./column-table.js";
import { findColumnPositions } from "./record-batch.js";
import { DEFAULT_BATCH_BYTES, type Origin, type StoredTable } from "./stored-table.js";

/** Resolves a selection of rows and columns of a table to positions. */
export type FindPositions = (
  table: StoredTable,
  where: NonNullable<BatchOptions["where"]>,
  options: ReadOptions,
) => Promise<MatrixPositions>;

export class PlannedTable extends BatchTable implements FromDataset {
  readonly #stored: StoredTable;
  readonly #find: FindPositions | null;
  #schema: Schema | undefined;

  /** @param find finds positions by names and conditions; null if `where` is not supported. */
  constructor(stored: StoredTable, find: FindPositions | null = null) {
    super(stored, stored.source);
    this.#stored = stored;
    this.#find = find;
  }

  get stored(): StoredTable {
    return this.#stored;
  }

  get [ORIGIN](): Origin | null {
    return this.#stored.origin;
  }

  get schema(): Schema {
    this.#schema ??= toSchema(this.#stored.fields, this.#stored.schemaMetadata);
    return this.#schema;
  }

  async layout(layout: Layout): Promise<DataTable> {
    return new PlannedTable(await this.#stored.layout(layout), this.#find);
  }

  async *batches(options: BatchOptions = {}): AsyncGenerator<RecordBatch> {
    checkBatchOptions(options);
    const { rows, columns, where, fragments, signal, reuse = false } = options;
    if ([rows, where, fragments].filter((one) => one !== undefined).length > 1) {
      throw new InvalidInputError("either rows, where or fragments: rows are counted in the whole table", {
        element: this.name,
      });
    }
    const read = { signal };
    let stored = this.#stored;
    if (where !== undefined) {
      if (this.#find === null) throw new TypeError("nothing finds positions");
      stored = await stored.at(await this.#find(stored, where, read), read);
    }
    if (fragments !== undefined) stored = await stored.selectFragments(fragments, read);
    const whole = haveEqualTypes(stored.fields, this.#stored.fields) ? this : new PlannedTable(stored);
    const fields = whole.#selected(columns);
    const schema = columns === undefined ? whole.schema : whole.schema.selectAt(fields);
    const parts = stored.parts(
      {
        kind: "batches",
        batchBytes: options.batchBytes ?? (reuse ? stored.reusedBatchBytes : stored.batchBytes),
        reuse,
      },
      { fields, rows, signal },
    );
    for await (const part of parts) {
      if (part.kind !== "batches") throw new TypeError("batches were asked for");
      for (const batch of part.batches) yield toRecordBatch(schema, batch.columns, batch.length);
    }
  }

  override read(options: BatchOptions = {}): Promise<Table> {
    // All batches are kept in memory, and a few large batches are easier to handle.
    const { batchBytes = DEFAULT_BATCH_BYTES, ...rest } = options;
    return super.read({ ...rest, batchBytes, reuse: false });
  }

  #selected(columns: readonly string[] | undefined): number[] {
    const names = this.#stored.fields.map((field) => field.name);
    if (columns === undefined) return names.map((_, i) => i);
    try {
      return findColumnPositions(names, columns, this.name);
    } catch (error) {
      throw locateError(error, { source: this.#stored.source, element: this.name });
    }
  }
}

/** Whether the selected rows have the table's schema. Dense rows with fewer columns have a different schema. */
function haveEqualTypes(some: readonly ArrowField[], all: readonly ArrowField[]): boolean {
  return (
    some.length === all.length &&
    some.every(({ type }, i) => describeArrowType(type) === describeArrowType(all[i].type))
  );
}

/** Returns the file's objects that belong to the table; null for a table from the caller. */
export function findAsRead(table: DataTable): AsRead | null {
  return table instanceof PlannedTable ? table.stored.asRead : null;
}
