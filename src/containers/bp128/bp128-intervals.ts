/**
 * Starts and ends of intervals, stored packed, with the ends stored as lengths. Both arrays are unpacked side by side,
 * page by page.
 */

import type { ReadOptions } from "../../io/sources/source.js";
import { type Bp128Page, CHUNK, PAGE_VALUES } from "../../kernels/bp128/page.js";
import { createBp128Pages } from "../../kernels/bp128/pages.js";
import type { Bp128Array } from "./bp128-array.js";

/** Two pages in one block of memory, which can be added in place. */
type Pair = readonly [starts: Bp128Page, lengths: Bp128Page];

/** Pairs available for reuse. Concurrent reads of several intervals create additional pairs. */
const free: Pair[] = [];
const MAX_FREE = 2;

/**
 * Unpacks the starts [from, to) to `starts`, and each start plus its length, modulo 2^32, to `ends`.
 * @returns true only if no start is less than the previous one. It may be false even so, because an exact check would
 * take time.
 * @throws {InvalidDataError} if the arrays violate their format.
 */
export async function readIntervals(
  start: Bp128Array,
  length: Bp128Array,
  [from, to]: readonly [from: number, to: number],
  { starts, ends }: { readonly starts: Uint32Array; readonly ends: Uint32Array },
  options: ReadOptions = {},
): Promise<boolean> {
  const pair = free.pop() ?? (await newPair());
  const [startPage, lengthPage] = pair;
  const unpackers = [start.unpacker(startPage), length.unpacker(lengthPage)];
  let rises = true;
  try {
    for (let at = from; at < to; ) {
      const base = at - (at % CHUNK);
      const stop = Math.min(to, base + PAGE_VALUES);
      for (const unpacker of unpackers) {
        if (!unpacker.loadNow(at, stop)) await unpacker.load(at, stop, options);
      }
      lengthPage.add(startPage, stop - base);
      starts.set(startPage.values.subarray(at - base, stop - base), at - from);
      ends.set(lengthPage.values.subarray(at - base, stop - base), at - from);
      if (startPage.falls(stop - base) || (at > from && starts[at - from] < starts[at - from - 1])) rises = false;
      at = stop;
    }
  } finally {
    for (const unpacker of unpackers) await unpacker.end();
    if (free.length < MAX_FREE) free.push(pair);
  }
  return rises;
}

async function newPair(): Promise<Pair> {
  const [starts, lengths] = await createBp128Pages(2);
  return [starts, lengths];
}
