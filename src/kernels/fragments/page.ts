/**
 * A page of up to `PAGE_ROWS` fragments. A fast pass over it detects whether anything is unusual; slower loops then
 * find the row. The page also computes the values stored with fragments.
 */

import { WASM } from "../wasm/fragments.wasm.js";
import { instantiateKernel } from "../wasm/instantiate.js";
import type { FragmentPositions, FragmentRows } from "./rows.js";

export const PAGE_ROWS = 2 ** 16;

export interface FragmentCheck {
  /** Whether a chromosome differs from the previous row's. */
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

/** Makes a page in WebAssembly, or in JavaScript with equal results. */
export async function createFragmentPage(): Promise<FragmentPage> {
  return (await createWasmFragmentPage()) ?? createFallbackFragmentPage();
}

const FUNCTIONS = ["chromosomes", "starts", "ends", "lengths", "look", "measure", "greatest"] as const;

/** Makes a page. Returns null without WebAssembly SIMD. */
export async function createWasmFragmentPage(): Promise<FragmentPage | null> {
  const kernel = await instantiateKernel(WASM, FUNCTIONS);
  if (kernel === null) return null;
  const { memory, functions } = kernel;
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

const NONE = new Uint32Array(0);

export function createFallbackFragmentPage(): FragmentPage {
  const memory = new Uint32Array(PAGE_ROWS);
  let page: Pick<FragmentRows, "start" | "end"> = { start: NONE, end: NONE };
  return {
    look(rows, chrBefore, startBefore) {
      const { chr, start, end, length } = rows;
      page = { start, end: end ?? NONE };
      let [lastChr, lastStart] = [chrBefore, startBefore];
      let [changes, descends, isBackwards] = [false, false, false];
      for (let i = 0; i < length; i++) {
        if (chr[i] !== lastChr) changes = true;
        else if (start[i] < lastStart) descends = true;
        if (end !== undefined && end[i] < start[i]) isBackwards = true;
        lastChr = chr[i];
        lastStart = start[i];
      }
      return { changes, descends, isBackwards };
    },
    lengths() {
      const { start, end } = page;
      for (let i = 0; i < start.length; i++) memory[i] = end[i] - start[i];
      return memory.subarray(0, start.length);
    },
    greatest(from, to) {
      let greatest = 0;
      for (let i = from; i < to; i++) if (page.end[i] > greatest) greatest = page.end[i];
      return greatest;
    },
  };
}
