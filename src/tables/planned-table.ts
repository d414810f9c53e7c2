/** A table plan as what the user holds: apache-arrow's schema and record batches. */

import type { RecordBatch, Schema, Table } from "apache-arrow";
import { toRecordBatch, toSchema } from "../arrow/apache.js";
import type { BatchOptions, DataTable, Layout, TableMetadata } from "../dataset.js";
import { isAnnarrowError, isCancellation, locateError } from "../errors.js";
import { inLayout, layoutsOf } from "../jobs/layout.js";
import type { TablePlan } from "../jobs/plan.js";
import { scan } from "../jobs/scan.js";
import { columnPositions } from "./project-schema.js";
import { readTable } from "./read-table.js";

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

  read(options: BatchOptions = {}): Promise<Table> {
    return readTable(this, options).catch((error: unknown) => {
      throw isAnnarrowError(error) ? error.locate({ source: this.#source }) : error;
    });
  }

  #selected(columns: readonly string[] | undefined): number[] {
    const names = this.#plan.fields.map((field) => field.name);
    return columns === undefined ? names.map((_, i) => i) : columnPositions(names, columns, this.name);
  }
}
