/** Applies `where` to a table that is read in batches: selects its rows and columns, or its entries, by position. */

import { type Column, type ColumnBatch, emptyColumn } from "../arrow/column.js";
import { takeColumn } from "../arrow/take.js";
import { type MatrixPositions, sortUniquePositions } from "../jobs/plan/matrix-plan.js";
import { InvalidDataError, InvalidInputError } from "../model/errors.js";
import type { IntArray } from "../model/stored.js";
import type { ColumnBatchOptions, ColumnTable, TableChunk } from "../tables/column-table.js";
import {
  findCoordinateColumns,
  findEntriesValue,
  getEntryLists,
  getIntValues,
  listOrder,
} from "../tables/sparse/sparse-entries.js";
import { listTableChunks } from "../tables/table-chunks.js";
import { selectTablePart, selectTableRows } from "./part-of-columns.js";

type Axis = "row" | "col";

/** Lengths of a table along its axes; null if unknown. */
export type AxisLengths = readonly [first: number | null, second: number | null];

/** Whether `row` and `col` select entries of a matrix. */
export function hasEntries({ fields }: Pick<ColumnTable, "fields">): boolean {
  return findCoordinateColumns(fields) !== null || findEntriesValue({ fields }) !== null;
}

/**
 * Selects rows, columns or entries by position, in stored order; order and repetition of the positions have no effect.
 * Entries keep their positions; dense matrices become narrower. Chunks without selected rows are not read.
 * @param first the key that selects the rows of a table without entries; null if its rows have no axis.
 * @throws {InvalidInputError} if the table does not have the axis or the position.
 */
export async function selectMatrixPositions(
  table: ColumnTable,
  where: MatrixPositions,
  first: Axis | null,
  [height, width]: AxisLengths,
): Promise<ColumnTable> {
  const { name } = table;
  const along = (axis: Axis, length: number | null): Int32Array | null => {
    const asked = where[axis];
    return asked === undefined
      ? null
      : Int32Array.from(sortUniquePositions(asked, length ?? Number.POSITIVE_INFINITY, axis, name));
  };
  const places = findCoordinateColumns(table.fields);
  if (places !== null) return entriesAt(table, places, { row: along("row", height), col: along("col", width) });
  if (findEntriesValue(table) !== null) {
    const order = listOrder(table);
    if (order === null)
      throw new InvalidInputError("nothing says whether lists are rows or columns", { element: name });
    const [major, minor] = order === "row" ? (["row", "col"] as const) : (["col", "row"] as const);
    const [lists, size] = order === "row" ? [height, width] : [width, height];
    const [chosen, kept] = [along(major, lists), along(minor, size)];
    const some = chosen === null ? table : rowsAt(table, chosen);
    return kept === null ? some : keptInLists(some, kept);
  }
  if (first === null) {
    throw new InvalidInputError("its rows lie along no axis, so that where chooses none: rows takes a range of them", {
      element: name,
    });
  }
  const second = first === "row" && width !== null ? "col" : null;
  const other = first === "row" ? "col" : "row";
  if (second === null && where[other] !== undefined) {
    throw new InvalidInputError(`the rows of this table are chosen by ${first}, and nothing by ${other}`, {
      element: name,
    });
  }
  const rows = along(first, height);
  const cols = second === null ? null : along(second, width);
  if (cols !== null) return selectTablePart(table, rows, cols);
  return rows === null ? table : rowsAt(table, rows);
}

/** Selects rows of a table. All rows have the same structure, so the table's description remains unchanged. */
function rowsAt(table: ColumnTable, rows: Int32Array): ColumnTable {
  const { metadata } = table;
  return { ...selectTableRows(table, rows), metadata };
}

type IsChosen = (position: number | bigint) => boolean;

/** @throws {InvalidDataError} for a position that the matrix does not have. */
function chosenOf(positions: Int32Array | null, size: number | null, element: string): IsChosen {
  const most = size ?? Number.POSITIVE_INFINITY;
  const chosen = positions === null ? null : new Uint8Array((positions.at(-1) ?? -1) + 1);
  for (const position of positions ?? []) if (chosen !== null) chosen[position] = 1;
  return (stored) => {
    const position = Number(stored);
    if (position < 0 || position >= most) {
      throw new InvalidDataError(`the position ${position} lies outside 0 … ${most - 1}`, { element });
    }
    return chosen === null || chosen[position] === 1;
  };
}

