/** Puts sparse matrices one after the other: rows below rows, columns beside columns, blocks along the diagonal. */

import type { Column, ColumnBatch, PrimitiveColumn } from "../arrow/column.js";
import { handedDown, nonZeros } from "../arrow/dense.js";
import { entriesColumn, entriesField } from "../arrow/sparse.js";
import { keptLists } from "../arrow/sparse-part.js";
import { takeColumn } from "../arrow/take.js";
import { coordinateType, field } from "../arrow/type.js";
import { keptEntries, type MinorMap } from "../kernels/sparse/minor-map.js";
import { packBits, unpackBits } from "../kernels/values/bitmap.js";
import { InvalidInputError, UnsupportedError } from "../model/errors.js";
import { bytesOf, type IntArray } from "../model/stored.js";
import type { ColumnBatchOptions, ColumnTable } from "../tables/column-table.js";
import { nonZeroTable, plainListing } from "../tables/reshaped-tables.js";
import { coordinatesOf, coordinatesOfLists, entryLists, intValues } from "../tables/sparse/sparse-entries.js";
import { castNumbers, isBig } from "./cast-numbers.js";
import type { NumericType } from "./common-type.js";
import {
  denseForm,
  dropsPositions,
  entryOrder,
  hasRowLists,
  isSparse,
  type MatrixPart,
  minorMapOf,
} from "./matrix-part.js";

export interface SparseResult {
  readonly name: string;
  /** The dimension along which the matrices follow each other. */
  readonly along: 0 | 1;
  /** Length of the other dimension. */
  readonly across: number;
  readonly type: NumericType;
  /** Whether integers may be rounded to floats. */
  readonly lossy: boolean;
}

/** Rows of a batch without entries. */
const EMPTY_ROWS = 2 ** 16;

/**
 * The matrix of all parts, in row order as anndata has it. Where parts come in another order, the table promises none, and
 * its writer sorts the entries.
 */
export function concatSparse(parts: readonly MatrixPart[], result: SparseResult): ColumnTable {
  const { along, name, type, across } = result;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const shape = along === 0 ? [length, across] : [across, length];
  const listed = along === 0 && parts.every(({ table }) => table === null || !isSparse(table) || hasRowLists(table));
  const repeatable = parts.every(({ table }) => table?.repeatable ?? true);
  const rises = parts.every((part) => minorMapOf(part, across)?.rises ?? true);
  const isOrdered = (order: "row" | "column") =>
    rises && parts.every(({ table }) => table === null || (isSparse(table) ? entryOrder(table) : "row") === order);
  const order = along === 0 ? (isOrdered("row") ? "row" : null) : isOrdered("column") ? "column" : null;
  const metadata = { kind: "csr_matrix", shape };
  const [rows, cols] = shape.map((size) => coordinateType(size));
  const coordinates: ColumnTable = {
    ...plainListing(name, entriesOf(parts)),
    ...{ metadata: { ...metadata, order: listed ? "row" : order }, repeatable },
    fields: [field("row", rows, false), field("col", cols, false), field("value", type, false)],
    layouts: listed ? ["coordinate", "list"] : ["coordinate"],
    async layout(layout) {
      if (layout === "coordinate") return coordinates;
      if (layout === "list" && listed) return lists;
      throw new InvalidInputError(`no layout ${layout} of matrices that are put together`, { element: name });
    },
    batches: (options) => (listed ? coordinatesIn(lists, options) : allCoordinates(parts, result, options)),
  };
  const lists: ColumnTable = {
    ...plainListing(name, length),
    ...{ metadata: { ...metadata, order: "row", layout: "list" }, repeatable },
    fields: [entriesField(across, type)],
    layouts: ["list", "coordinate"],
    layout: async (layout) => (layout === "list" ? lists : coordinates.layout(layout)),
    batches: (options) => allLists(parts, result, options),
  };
  return coordinates;
}

/** The number of entries of all parts; null where only a scan can tell. */
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

async function* coordinatesIn(lists: ColumnTable, options: ColumnBatchOptions | undefined) {
  yield* (await coordinatesOfLists({ ...lists, layouts: [] })).batches(options);
}

async function* allLists(
  parts: readonly MatrixPart[],
  result: SparseResult,
  options: ColumnBatchOptions | undefined,
): AsyncGenerator<ColumnBatch> {
  const { across, type, lossy, name } = result;
  for (const part of parts) {
    options?.signal?.throwIfAborted();
    if (part.table === null) {
      yield* emptyLists(part.length, result);
      continue;
    }
    const map = minorMapOf(part, across);
    const rounding = { lossy, element: name };
    const form = await listForm(part.table);
    const moved = map === null ? null : ((await form.placed?.(map)) ?? null);
    for await (const batch of listsOf(moved ?? form, options)) {
      const { offsets, index, values } = entryLists(batch, name);
      const value = castNumbers(values, type, rounding);
      const positions = widened(index, across);
      const pointers = Float64Array.from(offsets, (offset) => offset - offsets[0]);
      const column =
        map === null || moved !== null
          ? entriesColumn(pointers, positions, value)
          : keptLists(map, pointers, positions, value);
      yield { length: batch.length, columns: [column] };
    }
  }
  if (parts.length === 0) yield* emptyLists(0, result);
}

function* emptyLists(rows: number, { across, type }: SparseResult): Generator<ColumnBatch> {
  for (let at = 0; at === 0 || at < rows; at += EMPTY_ROWS) {
    const length = Math.min(EMPTY_ROWS, rows - at);
    const index: PrimitiveColumn = positionColumn(new Int32Array(0), across);
    const value = castNumbers(takeColumn(emptyNumbersOf(), new Int32Array(0)), type, { lossy: true, element: "" });
    yield { length, columns: [entriesColumn(new Float64Array(length + 1), index, value)] };
  }
}

