/**
 * The first cell of `#subsystem#/MCOS`: which classes and objects there are, and where their properties stand. Version
 * numbers 2 to 4 are those of MATLAB's releases since 2006.
 */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";

/** One property of an object: a name, and what `value` means (see `ObjectStore`). */
export interface PropertyEntry {
  readonly name: string;
  readonly kind: number;
  readonly value: number;
}

export interface ObjectEntry {
  readonly classId: number;
  /** Blocks of properties: of what `saveobj` returned, or of the object itself; 0 is none. */
  readonly saved: number;
  readonly normal: number;
  /** Where the list of the objects is that are its dynamic properties. */
  readonly dependency: number;
}

export interface StoreMetadata {
  readonly version: number;
  readonly names: readonly string[];
  /** Class names by id; the first stands for none. */
  readonly classes: readonly string[];
  /** By id; the first stands for none. */
  readonly objects: readonly ObjectEntry[];
  readonly saved: readonly (readonly PropertyEntry[])[];
  readonly normal: readonly (readonly PropertyEntry[])[];
  /** The ids of objects. */
  readonly dynamic: readonly (readonly number[])[];
  /** What stands where nothing should: words that fill lists up; 0 as a rule. */
  readonly filled: number;
}

/** Most lists have nothing in them. */
const NONE: never[] = [];

const HEADER_BYTES = 40;
const REGIONS = 8;

/** @throws {InvalidDataError} where the regions do not lie in the bytes; {UnsupportedError} for other versions. */
export function parseStoreMetadata(bytes: Uint8Array): StoreMetadata {
  if (bytes.length < HEADER_BYTES) throw new InvalidDataError(`object store of ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = view.getUint32(0, true);
  if (version < 2 || version > 4) throw new UnsupportedError(`object store of version ${version}; 2 to 4 are read`);
  const count = view.getUint32(4, true);
  const ends = regionOffsets(view, bytes.length);
  const names = namesOf(bytes.subarray(HEADER_BYTES, ends[0]), count);
  const region = (k: number) => words(view, ends[k], ends[k + 1]);
  const name = (index: number) => {
    const found = names[index - 1];
    if (found === undefined) throw new InvalidDataError(`object store has ${names.length} names, not ${index}`);
    return found;
  };
  const classes = rowsOf(region(0), 4).map(([namespace, own], i) =>
    i === 0 ? "" : `${namespace === 0 ? "" : `${name(namespace)}.`}${name(own)}`,
  );
  const objects = rowsOf(region(2), 6).map(([classId, , , saved, normal, dependency]) => ({
    ...{ classId, saved, normal, dependency },
  }));
  const properties = (k: number) => blocks(region(k), name);
  const [saved, normal, dynamic] = [properties(1), properties(3), lists(region(4))];
  const filled = saved.filled || normal.filled || dynamic.filled;
  return { version, names, classes, objects, saved: saved.all, normal: normal.all, dynamic: dynamic.all, filled };
}

interface Lists<T> {
  readonly all: readonly (readonly T[])[];
  readonly filled: number;
}

/** Lists of numbers, each padded to 8 bytes. */
function lists(all: Uint32Array): Lists<number> {
  const found: (readonly number[])[] = [];
  let filled = 0;
  for (let at = 0; at < all.length; ) {
    const count = all[at];
    if (at + 1 + count > all.length) {
      throw new InvalidDataError(`object store has a list of ${count} objects in ${all.length - at} words`);
    }
    found.push(count === 0 ? NONE : Array.from(all.subarray(at + 1, at + 1 + count)));
    if (count % 2 === 0) filled ||= all[at + 1 + count] ?? 0;
    at += 2 * Math.floor((2 + count) / 2);
  }
  return { all: found, filled };
}

/** Older writers leave the last offsets 0. */
function regionOffsets(view: DataView, size: number): readonly number[] {
  const offsets = Array.from({ length: REGIONS }, (_, k) => view.getUint32(8 + 4 * k, true));
  while (offsets.length > 0 && offsets[offsets.length - 1] === 0) offsets.pop();
  const last = offsets.at(-1) ?? HEADER_BYTES;
  while (offsets.length < REGIONS) offsets.push(last);
  const inOrder = offsets.every((offset, k) => offset >= (k === 0 ? HEADER_BYTES : offsets[k - 1]));
  if (inOrder && last <= size) return offsets;
  throw new InvalidDataError(`object store of ${size} bytes has regions at ${offsets.join(", ")}`);
}

function namesOf(bytes: Uint8Array, count: number): readonly string[] {
  const decoder = new TextDecoder("utf-8");
  const names: string[] = [];
  let start = 0;
  while (names.length < count && start < bytes.length) {
    const end = bytes.indexOf(0, start);
    if (end < 0) break;
    names.push(decoder.decode(bytes.subarray(start, end)));
    start = end + 1;
  }
  if (names.length < count) throw new InvalidDataError(`object store has ${names.length} names of ${count}`);
  return names;
}

function words(view: DataView, start: number, end: number): Uint32Array {
  const all = new Uint32Array(Math.floor((end - start) / 4));
  for (let i = 0; i < all.length; i++) all[i] = view.getUint32(start + 4 * i, true);
  return all;
}

function rowsOf(all: Uint32Array, width: number): readonly Uint32Array[] {
  return Array.from({ length: Math.floor(all.length / width) }, (_, i) => all.subarray(i * width, (i + 1) * width));
}

/** Lists of three words per property, each padded to 8 bytes; the first list is empty. */
function blocks(all: Uint32Array, name: (index: number) => string): Lists<PropertyEntry> {
  const found: (readonly PropertyEntry[])[] = [];
  let filled = 0;
  for (let at = 0; at < all.length; ) {
    const count = all[at];
    if (at + 1 + 3 * count > all.length) {
      throw new InvalidDataError(`object store has a list of ${count} properties in ${all.length - at} words`);
    }
    const entries: PropertyEntry[] = count === 0 ? NONE : [];
    for (let k = 0, place = at + 1; k < count; k++, place += 3) {
      entries.push({ name: name(all[place]), kind: all[place + 1], value: all[place + 2] });
    }
    found.push(entries);
    if (count % 2 === 0) filled ||= all[at + 1 + 3 * count] ?? 0;
    at += 2 * Math.floor((2 + 3 * count) / 2);
  }
  return { all: found, filled };
}
