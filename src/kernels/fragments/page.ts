/**
 * A page of up to `PAGE_ROWS` fragments. A fast pass over the page detects whether anything is unusual; slower loops
 * then find the row in question. The page also computes the values stored with fragments.
 */

import { WASM } from "../wasm/fragments.wasm.js";
import { instantiateKernel } from "../wasm/instantiate.js";
import type { FragmentPositions, FragmentRows } from "./rows.js";

export const PAGE_ROWS = 2 ** 16;

export interface FragmentCheck {
  /** Whether a row's chromosome differs from the previous row's chromosome. */
  readonly changes: boolean;
  /** Whether a start is below the previous start on the same chromosome. */
  readonly descends: boolean;
  /** Whether an end is below its start; false for rows without ends. */
  readonly isBackwards: boolean;
}

/** The rows for a quick check: whole rows, or only chromosomes and starts. */
export type CheckedFragments = FragmentRows | (FragmentPositions & { readonly end?: undefined });

export interface FragmentPage {
  /** Loads `rows` into the page and checks them. `chr` and `start` are those of the previous row. */
  look(rows: CheckedFragments, chr: number, start: number): FragmentCheck;
  /** Returns ends minus starts of the page's rows, modulo 2^32, valid until the next call. The rows must have ends. */
  lengths(): Uint32Array;
  /** Returns the maximum end of the page's rows [from, to), or 0 for an empty range. */
  greatest(from: number, to: number): number;
}

const FUNCTIONS = ["chromosomes", "starts", "ends", "lengths", "look", "measure", "greatest"] as const;

/** Makes a page. */
export async function createFragmentPage(): Promise<FragmentPage> {
  const { memory, functions } = await instantiateKernel(WASM, FUNCTIONS);
  const [chrs, starts, ends, lengths] = [
    functions.chromosomes(),
    functions.starts(),
    functions.ends(),
    functions.lengths(),
  ].map((at) => new Uint32Array(memory.buffer, at, PAGE_ROWS + 1));
  let count = 0;
  return {
    look(rows, chr, start) {
      count = rows.length;
      chrs[0] = chr;
      chrs.set(rows.chr, 1);
      starts[0] = start;
      starts.set(rows.start, 1);
      if (rows.end !== undefined) ends.set(rows.end, 1);
      const found = functions.look(count);
      const isBackwards = rows.end !== undefined && (found & 4) > 0;
      return { changes: (found & 1) > 0, descends: (found & 2) > 0, isBackwards };
    },
    lengths() {
      functions.measure(count);
      return lengths.subarray(0, count);
    },
    // WebAssembly returns a signed number.
    greatest: (from, to) => functions.greatest(from, to) >>> 0,
  };
}