function emptyNumbersOf(): PrimitiveColumn {
  return {
    layout: "primitive",
    type: { id: "Int", bits: 8, signed: true },
    length: 0,
    validity: null,
    values: new Int8Array(),
  };
}

/** The matrix with a list of entries for each row, where it is sparse. */
async function listForm(table: ColumnTable): Promise<ColumnTable> {
  return isSparse(table) && table.layouts.includes("list") ? await table.layout("list") : table;
}

/** The lists of entries of the rows of a matrix, sparse or dense. */
async function* listsOf(table: ColumnTable, options: ColumnBatchOptions | undefined): AsyncGenerator<ColumnBatch> {
  if (isSparse(table)) {
    yield* table.batches(options);
    return;
  }
  const dense = await denseForm(table);
  if (dense === null) throw new UnsupportedError("no matrix of numbers", { element: table.name });
  for await (const { length, columns } of dense.batches(options)) {
    const [lists] = columns;
    if (lists.layout !== "fixed-size-list") throw new TypeError("lists of fixed size expected");
    yield { length, columns: [nonZeroLists(handedDown(lists), length, lists.type.size)] };
  }
}

function nonZeroLists(flat: Column, rows: number, width: number): Column {
  if (flat.layout !== "primitive") throw new TypeError("numbers expected");
  const isBool = flat.type.id === "Bool";
  const block = isBool ? unpackBits(bytesOf(flat.values), flat.length) : flat.values.subarray(0, flat.length);
  const { row, col, value } = nonZeros(block, rows, width, 0);
  const pointers = new Float64Array(rows + 1);
  for (const one of row) pointers[one + 1]++;
  for (let i = 0; i < rows; i++) pointers[i + 1] += pointers[i];
  const { length } = value;
  const values = isBool ? packBits(bytesOf(value)) : value;
  return entriesColumn(pointers, positionColumn(col, width), {
    ...{ layout: "primitive", type: flat.type, length, validity: null, values },
  });
}

async function* allCoordinates(
  parts: readonly MatrixPart[],
  result: SparseResult,
  options: ColumnBatchOptions | undefined,
): AsyncGenerator<ColumnBatch> {
  const { along, across, type, name, lossy } = result;
  const total = parts.reduce((sum, { length }) => sum + length, 0);
  let [first, some] = [0, false];
  for (const part of parts) {
    options?.signal?.throwIfAborted();
    const { table, length } = part;
    const coordinates = table === null ? null : await coordinateForm(table);
    if (coordinates !== null) {
      const places = coordinatesOf(coordinates.fields);
      if (places === null) throw new UnsupportedError("no matrix of numbers", { source: part.source, element: name });
      const map = minorMapOf(part, across);
      for await (const { columns } of coordinates.batches(options)) {
        const main = intValues(columns[places[along]], "position", name);
        const other = intValues(columns[places[along === 0 ? 1 : 0]], "position", name);
        const value = castNumbers(columns[places[2]], type, { lossy, element: name });
        const moved = movedEntries({ main, other, value }, { first, total, map, across });
        some = true;
        yield {
          length: moved.value.length,
          columns: along === 0 ? [moved.main, moved.other, moved.value] : [moved.other, moved.main, moved.value],
        };
      }
    }
    first += length;
  }
  if (some) return;
  const none = castNumbers(emptyNumbersOf(), type, { lossy: true, element: name });
  const [main, other] = [positionColumn(new Int32Array(0), total), positionColumn(new Int32Array(0), across)];
  yield { length: 0, columns: along === 0 ? [main, other, none] : [other, main, none] };
}

async function coordinateForm(table: ColumnTable): Promise<ColumnTable> {
  if (isSparse(table)) return coordinatesOfLists(table);
  const dense = await denseForm(table);
  return nonZeroTable(dense ?? table);
}

interface Entries {
  readonly main: IntArray;
  readonly other: IntArray;
  readonly value: Column;
}

interface Move {
  /** Position of the matrix along the axis of the concatenation. */
  readonly first: number;
  readonly total: number;
  readonly map: MinorMap | null;
  readonly across: number;
}

function movedEntries({ main, other, value }: Entries, { first, total, map, across }: Move) {
  const kept = map === null ? null : keptEntries(map, other);
  const positions = kept === null ? other : kept.minor;
  const count = positions.length;
  const moved = total > 2 ** 31 - 1 ? new BigInt64Array(count) : new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const position = Number(main[kept === null ? i : kept.places[i]]) + first;
    if (isBig(moved)) moved[i] = BigInt(position);
    else moved[i] = position;
  }
  return {
    main: positionColumn(moved, total),
    other: positionColumn(positions, across),
    value: kept === null ? value : takeColumn(value, kept.places),
  };
}

/** A column of positions along an axis of `size`, in the type that such positions have. */
function positionColumn(positions: IntArray, size: number): PrimitiveColumn {
  const type = coordinateType(size);
  const fits = type.bits === 64 ? positions instanceof BigInt64Array : positions instanceof Int32Array;
  const values = fits
    ? positions
    : type.bits === 64
      ? BigInt64Array.from(positions, BigInt)
      : Int32Array.from(positions, Number);
  return { layout: "primitive", type, length: positions.length, validity: null, values };
}

function widened(index: Column, size: number): PrimitiveColumn {
  if (index.layout !== "primitive") throw new TypeError("positions are integers");
  const { values, length } = index;
  if (values instanceof Float32Array || values instanceof Float64Array) throw new TypeError("positions are integers");
  return positionColumn(values.subarray(0, length), size);
}
