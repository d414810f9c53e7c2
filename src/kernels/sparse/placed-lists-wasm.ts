/** Moves the entries of lists to new positions in WebAssembly. */

import { once } from "../values/once.js";
import { instantiateSmallKernel } from "../wasm/instantiate.js";
import { WASM } from "../wasm/placed-lists.wasm.js";
import type { Repositioning, RepositionLists, WordLists } from "./word-lists.js";

/** Number of entries that the module processes at a time, and its maximum number of positions. */
const [PART, POSITIONS] = [2 ** 16, 2 ** 17];

/** Minimum number of entries per stored position. The new positions are copied for every call. */
const ENTRIES_PER_POSITION = 1 / 4;

/** Returns the kernel for these lists; null if they do not fit into it, or it would not be faster. */
export function createWasmRepositionLists(
  { one, kept }: Repositioning,
  { pointers, minor }: WordLists,
): RepositionLists | null {
  if (Math.max(one.length, kept) > POSITIONS || minor.length < one.length * ENTRIES_PER_POSITION) return null;
  for (let list = 1; list < pointers.length; list++) if (pointers[list] - pointers[list - 1] > PART) return null;
  return started();
}

const FUNCTIONS = ["places", "minor", "values", "newMinor", "newValues", "keep4", "keep8", "sort4", "sort8"] as const;

const started = once(start);

function start(): RepositionLists {
  const { memory, functions } = instantiateSmallKernel(WASM, FUNCTIONS);
  const integers = (start: number, length: number) => new Int32Array(memory.buffer, start, length);
  const places = integers(functions.places(), POSITIONS);
  const [minor, newMinor] = [integers(functions.minor(), PART), integers(functions.newMinor(), PART)];
  const [values, newValues] = [integers(functions.values(), 2 * PART), integers(functions.newValues(), 2 * PART)];
  return ({ one, kept, rises }, lists, out) => {
    const { pointers, wordsPerValue: per } = lists;
    const keep = per === 1 ? functions.keep4 : functions.keep8;
    const sort = per === 1 ? functions.sort4 : functions.sort8;
    places.set(one);
    const ends = new Float64Array(pointers.length);
    const [origin] = pointers;
    let found = 0;
    for (let list = 0; list < pointers.length - 1; ) {
      const start = pointers[list] - origin;
      let last = list + 1;
      while (last + 1 < pointers.length && pointers[last + 1] - origin - start <= PART) last++;
      const end = pointers[last] - origin;
      minor.set(lists.minor.subarray(start, end));
      values.set(lists.words.subarray(per * start, per * end));
      let to = 0;
      for (; list < last; list++) {
        const range = [pointers[list] - origin - start, pointers[list + 1] - origin - start] as const;
        to = rises ? keep(...range, to) : sort(...range, to, kept);
        if (to < 0) return null;
        ends[list + 1] = found + to;
      }
      out.minor.set(newMinor.subarray(0, to), found);
      out.words.set(newValues.subarray(0, per * to), per * found);
      found += to;
    }
    return ends;
  };
}
