/** Concatenates sparse matrices vertically, horizontally, or as blocks along the diagonal. */

import { type Column, type ColumnBatch, emptyColumn, type PrimitiveColumn } from "../arrow/column.js";
import { createCheckedMinorColumn, createEntriesColumn, createEntriesField } from "../arrow/sparse.js";
import { selectListEntries } from "../arrow/sparse-part.js";
import { takeColumn } from "../arrow/take.js";
import { createField, getCoordinateType } from "../arrow/type.js";
import { type MinorMap, selectMappedEntries } from "../kernels/sparse/minor-map.js";
import { InvalidInputError, UnsupportedError } from "../model/errors.js";
import type { IntArray } from "../model/stored.js";
import type { ColumnBatchOptions, ColumnTable, TableChunk } from "../tables/column-table.js";
import { createListingMembers, findNonZeroEntries, toNonZeroTable } from "../tables/reshaped-tables.js";
import {
  convertListsToCoordinates,
  type EntryLists,
  findCoordinateColumns,
  getEntryLists,
  getIntValues,
} from "../tables/sparse/sparse-entries.js";
import { joinTableChunks } from "../tables/table-chunks.js";
import { castNumbers, createFilledNumbers, createNumbersColumn, getFlatNumbers, isBig } from "./cast-numbers.js";
import type { NumericType } from "./common-type.js";
import { copyRange } from "./dense-matrices.js";
import { describeChunkReuse, joinSparseRows } from "./joined-storage.js";
import {
  areRepeatable,
  dropsPositions,
  findDenseForm,
  getEntryOrder,
  getPartMinorMap,
  hasRowLists,
  isSparse,
  lacksPositions,
  type MatrixPart,
  sumPartLengths,
} from "./matrix-part.js";

export interface SparseResult {
  readonly name: string;
  /** The dimension along which the matrices are concatenated. */
  readonly along: 0 | 1;
  /** Length of the other dimension. */
  readonly across: number;
  readonly type: NumericType;
  /** The value for positions that are missing from a matrix. If it is not 0, each such position becomes an entry. */
  readonly fill: number;
  /** Whether integers may be rounded when they are converted to floats. */
  readonly lossy: boolean;
}

/** Maximum number of rows in a batch without entries. */
const EMPTY_ROWS = 2 ** 16;

/**
 * Concatenates the matrices of all parts in row order, as anndata does. If some parts have another order, the table
 * declares no order, and its writer sorts the entries.
 */
export function concatSparse(parts: readonly MatrixPart[], result: SparseResult): ColumnTable {
  const { along, name, type, across, fill } = result;
  const length = sumPartLengths(parts);
  const shape = along === 0 ? [length, across] : [across, length];
  const listed = along === 0 && parts.every(({ table }) => table === null || !isSparse(table) || hasRowLists(table));
  const repeatable = areRepeatable(parts);
  const isFilled = fill !== 0 && parts.some((part) => lacksPositions(part, across));
  const rises = !isFilled && parts.every((part) => getPartMinorMap(part, across)?.rises ?? true);
  const isOrdered = (order: "row" | "column") =>
    rises && parts.every(({ table }) => table === null || (isSparse(table) ? getEntryOrder(table) : "row") === order);
  const order = along === 0 ? (isOrdered("row") ? "row" : null) : isOrdered("column") ? "column" : null;
  const metadata = { kind: "csr_matrix", shape };
  const [rows, cols] = shape.map((size) => getCoordinateType(size));
  const blocks = joinTableChunks(entryBlocks(parts, result, listed));
  const stored = along === 0 && !isFilled ? joinSparseRows(parts, result) : null;
  const coordinates: ColumnTable = {
    ...createListingMembers(name, isFilled ? null : entriesOf(parts)),
    ...{ metadata: { ...metadata, order: listed ? "row" : order }, repeatable },
    fields: [createField("row", rows, false), createField("col", cols, false), createField("value", type, false)],
    layouts: listed ? ["coordinate", "list"] : ["coordinate"],
    async layout(layout) {
      if (layout === "coordinate") return coordinates;
      if (layout === "list" && listed) return lists;
      throw new InvalidInputError(`no layout ${layout} of matrices that are put together`, { element: name });
    },
    ...blocks,
    ...describeChunkReuse(parts, stored, blocks.batches),
  };
  const lists: ColumnTable = {
    ...createListingMembers(name, length),
    ...{ metadata: { ...metadata, order: "row", layout: "list" }, repeatable },
    fields: [createEntriesField(across, type)],
    layouts: ["list", "coordinate"],
    layout: async (layout) => (layout === "list" ? lists : coordinates.layout(layout)),
    ...joinTableChunks(
      parts.map((part) => ({ rows: part.length, batches: (options) => listsOfPart(part, result, options) })),
    ),
  };
  return coordinates;
}

