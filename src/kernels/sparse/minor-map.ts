/** Selects minor positions of a sparse matrix, in any order and with repetition. */

import type { IntArray } from "../../model/stored.js";

/** Maps stored minor positions to new positions. */
export interface MinorMap {
  readonly stored: number;
  readonly kept: number;
  /**
   * The new position of each stored position, -1 if it is omitted; null if a stored position is selected repeatedly.
   */
  readonly one: Int32Array | null;
  /** 1 for each stored position that `one` selects, 0 if it is omitted. */
  readonly isKept: Uint8Array;
  /**
   * The new positions of stored position i are `places[offsets[i]]` up to, but not including, `places[offsets[i + 1]]`.
   */
  readonly offsets: Int32Array;
  readonly places: Int32Array;
  /** Whether entries in stored order are also in the order of their new positions. */
  readonly rises: boolean;
}

/** Returns the map that selects `positions`, each within [0, stored). */
export function createMinorMap(positions: ArrayLike<number>, stored: number): MinorMap {
  const kept = positions.length;
  const offsets = new Int32Array(stored + 1);
  let rises = true;
  for (let i = 0; i < kept; i++) {
    offsets[positions[i] + 1]++;
    if (i > 0 && positions[i] <= positions[i - 1]) rises = false;
  }
  let isOne = true;
  for (let i = 0; i < stored; i++) {
    if (offsets[i + 1] > 1) isOne = false;
    offsets[i + 1] += offsets[i];
  }
  const next = offsets.slice(0, stored);
  const places = new Int32Array(kept);
  for (let i = 0; i < kept; i++) places[next[positions[i]]++] = i;
  if (!isOne) return { stored, kept, one: null, isKept: new Uint8Array(0), offsets, places, rises };
  const one = new Int32Array(stored).fill(-1);
  for (let i = 0; i < kept; i++) one[positions[i]] = i;
  return { stored, kept, one, isKept: membersOf(one), offsets, places, rises };
}

/**
 * Returns the map from each stored position to its new position in `one`, which is -1 if the position is omitted.
 * @param one new positions, each at most once.
 * @param kept number of new positions, some of which may have no stored position.
 */
export function createPositionMap(one: Int32Array, kept: number): MinorMap {
  const stored = one.length;
  const offsets = new Int32Array(stored + 1);
  const places = new Int32Array(stored);
  let [count, last, rises] = [0, -1, true];
  for (let i = 0; i < stored; i++) {
    const position = one[i];
    if (position >= 0) {
      places[count++] = position;
      if (position < last) rises = false;
      last = position;
    }
    offsets[i + 1] = count;
  }
  return { stored, kept, one, isKept: membersOf(one), offsets, places: places.subarray(0, count), rises };
}

function membersOf(one: Int32Array): Uint8Array {
  const isKept = new Uint8Array(one.length);
  for (let i = 0; i < one.length; i++) isKept[i] = one[i] >= 0 ? 1 : 0;
  return isKept;
}

/** Returns the stored position of each new position. */
export function computeStoredPositions({ stored, kept, offsets, places }: MinorMap): Int32Array {
  const positions = new Int32Array(kept);
  for (let position = 0; position < stored; position++) {
    for (let at = offsets[position]; at < offsets[position + 1]; at++) positions[places[at]] = position;
  }
  return positions;
}

/** Restricts the map to the `wanted` new positions, which keep their numbers. */
export function withOnly(map: MinorMap, wanted: readonly number[]): MinorMap {
  const isWanted = new Uint8Array(map.kept);
  for (const position of wanted) isWanted[position] = 1;
  const offsets = new Int32Array(map.stored + 1);
  const places = new Int32Array(map.places.length);
  let count = 0;
  for (let position = 0; position < map.stored; position++) {
    for (let at = map.offsets[position]; at < map.offsets[position + 1]; at++) {
      if (isWanted[map.places[at]] === 1) places[count++] = map.places[at];
    }
    offsets[position + 1] = count;
  }
  const one = map.one === null ? null : map.one.map((place) => (place >= 0 && isWanted[place] === 1 ? place : -1));
  const isKept = one === null ? map.isKept : membersOf(one);
  return { ...map, one, isKept, offsets, places: places.slice(0, count) };
}

export interface SelectedEntries {
  /** Index of each selected entry among the given entries. */
  readonly places: Int32Array;
  /** New minor position of each selected entry. */
  readonly minor: Int32Array;
}

/**
 * Selects, among entries with the given stored minor positions, the entries that `map` keeps, in their order. The
 * positions must be in [0, stored).
 * @param refuse called with the number of selected entries if it is above `most`.
 */
export function selectMappedEntries(
  map: MinorMap,
  indices: IntArray,
  most: number = Number.POSITIVE_INFINITY,
  refuse: (count: number) => void = () => undefined,
): SelectedEntries {
  const { one } = map;
  // Loops over a single type of array are fast. Positions along an axis that has a map fit into Int32.
  const numbers = indices instanceof Int32Array ? indices : Int32Array.from(indices, Number);
  if (one !== null) {
    const places = keptPlaces(map, numbers);
    const minor = new Int32Array(places.length);
    for (let i = 0; i < places.length; i++) minor[i] = one[numbers[places[i]]];
    return { places, minor };
  }
  const count = countKept(map, numbers);
  if (count > most) refuse(count);
  const places = new Int32Array(count);
  const minor = new Int32Array(count);
  keepAll(map, numbers, places, minor);
  return { places, minor };
}

/** Number of entries between checks of the memory for the indices. */
const STEP = 2 ** 13;

/**
 * Returns the indices of the selected entries. Memory grows on demand, because usually only a few entries are selected.
 */
function keptPlaces({ isKept, places: all, stored }: MinorMap, indices: Int32Array): Int32Array {
  const share = all.length / Math.max(1, stored);
  let places = new Int32Array(Math.min(indices.length, Math.ceil(1.2 * share * indices.length)) + STEP);
  let found = 0;
  for (let first = 0; first < indices.length; first += STEP) {
    const end = Math.min(indices.length, first + STEP);
    if (found + STEP > places.length) {
      const more = new Int32Array(Math.min(2 * places.length, indices.length + STEP));
      more.set(places.subarray(0, found));
      places = more;
    }
    // Branch-free: an omitted entry is overwritten by the next entry.
    for (let i = first; i < end; i++) {
      places[found] = i;
      found += isKept[indices[i]];
    }
  }
  return places.subarray(0, found);
}

function countKept({ offsets }: MinorMap, indices: Int32Array): number {
  let count = 0;
  for (let i = 0; i < indices.length; i++) count += offsets[indices[i] + 1] - offsets[indices[i]];
  return count;
}

function keepAll(map: MinorMap, indices: Int32Array, places: Int32Array, minor: Int32Array): void {
  let found = 0;
  for (let i = 0; i < indices.length; i++) {
    const end = map.offsets[indices[i] + 1];
    for (let at = map.offsets[indices[i]]; at < end; at++) {
      places[found] = i;
      minor[found++] = map.places[at];
    }
  }
}

/**
 * Returns the offsets of each list's selected entries.
 * @param pointers the start of the first list, followed by the end of each list, among all entries.
 */
export function computeSelectedOffsets({ places }: SelectedEntries, pointers: ArrayLike<number>): Float64Array {
  const offsets = new Float64Array(pointers.length);
  for (let i = 1, at = 0; i < pointers.length; i++) {
    const end = pointers[i] - pointers[0];
    while (at < places.length && places[at] < end) at++;
    offsets[i] = at;
  }
  return offsets;
}
