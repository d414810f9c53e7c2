/** Keeps the entries at some minor positions of a sparse matrix, under their new positions. */

import { type KeptEntries, keptEntries, keptOffsets, type MinorMap, sortLists } from "../kernels/sparse/minor-map.js";
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
  const found = kept(minor, index);
  const offsets = keptOffsets(found, pointers);
  const { places, minor: positions } = minor.rises ? found : sortLists(found, offsets);
  return entriesColumn(offsets, checkedMinorColumn(positions, minor.kept), takeColumn(value, places));
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

function kept(minor: MinorMap, { values }: PrimitiveColumn): KeptEntries {
  if (values instanceof Float32Array || values instanceof Float64Array) throw new TypeError("positions are integers");
  return keptEntries(minor, values, MAX_ENTRIES, (count) => {
    throw new UnsupportedError(`${count} entries of one batch, at most ${MAX_ENTRIES}: choose positions less often`);
  });
}
