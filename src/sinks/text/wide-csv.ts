/**
 * Writes a dense matrix as a sheet. Each row's line begins with the row's name, and the header contains the names of
 * the columns. This is how pandas writes `adata.to_df()`, and R reads it with `row.names = 1`.
 */

import { DataType, Field, type RecordBatch, Schema, Utf8 } from "apache-arrow";
import { toRecordBatch } from "../../arrow/apache/apache.js";
import { toArrowType, toColumns } from "../../arrow/apache/apache-columns.js";
import type { FixedSizeListColumn } from "../../arrow/column.js";
import { takeColumn } from "../../arrow/take.js";
import { createTextColumn } from "../../arrow/text.js";
import type { ArrowType } from "../../arrow/type.js";
import { isBitSet } from "../../kernels/values/bitmap.js";
import type { BatchOptions, DataTable } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import { overrideTable } from "../../tables/batch-table.js";

/** Size in bytes of the matrix's batches, whose columns are copied one by one. */
const BATCH_BYTES = 2 ** 22;

export interface WideCsvNames {
  /** Header of the row names: the index's name, which may be empty. */
  readonly corner: string;
  /** Yields the row names in order, in batches. Null if the rows have no names, so that their positions are used. */
  readonly rows: ((options: BatchOptions) => AsyncIterable<readonly (string | null)[]>) | null;
  /** The column names. Null if the columns have no names, so that their positions are used. */
  readonly columns: readonly string[] | null;
}

/**
 * Converts a matrix in the layout `dense` to a sheet that can be written as text.
 * @throws {InvalidInputError} if the table is not a matrix of single values, or if it has a different number of names.
 */
export function toWideCsvTable(table: DataTable, names: WideCsvNames): DataTable {
  const { name: element, schema: dense } = table;
  const [field, ...others] = dense.fields;
  const list = field !== undefined && DataType.isFixedSizeList(field.type) && others.length === 0 ? field.type : null;
  const [item] = list?.children ?? [];
  const type = item === undefined ? null : toArrowType(item.type);
  if (list === null || type === null) {
    throw new InvalidInputError("only a matrix of single values becomes a sheet of text", { element });
  }
  const size = list.listSize;
  const lists: ArrowType = { id: "FixedSizeList", size, item: { name: item.name, type, nullable: true } };
  const columns = names.columns ?? Array.from({ length: size }, (_, i) => String(i));
  if (columns.length !== size) {
    throw new InvalidInputError(`has ${size} columns, and ${columns.length} names of them`, { element });
  }
  const ofValues = columns.map((name) => new Field(name, item.type, true));
  const schema = new Schema([new Field(names.corner, new Utf8(), true), ...ofValues]);

  async function* batches(options: BatchOptions = {}): AsyncGenerator<RecordBatch> {
    const { signal } = options;
    const named = new Names(names.rows === null ? null : names.rows({ signal }));
    try {
      for await (const batch of table.batches({ ...options, batchBytes: options.batchBytes ?? BATCH_BYTES })) {
        const [rows] = toColumns(batch, [lists]);
        if (rows.layout !== "fixed-size-list") throw new TypeError("lists expected");
        const values = columns.map((_, i) => takeColumn(rows.child, places(rows, size, i)));
        yield toRecordBatch(schema, [createTextColumn(await named.next(batch.numRows)), ...values], batch.numRows);
      }
    } finally {
      await named.close();
    }
  }

  return overrideTable(table, { schema, layouts: [], batches });
}

/** Returns, for each value in a column of the matrix, its row in the child; -1 if the whole row is missing. */
function places({ length, validity }: FixedSizeListColumn, size: number, column: number): Int32Array {
  return Int32Array.from({ length }, (_, row) =>
    validity === null || isBitSet(validity.bitmap, row) ? row * size + column : -1,
  );
}

/** Names that arrive in batches and are read in batches of other sizes. */
class Names {
  readonly #source: AsyncIterator<readonly (string | null)[]> | null;
  #rest: readonly (string | null)[] = [];
  #given = 0;

  constructor(source: AsyncIterable<readonly (string | null)[]> | null) {
    this.#source = source === null ? null : source[Symbol.asyncIterator]();
  }

  async next(count: number): Promise<readonly (string | null)[]> {
    const first = this.#given;
    this.#given += count;
    if (this.#source === null) return Array.from({ length: count }, (_, i) => String(first + i));
    while (this.#rest.length < count) {
      const { done, value } = await this.#source.next();
      if (done) throw new InvalidInputError(`there are ${first + this.#rest.length} names of rows, and more rows`);
      this.#rest = [...this.#rest, ...value];
    }
    const names = this.#rest.slice(0, count);
    this.#rest = this.#rest.slice(count);
    return names;
  }

  async close(): Promise<void> {
    await this.#source?.return?.();
  }
}
