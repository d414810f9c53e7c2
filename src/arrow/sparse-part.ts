/** Selects the entries of a sparse matrix that lie at some minor positions, and renumbers the positions. */

import {
  computeSelectedOffsets,
  type MinorMap,
  type SelectedEntries,
  selectMappedEntries,
} from "../kernels/sparse/minor-map.js";
import { repositionLists } from "../kernels/sparse/placed-lists.js";
import { sortLists } from "../kernels/sparse/sort-lists.js";
import { takeElements } from "../kernels/values/take-elements.js";
import { UnsupportedError } from "../model/errors.js";
import type { Column, ListColumn, PrimitiveColumn } from "./column.js";
import { createCheckedMinorColumn, createEntriesColumn, fresh } from "./sparse.js";
import { takeColumn } from "./take.js";
import { createColumnFromWords, getColumnWords, getWordShapes } from "./value-words.js";

/**
 * Maximum number of entries in a batch after selection, because repeating a position often costs the caller nothing.
 */
const MAX_ENTRIES = 2 ** 28;

/**
 * Makes lists of the selected entries of whole rows (or columns). Lists are sorted by new position, unless the new
 * positions rise with the stored ones; in that case entries keep their order.
 * @param pointers the row pointers.
 * @param index stored minor positions, already checked.
 * @param take allocates memory for all entries, at a multiple of 8.
 */
export function selectListEntries(
  minor: MinorMap,
  pointers: Float64Array,
  index: PrimitiveColumn,
  value: Column,
  take = fresh,
): ListColumn {
  const moved = movedAtOnce(minor, pointers, index, value, take);
  if (moved !== null) return moved;
  const found = kept(minor, index);
  const { places, minor: positions } = found;
  const offsets = computeSelectedOffsets(found, pointers);
  if (!minor.rises) sortLists(found, offsets);
  return createEntriesColumn(offsets, createCheckedMinorColumn(positions, minor.kept), taken(value, places));
}

/** Sorts lists of entries by position; returns the same lists if they are already sorted. */
export function sortListEntries(lists: ListColumn): ListColumn {
  const { offsets, child } = lists;
  if (child.layout !== "struct") throw new TypeError("lists of entries expected");
  const [index, value] = child.children;
  if (index.layout !== "primitive") throw new TypeError("positions are integers");
  const { values: minor } = index;
  if (!(minor instanceof Int32Array) || areInOrder(offsets, minor)) return lists;
  const found = { places: Int32Array.from(minor.keys()), minor: minor.slice() };
  const pointers = Float64Array.from(offsets);
  sortLists(found, pointers);
  return createEntriesColumn(pointers, { ...index, values: found.minor }, taken(value, found.places));
}

function areInOrder(offsets: Int32Array, minor: Int32Array): boolean {
  for (let list = 1; list < offsets.length; list++) {
    for (let i = offsets[list - 1] + 1; i < offsets[list]; i++) if (minor[i] < minor[i - 1]) return false;
  }
  return true;
}

/**
 * Fraction of selected positions above which a single pass over all entries, including their values, is faster. Below
 * it, most values can be skipped.
 */
const MAX_OF_ALL = 1 / 2;

/** Selects the entries of the lists in one pass; null if that is slower or not possible. */
function movedAtOnce(
  { one, places, stored, kept, rises }: MinorMap,
  pointers: Float64Array,
  index: PrimitiveColumn,
  value: Column,
  take: (bytes: number) => Uint8Array,
): ListColumn | null {
  if (one === null || places.length < MAX_OF_ALL * stored || !(index.values instanceof Int32Array)) return null;
  if (value.layout !== "primitive" || value.validity !== null) return null;
  const [shape] = getWordShapes(value.type);
  const [words] = getColumnWords(value);
  if (!(words instanceof Int32Array) || (shape.step !== 1 && shape.step !== 2)) return null;
  const integers = (count: number) => {
    const { buffer, byteOffset } = take(4 * count);
    return new Int32Array(buffer, byteOffset, count);
  };
  const memory = { minor: integers(index.length), words: integers(words.length) };
  const lists = { pointers, minor: index.values, words, wordsPerValue: shape.step } as const;
  const placed = repositionLists({ one, kept, rises }, lists, memory);
  if (placed === null) return null;
  const { minor } = placed;
  return createEntriesColumn(
    placed.pointers,
    createCheckedMinorColumn(minor, kept),
    createColumnFromWords(value, [placed.words], minor.length),
  );
}

/** Selects rows of a coordinate table, in their order. @param at the column of stored minor positions. */
export function selectCoordinateRows(minor: MinorMap, columns: readonly Column[], at: number): readonly Column[] {
  const index = columns[at];
  if (index.layout !== "primitive") throw new TypeError("positions are integers");
  const { places, minor: positions } = kept(minor, index);
  return columns.map((column) =>
    column === index ? createCheckedMinorColumn(positions, minor.kept) : takeColumn(column, places),
  );
}

/** Returns the values at `places`, which are never -1. For numbers without nulls, the check for -1 is skipped. */
function taken(value: Column, places: Int32Array): Column {
  if (value.layout !== "primitive" || value.validity !== null) return takeColumn(value, places);
  if (value.type.id !== "Int" && value.type.id !== "Float") return takeColumn(value, places);
  return { ...value, length: places.length, values: takeElements(value.values, places, 1) };
}

function kept(minor: MinorMap, { values }: PrimitiveColumn): SelectedEntries {
  if (values instanceof Float32Array || values instanceof Float64Array) throw new TypeError("positions are integers");
  return selectMappedEntries(minor, values, MAX_ENTRIES, (count) => {
    throw new UnsupportedError(`${count} entries of one batch, at most ${MAX_ENTRIES}: choose positions less often`);
  });
}