function entriesAt(
  table: ColumnTable,
  [row, col]: readonly [row: number, col: number, value: number],
  wanted: { readonly row: Int32Array | null; readonly col: Int32Array | null },
): ColumnTable {
  const { name, fields, metadata } = table;
  const [height = null, width = null] = metadata?.shape ?? [];
  const isRow = chosenOf(wanted.row, height, name);
  const isCol = chosenOf(wanted.col, width, name);
  const { asRead: _, only: __, blocks: ___, ...rest } = table;
  return {
    ...rest,
    rows: null,
    async *batches(options: ColumnBatchOptions = {}): AsyncGenerator<ColumnBatch> {
      let some = false;
      for await (const block of blocksWith(listTableChunks(table), wanted, options)) {
        options.signal?.throwIfAborted();
        for await (const { columns } of block.batches(options)) {
          const rows = getIntValues(columns[row], "row", name);
          const cols = getIntValues(columns[col], "col", name);
          const kept = placesWhere(rows.length, (i) => isRow(rows[i]) && isCol(cols[i]));
          if (kept.length === 0) continue;
          some = true;
          yield { length: kept.length, columns: columns.map((column) => takeColumn(column, kept)) };
        }
      }
      if (!some) yield { length: 0, columns: fields.map(({ type }) => emptyColumn(type)) };
    },
  };
}

function placesWhere(length: number, isKept: (i: number) => boolean): Int32Array {
  const places = new Int32Array(length);
  let count = 0;
  for (let i = 0; i < length; i++) if (isKept(i)) places[count++] = i;
  return places.slice(0, count);
}

/**
 * Yields the blocks that may contain entries at the given positions. If a block consists of other blocks, those are
 * yielded instead.
 */
async function* blocksWith(
  blocks: readonly TableChunk[],
  wanted: Readonly<Record<Axis, Int32Array | null>>,
  options: ColumnBatchOptions,
): AsyncGenerator<TableChunk> {
  for (const block of blocks) {
    if (!mayHold(block, "row", wanted.row) || !mayHold(block, "col", wanted.col)) continue;
    const inner = await block.inner?.({ signal: options.signal });
    if (inner === undefined) yield block;
    else yield* blocksWith(inner, wanted, options);
  }
}

/** Whether a block may contain entries at one of the positions, which are ascending. */
function mayHold({ bounds }: TableChunk, axis: Axis, positions: Int32Array | null): boolean {
  if (positions === null) return true;
  const known = bounds?.(axis) ?? null;
  if (known === null) return positions.length > 0;
  const [least, greatest] = known;
  return positions.some((position) => position >= least && position <= greatest);
}

/** Selects the entries at the given minor positions from entry lists. Positions are not renumbered. */
function keptInLists(table: ColumnTable, kept: Int32Array): ColumnTable {
  const { name, metadata } = table;
  const minor = listOrder(table) === "row" ? 1 : 0;
  const isKept = chosenOf(kept, metadata?.shape?.[minor] ?? null, name);
  const { asRead: _, only: __, blocks: ___, ...rest } = table;
  return {
    ...rest,
    async *batches(options?: ColumnBatchOptions): AsyncGenerator<ColumnBatch> {
      for await (const batch of table.batches(options)) {
        const { offsets, index } = getEntryLists(batch, name);
        yield {
          length: batch.length,
          columns: [shorterLists(batch.columns[0], offsets, getIntValues(index, "index", name), isKept)],
        };
      }
    },
  };
}

function shorterLists(lists: Column, offsets: Int32Array, index: IntArray, isKept: IsChosen): Column {
  if (lists.layout !== "list") throw new TypeError("lists of entries expected");
  const shorter = new Int32Array(offsets.length);
  const places = new Int32Array(index.length);
  const [start] = offsets;
  let count = 0;
  for (let list = 0; list + 1 < offsets.length; list++) {
    for (let at = offsets[list]; at < offsets[list + 1]; at++) if (isKept(index[at - start])) places[count++] = at;
    shorter[list + 1] = count;
  }
  return { ...lists, offsets: shorter, child: takeColumn(lists.child, places.slice(0, count)) };
}