/** Returns the number of entries in all parts; null if only a scan can determine it. */
function entriesOf(parts: readonly MatrixPart[]): number | null {
  let entries = 0;
  for (const part of parts) {
    const { table } = part;
    if (table === null) continue;
    const rows = table.fields.length === 3 && isSparse(table) ? table.rows : null;
    if (rows === null || dropsPositions(part)) return null;
    entries += rows;
  }
  return entries;
}

/** Returns the entries of each part. @param listed true to return them as lists. */
function entryBlocks(parts: readonly MatrixPart[], result: SparseResult, listed: boolean): readonly TableChunk[] {
  const total = sumPartLengths(parts);
  let end = 0;
  return parts.map((part) => {
    const first = end;
    end += part.length;
    const place = { first, total };
    return {
      rows: null,
      bounds: (axis) => ((axis === "row") === (result.along === 0) ? [first, first + part.length - 1] : null),
      batches: (options) =>
        listed ? listedEntries(part, result, place, options) : entriesOfPart(part, result, place, options),
    };
  });
}

async function* listedEntries(
  part: MatrixPart,
  result: SparseResult,
  place: Place,
  options: ColumnBatchOptions | undefined,
): AsyncGenerator<ColumnBatch> {
  const { name } = result;
  const lists = await concatSparse([part], result).layout("list");
  const entries = await convertListsToCoordinates({ ...lists, layouts: [] });
  for await (const { length, columns } of entries.batches(options)) {
    const [row, col, value] = columns;
    yield { length, columns: [shiftedColumn(getIntValues(row, "row", name), null, place), col, value] };
  }
}

async function* listsOfPart(
  part: MatrixPart,
  result: SparseResult,
  options: ColumnBatchOptions | undefined,
): AsyncGenerator<ColumnBatch> {
  const { across, type, fill: value, name } = result;
  const fill = findEntryFill(part, { value, across, type });
  for await (const batch of placedLists(part, result, options)) {
    if (fill === null) yield batch;
    else yield* filledLists(batch, fill, name);
  }
}

/** Returns one part's lists of entries with their new positions. */
async function* placedLists(
  part: MatrixPart,
  result: SparseResult,
  options: ColumnBatchOptions | undefined,
): AsyncGenerator<ColumnBatch> {
  const { across, type, lossy, name } = result;
  if (part.table === null) {
    yield* emptyLists(part.length, result);
    return;
  }
  const map = getPartMinorMap(part, across);
  const rounding = { lossy, element: name };
  const form = await listForm(part.table);
  const moved = map === null ? null : ((await form.placed?.(map)) ?? null);
  for await (const batch of listsOf(moved ?? form, options)) {
    const { offsets, index, values } = getEntryLists(batch, name);
    const value = castNumbers(values, type, rounding);
    const positions = createCheckedMinorColumn(getIntValues(index, "index", name), across);
    const pointers = Float64Array.from(offsets, (offset) => offset - offsets[0]);
    const column =
      map === null || moved !== null
        ? createEntriesColumn(pointers, positions, value)
        : selectListEntries(map, pointers, positions, value);
    yield { length: batch.length, columns: [column] };
  }
}

function* emptyLists(rows: number, { across, type }: SparseResult): Generator<ColumnBatch> {
  for (let at = 0; at === 0 || at < rows; at += EMPTY_ROWS) {
    const length = Math.min(EMPTY_ROWS, rows - at);
    const index = createCheckedMinorColumn(new Int32Array(0), across);
    yield { length, columns: [createEntriesColumn(new Float64Array(length + 1), index, emptyColumn(type))] };
  }
}

