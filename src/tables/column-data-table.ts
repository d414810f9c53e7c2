/** The public form (`DataTable`) of a table whose columns are computed during reading. */

import type { RecordBatch, Schema } from "apache-arrow";
import { toRecordBatch, toSchema } from "../arrow/apache/apache.js";
import { sliceColumn } from "../arrow/take.js";
import type { BatchOptions, DataTable, Layout } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { checkBatchOptions } from "../model/table-options.js";
import { getRowAxis } from "./axes.js";
import { BatchTable } from "./batch-table.js";
import { type ChooseWhere, type ColumnTable, type FromDataset, ORIGIN } from "./column-table.js";
import { findColumnPositions, projectSchema } from "./record-batch.js";
import { readColumnsAt } from "./reshaped-tables.js";
import type { Origin } from "./stored-table.js";

/** The dataset of a table, and the function that selects its rows. */
export interface Choosing {
  readonly origin: Origin | null;
  readonly choose: ChooseWhere;
}

export class ColumnDataTable extends BatchTable implements FromDataset {
  readonly #columns: ColumnTable;
  readonly #choosing: Choosing | null;
  #schema: Schema | undefined;

  /** @param choosing null if `where` is not supported. */
  constructor(columns: ColumnTable, choosing: Choosing | null = null) {
    const { name, rows, derived, layouts, metadata } = columns;
    super({ name, rows, derived, layouts, metadata: metadata ?? { kind: "dataframe" }, axis: getRowAxis(name) });
    this.#columns = columns;
    this.#choosing = choosing;
  }

  /** Returns the table with a function that selects the rows that `where` specifies. */
  choosing(choose: ChooseWhere): ColumnDataTable {
    return new ColumnDataTable(this.#columns, { choose, origin: this[ORIGIN] });
  }

  get [ORIGIN](): Origin | null {
    return this.#choosing?.origin ?? this.#columns.origin?.dataset ?? null;
  }

  get columns(): ColumnTable {
    return this.#columns;
  }

  get schema(): Schema {
    const { fields, schemaMetadata } = this.#columns;
    this.#schema ??= toSchema(fields, new Map([["annarrow", JSON.stringify(this.metadata)], ...schemaMetadata]));
    return this.#schema;
  }

  async layout(layout: Layout): Promise<DataTable> {
    return new ColumnDataTable(await this.#columns.layout(layout), this.#choosing);
  }

  async *batches(options: BatchOptions = {}): AsyncGenerator<RecordBatch> {
    checkBatchOptions(options);
    const { rows, columns, where, fragments, signal } = options;
    const element = this.name;
    if (fragments !== undefined) {
      throw new InvalidInputError("fragments are selected in a BPCells store or a fragments file", { element });
    }
    if (where !== undefined) {
      if (rows !== undefined) {
        throw new InvalidInputError("either rows or where: rows are counted in the whole table", { element });
      }
      if (this.#choosing === null) throw new TypeError("nothing chooses rows");
      const part = await this.#choosing.choose(this, where, { signal });
      const { where: _, ...rest } = options;
      yield* part.batches(rest);
      return;
    }
    const names = this.#columns.fields.map((field) => field.name);
    const places = columns === undefined ? names.map((_, i) => i) : findColumnPositions(names, columns, this.name);
    const schema = columns === undefined ? this.schema : projectSchema(this.schema, columns, this.name);
    const [first, last] = this.#range(rows);
    let [at, some] = [0, false];
    const all = this.#columns;
    const read = columns === undefined ? all.batches({ signal }) : readColumnsAt(all, places, { signal });
    for await (const batch of read) {
      const [start, end] = [Math.max(first - at, 0), Math.min(last - at, batch.length)];
      at += batch.length;
      if (start > end || (start === end && some)) {
        if (at > last) break;
        continue;
      }
      some = true;
      const own = batch.columns.map((column) => sliceColumn(column, start, end));
      yield toRecordBatch(schema, own, end - start);
    }
  }

  #range(rows: BatchOptions["rows"]): readonly [number, number] {
    const [start, end] = rows ?? [0, Number.POSITIVE_INFINITY];
    const most = this.rows ?? Number.POSITIVE_INFINITY;
    if (rows === undefined || (Number.isInteger(start) && start >= 0 && start <= end && end <= most))
      return [start, end];
    throw new InvalidInputError(`rows [${start}, ${end}) were asked for, there are ${most}`, { element: this.name });
  }
}
