/** A table plan as what the user holds: apache-arrow's schema and record batches. */

import { type RecordBatch, type Schema, Table } from "apache-arrow";
import { toRecordBatch, toSchema } from "./arrow/apache.js";
import type { BatchOptions, DataTable, Layout, TableMetadata } from "./dataset.js";
import { InvalidInputError, isCancellation, locateError, UnsupportedError } from "./errors.js";
import { inLayout, layoutsOf } from "./jobs/layout.js";
import type { TablePlan } from "./jobs/plan.js";
import { scan } from "./jobs/scan.js";

/** `read` refuses to hold more than this in memory. */
const MAX_TABLE_BYTES = 2 ** 31;

export class PlannedTable implements DataTable {
  readonly #plan: TablePlan;
  readonly #source: string;
  #schema: Schema | undefined;

  constructor(plan: TablePlan, source: string) {
    this.#plan = plan;
    this.#source = source;
  }

  get name(): string {
    return this.#plan.name;
  }

  get rows(): number | null {
    return this.#plan.rows;
  }

  get metadata(): TableMetadata {
    return this.#plan.metadata;
  }

  get derived(): boolean {
    return this.#plan.derived;
  }

  get axis(): "row" | "col" | null {
    return this.#plan.axis;
  }

  get layouts(): readonly Layout[] {
    return layoutsOf(this.#plan);
  }

  get schema(): Schema {
    this.#schema ??= toSchema(
      this.#plan.fields,
      new Map([["annarrow", JSON.stringify(this.#plan.metadata)], ...this.#plan.schemaMetadata]),
    );
    return this.#schema;
  }

  async layout(layout: Layout): Promise<DataTable> {
    return new PlannedTable(await inLayout(this.#plan, layout), this.#source);
  }

  async *batches(options: BatchOptions = {}): AsyncGenerator<RecordBatch> {
    const { rows, columns, batchBytes, signal } = options;
    try {
      const fields = this.#selected(columns);
      const schema = columns === undefined ? this.schema : this.schema.selectAt(fields);
      const scanned = scan(this.#plan, {
        fields,
        ...(rows === undefined ? {} : { rows }),
        ...(batchBytes === undefined ? {} : { batchBytes }),
        ...(signal === undefined ? {} : { signal }),
      });
      signal?.throwIfAborted();
      for await (const batch of scanned) yield toRecordBatch(schema, batch.columns, batch.length);
    } catch (error) {
      // A cancellation keeps its own reason, whatever was interrupted by it.
      if (signal?.aborted === true && !isCancellation(error)) throw signal.reason;
      throw locateError(error, { source: this.#source, element: this.name });
    }
  }

  async read(options: BatchOptions = {}): Promise<Table> {
    const batches: RecordBatch[] = [];
    let bytes = 0;
    for await (const batch of this.batches(options)) {
      bytes += batch.data.byteLength;
      if (bytes > MAX_TABLE_BYTES) {
        throw new UnsupportedError(
          `more than ${MAX_TABLE_BYTES} bytes in one table; read fewer rows or columns, or iterate over batches()`,
          { source: this.#source, element: this.name },
        );
      }
      batches.push(batch);
    }
    return new Table(batches);
  }

  /** Positions of the fields of these names; a name that stands twice means both. */
  #selected(columns: readonly string[] | undefined): number[] {
    const { fields } = this.#plan;
    if (columns === undefined) return fields.map((_, i) => i);
    const twice = columns.find((name, i) => columns.indexOf(name) < i);
    if (twice !== undefined) {
      // apache-arrow writes a corrupt stream where two columns of a batch share their buffers.
      throw new InvalidInputError(`column ${JSON.stringify(twice)} is asked for twice`, {
        source: this.#source,
        element: this.name,
      });
    }
    return columns.flatMap((name) => {
      const found = fields.flatMap((field, i) => (field.name === name ? [i] : []));
      if (found.length > 0) return found;
      const some = fields.slice(0, 20).map((field) => field.name);
      throw new InvalidInputError(`no column ${JSON.stringify(name)}; there are ${some.join(", ")}`, {
        source: this.#source,
        element: this.name,
      });
    });
  }
}