/** Returns a sparse matrix with one list of entries per row. */
async function listForm(table: ColumnTable): Promise<ColumnTable> {
  return isSparse(table) && table.layouts.includes("list") ? await table.layout("list") : table;
}

/** Returns one list of entries for each row of a sparse or dense matrix. */
async function* listsOf(table: ColumnTable, options: ColumnBatchOptions | undefined): AsyncGenerator<ColumnBatch> {
  if (isSparse(table)) {
    yield* table.batches(options);
    return;
  }
  const dense = await findDenseForm(table);
  if (dense === null) throw new UnsupportedError("no matrix of numbers", { element: table.name });
  let row = 0;
  for await (const { length, columns } of dense.batches(options)) {
    const { row: rows, col, value } = findNonZeroEntries(columns[0], row, table.name);
    const pointers = new Float64Array(length + 1);
    for (const one of rows) pointers[one - row + 1]++;
    for (let i = 0; i < length; i++) pointers[i + 1] += pointers[i];
    yield { length, columns: [createEntriesColumn(pointers, col, value)] };
    row += length;
  }
}

/** Returns the entries of one part as coordinates. */
async function* entriesOfPart(
  part: MatrixPart,
  result: SparseResult,
  { first, total }: Place,
  options: ColumnBatchOptions | undefined,
): AsyncGenerator<ColumnBatch> {
  const { along, across, type, name, lossy } = result;
  const { table, length } = part;
  const batchOf = ({ main, other, value }: PlacedEntries): ColumnBatch => ({
    length: value.length,
    columns: along === 0 ? [main, other, value] : [other, main, value],
  });
  const coordinates = table === null ? null : await coordinateForm(table);
  if (coordinates !== null) {
    const places = findCoordinateColumns(coordinates.fields);
    if (places === null) throw new UnsupportedError("no matrix of numbers", { source: part.source, element: name });
    const map = getPartMinorMap(part, across);
    for await (const { columns } of coordinates.batches(options)) {
      const main = getIntValues(columns[places[along]], "position", name);
      const other = getIntValues(columns[places[along === 0 ? 1 : 0]], "position", name);
      const value = castNumbers(columns[places[2]], type, { lossy, element: name });
      yield batchOf(movedEntries({ main, other, value }, { first, total, map, across }));
    }
  }
  const fill = findEntryFill(part, { value: result.fill, across, type });
  for (const { main, other, value } of fill === null ? [] : listFilledCoordinates(length, fill)) {
    yield batchOf({ main: shiftedColumn(main, null, { first, total }), other, value });
  }
  if (coordinates !== null) return;
  const [rows, cols] = along === 0 ? [total, across] : [across, total];
  yield { length: 0, columns: [getCoordinateType(rows), getCoordinateType(cols), type].map(emptyColumn) };
}

async function coordinateForm(table: ColumnTable): Promise<ColumnTable> {
  if (isSparse(table)) return convertListsToCoordinates(table);
  const dense = await findDenseForm(table);
  return toNonZeroTable(dense ?? table);
}

interface Entries {
  readonly main: IntArray;
  readonly other: IntArray;
  readonly value: Column;
}

/** Entries of the result, as columns. */
interface PlacedEntries {
  /** Positions along the concatenation axis. */
  readonly main: PrimitiveColumn;
  readonly other: PrimitiveColumn;
  readonly value: Column;
}

/** The range of a matrix along the concatenation axis. */
interface Place {
  readonly first: number;
  /** Length of the axis. */
  readonly total: number;
}

interface Move extends Place {
  readonly map: MinorMap | null;
  readonly across: number;
}

function movedEntries({ main, other, value }: Entries, { first, total, map, across }: Move): PlacedEntries {
  const kept = map === null ? null : selectMappedEntries(map, other);
  return {
    main: shiftedColumn(main, kept?.places ?? null, { first, total }),
    other: createCheckedMinorColumn(kept === null ? other : kept.minor, across),
    value: kept === null ? value : takeColumn(value, kept.places),
  };
}

/** Returns positions along the concatenation axis, for all entries of a matrix or for the entries at `places`. */
function shiftedColumn(main: IntArray, places: Int32Array | null, { first, total }: Place) {
  const { length } = places ?? main;
  const shifted = total > 2 ** 31 - 1 ? new BigInt64Array(length) : new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const position = Number(main[places === null ? i : places[i]]) + first;
    if (isBig(shifted)) shifted[i] = BigInt(position);
    else shifted[i] = position;
  }
  return createCheckedMinorColumn(shifted, total);
}

