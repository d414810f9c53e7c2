/** Reads rows of a table: a range, or the rows at given positions in the order of these positions. */

import type { BatchOptions, DataTable } from "annarrow";
import { InvalidInputError, isAnnarrowError } from "annarrow";
import type { ArrowType } from "annarrow/core/arrow";
import { takeColumn, toColumnFields, toColumns, toRecordBatch } from "annarrow/core/arrow";
import { hasEntryRows, PlannedTable, projectSchema, sliceBatch } from "annarrow/core/tables";
import type { RecordBatch, Schema } from "apache-arrow";

export interface RowSelection {
  readonly columns?: readonly string[] | undefined;
  readonly rows?: readonly [start: number, end: number] | undefined;
  /** Row positions in any order. Positions may repeat. */
  readonly at?: readonly number[] | undefined;
}

/** Options for reading a stream. See `ViewerOptions.reuse`. */
export interface StreamReading {
  readonly signal: AbortSignal;
  readonly reuse: boolean;
}

export interface SchemaAndBatches {
  readonly schema: Schema;
  readonly batches: AsyncIterable<RecordBatch>;
}

/** Maximum number of bytes per batch. A page shows the first batches while later ones are read. */
const BATCH_BYTES = 2 ** 22;

/** Maximum number of rows between wanted rows that are read together, if the table has no better method. */
const GAP = 256;

/**
 * @throws {InvalidInputError} if both a range and positions are given, and for positions outside the table.
 * @throws {NotFoundError} for a column that the table does not have.
 */
export function readWantedRows(
  table: DataTable,
  wanted: RowSelection,
  { signal, reuse }: StreamReading,
): SchemaAndBatches {
  const { columns, rows, at } = wanted;
  const schema = columns === undefined ? table.schema : projectSchema(table.schema, columns, table.name);
  const options = { columns, batchBytes: BATCH_BYTES, signal };
  if (at === undefined) {
    return {
      schema,
      batches: table.batches({ ...options, reuse, rows: rows === undefined ? undefined : cut(rows, table) }),
    };
  }
  if (rows !== undefined) throw new InvalidInputError("either a range of rows or positions");
  const beyond = at.find((position) => table.rows !== null && position >= table.rows);
  if (beyond !== undefined) {
    throw new InvalidInputError(`row ${beyond} of ${table.rows}`, { element: table.name });
  }
  return { schema, batches: rowsAt(table, schema, at, options) };
}

/** Clips a range to the rows of the table, since the page requests whole windows. */
function cut([start, end]: readonly [number, number], { rows }: DataTable): readonly [number, number] {
  const last = rows ?? Number.POSITIVE_INFINITY;
  const from = Math.min(start, last);
  return [from, Math.max(from, Math.min(end, last))];
}

async function* rowsAt(
  table: DataTable,
  schema: Schema,
  at: readonly number[],
  options: BatchOptions,
): AsyncGenerator<RecordBatch> {
  const sorted = Int32Array.from(new Set(at)).sort();
  if (sorted.length === 0) {
    for await (const batch of table.batches({ ...options, rows: [0, 0] })) yield batch;
    return;
  }
  const read = await rowsInOrder(table, sorted, options);
  const types = typesOf(schema);
  // If consecutive wanted rows are in the same batch, they are sliced from it together.
  let from = 0;
  while (from < at.length) {
    const { batch, first } = read.batchOf(at[from]);
    let end = from + 1;
    while (end < at.length && read.batchOf(at[end]).batch === batch) end++;
    const places = Int32Array.from(at.slice(from, end), (position) => read.placeOf(position) - first);
    yield* taken(schema, batch, places, types);
    from = end;
  }
}

/** Returns the column types; null if a type, such as decimal, is not supported. */
function typesOf(schema: Schema): readonly ArrowType[] | null {
  try {
    return toColumnFields(schema).map(({ type }) => type);
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
}

function* taken(
  schema: Schema,
  batch: RecordBatch,
  places: Int32Array,
  types: readonly ArrowType[] | null,
): Generator<RecordBatch> {
  if (types !== null) {
    const columns = toColumns(batch, types).map((column) => takeColumn(column, places));
    yield toRecordBatch(schema, columns, places.length);
    return;
  }
  for (const place of places) yield sliceBatch(batch, place, place + 1);
}

/** Rows that have been read, in ascending order. */
class ReadRows {
  /** The index that each position has among the rows that have been read. */
  readonly #places = new Map<number, number>();
  readonly #batches: { readonly batch: RecordBatch; readonly first: number; readonly end: number }[] = [];
  #rows = 0;

  add(batch: RecordBatch): void {
    this.#batches.push({ batch, first: this.#rows, end: this.#rows + batch.numRows });
    this.#rows += batch.numRows;
  }

  note(position: number, place: number): void {
    this.#places.set(position, place);
  }

  get rows(): number {
    return this.#rows;
  }

  placeOf(position: number): number {
    const place = this.#places.get(position);
    if (place === undefined) throw new InvalidInputError(`row ${position} cannot be read`);
    return place;
  }

  batchOf(position: number): { readonly batch: RecordBatch; readonly first: number } {
    const place = this.placeOf(position);
    const found = this.#batches.find(({ end }) => place < end);
    if (found === undefined) throw new InvalidInputError(`row ${position} is beyond the end of the table`);
    return found;
  }
}

async function rowsInOrder(table: DataTable, sorted: Int32Array, options: BatchOptions): Promise<ReadRows> {
  const read = new ReadRows();
  if (table instanceof PlannedTable && table.axis !== null && !hasEntryRows(table)) {
    for (const [place, position] of sorted.entries()) read.note(position, place);
    for await (const batch of table.batches({ ...options, where: { [table.axis]: sorted } })) read.add(batch);
    return read;
  }
  let from = 0;
  while (from < sorted.length) {
    let end = from + 1;
    while (end < sorted.length && sorted[end] - sorted[end - 1] <= GAP) end++;
    const start = sorted[from];
    for (const position of sorted.subarray(from, end)) read.note(position, read.rows + position - start);
    for await (const batch of table.batches({ ...options, rows: [start, sorted[end - 1] + 1] })) read.add(batch);
    from = end;
  }
  return read;
}
