/** Keeps the entries at some minor positions of a sparse matrix, under their new positions. */

import { type KeptEntries, keptEntries, keptInLists, keptOffsets, type MinorMap } from "../kernels/sparse/minor-map.js";
import { sortLists } from "../kernels/sparse/sort-lists.js";
import { takeElements } from "../kernels/values/take-elements.js";
import { UnsupportedError } from "../model/errors.js";
import type { Column, ListColumn, PrimitiveColumn } from "./column.js";
import { checkedMinorColumn, entriesColumn } from "./sparse.js";
import { takeColumn } from "./take.js";

/** The most new entries that one batch of entries may become: a position that is kept often costs its caller nothing. */
const MAX_ENTRIES = 2 ** 28;

/**
 * Makes lists of the kept entries of whole rows (or columns), each sorted by the new positions.
 * @param pointers the pointers of the rows.
 * @param index stored minor positions, which are checked already.
 */
export function keptLists(minor: MinorMap, pointers: Float64Array, index: PrimitiveColumn, value: Column): ListColumn {
  const found = minor.one === null ? severalTimes(minor, pointers, index) : once(minor.one, pointers, index);
  const { places, minor: positions, offsets } = found;
  if (!minor.rises) sortLists(found, offsets);
  return entriesColumn(offsets, checkedMinorColumn(positions, minor.kept), taken(value, places));
}

/** Keeps rows of a coordinate table, in their order. @param at the column of stored minor positions. */
export function keptRows(minor: MinorMap, columns: readonly Column[], at: number): readonly Column[] {
  const index = columns[at];
  if (index.layout !== "primitive") throw new TypeError("positions are integers");
  const { places, minor: positions } = kept(minor, index);
  return columns.map((column) =>
    column === index ? checkedMinorColumn(positions, minor.kept) : takeColumn(column, places),
  );
}

/** The values at places that are never -1: numbers without nulls need no look for it. */
function taken(value: Column, places: Int32Array): Column {
  if (value.layout !== "primitive" || value.validity !== null) return takeColumn(value, places);
  if (value.type.id !== "Int" && value.type.id !== "Float") return takeColumn(value, places);
  return { ...value, length: places.length, values: takeElements(value.values, places, 1) };
}

function once(one: Int32Array, pointers: Float64Array, { values }: PrimitiveColumn) {
  if (values instanceof Float32Array || values instanceof Float64Array) throw new TypeError("positions are integers");
  return keptInLists(one, values, pointers);
}

function severalTimes(minor: MinorMap, pointers: Float64Array, index: PrimitiveColumn) {
  const found = kept(minor, index);
  return { ...found, offsets: keptOffsets(found, pointers) };
}

function kept(minor: MinorMap, { values }: PrimitiveColumn): KeptEntries {
  if (values instanceof Float32Array || values instanceof Float64Array) throw new TypeError("positions are integers");
  return keptEntries(minor, values, MAX_ENTRIES, (count) => {
    throw new UnsupportedError(`${count} entries of one batch, at most ${MAX_ENTRIES}: choose positions less often`);
  });
}