// Adds entries to a sparse matrix at the positions that it lacks, if the value there is not 0.

/** The value and positions to write if a matrix lacks positions. */
interface EntryFill {
  /** The positions along the other axis, in ascending order. */
  readonly positions: Int32Array;
  readonly value: number;
  /** Length of the other axis. */
  readonly across: number;
  readonly type: NumericType;
}

/** Maximum number of entries per batch, unless a single row has more. */
const BATCH_ENTRIES = 2 ** 20;

/** Returns the fill for a matrix; null if the matrix lacks no positions, or is filled with 0. */
function findEntryFill(part: MatrixPart, how: Pick<EntryFill, "value" | "across" | "type">): EntryFill | null {
  if (how.value === 0) return null;
  const positions = lackedPositions(part, how.across);
  return positions.length === 0 ? null : { ...how, positions };
}

function lackedPositions({ table, places, across: own }: MatrixPart, across: number): Int32Array {
  const isThere = new Uint8Array(across);
  if (table === null) isThere.fill(0);
  else if (places === null) isThere.fill(1, 0, own);
  else for (const place of places) if (place >= 0) isThere[place] = 1;
  return Int32Array.from(isThere.keys()).filter((position) => isThere[position] === 0);
}

/** Returns a batch's lists of entries, completed with the missing entries. */
function* filledLists(batch: ColumnBatch, fill: EntryFill, element: string): Generator<ColumnBatch> {
  const lists = getEntryLists(batch, element);
  const { offsets } = lists;
  for (let start = 0; start === 0 || start < batch.length; ) {
    let end = Math.min(start + 1, batch.length);
    const entries = (rows: number) => offsets[start + rows] - offsets[start] + rows * fill.positions.length;
    while (end < batch.length && entries(end + 1 - start) <= BATCH_ENTRIES) end++;
    yield { length: end - start, columns: [filledRows(lists, [start, end], fill, element)] };
    start = Math.max(end, 1);
  }
}

function filledRows(
  { offsets, index, values }: EntryLists,
  [start, end]: readonly [number, number],
  fill: EntryFill,
  element: string,
) {
  const { positions, type } = fill;
  const [base, own, from] = [offsets[0], getIntValues(index, "index", element), getFlatNumbers(values)];
  const pointers = new Float64Array(end - start + 1);
  const count = offsets[end] - offsets[start] + (end - start) * positions.length;
  const minor = new Int32Array(count);
  const to = createFilledNumbers(count, { type, fill: fill.value });
  let at = 0;
  for (let row = start; row < end; row++) {
    let next = 0;
    for (let entry = offsets[row] - base; entry < offsets[row + 1] - base; entry++) {
      const position = Number(own[entry]);
      while (next < positions.length && positions[next] < position) minor[at++] = positions[next++];
      copyRange(from, entry, to, at, 1);
      minor[at++] = position;
    }
    while (next < positions.length) minor[at++] = positions[next++];
    pointers[row - start + 1] = at;
  }
  return createEntriesColumn(pointers, createCheckedMinorColumn(minor, fill.across), createNumbersColumn(to, type));
}

/**
 * Returns the entries that are missing from `length` rows, in batches: positions along the axis, positions along the
 * other axis, and values.
 */
function* listFilledCoordinates(
  length: number,
  { positions, value, across, type }: EntryFill,
): Generator<{ readonly main: Int32Array; readonly other: PrimitiveColumn; readonly value: Column }> {
  const most = Math.max(1, Math.floor(BATCH_ENTRIES / positions.length));
  for (let start = 0; start < length; start += most) {
    const rows = Math.min(most, length - start);
    const main = new Int32Array(rows * positions.length);
    const other = new Int32Array(main.length);
    for (let row = 0; row < rows; row++) {
      main.fill(start + row, row * positions.length, (row + 1) * positions.length);
      other.set(positions, row * positions.length);
    }
    const values = createNumbersColumn(createFilledNumbers(main.length, { type, fill: value }), type);
    yield { main, other: createCheckedMinorColumn(other, across), value: values };
  }
}
