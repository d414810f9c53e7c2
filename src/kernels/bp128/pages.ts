import type { Bp128Page, Bp128Sums } from "./page.js";
import { PlainPage, PlainSums } from "./plain-page.js";

/**
 * Makes new pages, one for each array that is read or written side by side. A page takes 6 MiB, less where little of it
 * is used. The pages share one WebAssembly memory; without WebAssembly they are plain loops with equal results.
 */
export async function bp128Pages(count: number): Promise<Bp128Page[]> {
  const { wasmPages } = await import("./wasm-pages.js");
  return (await wasmPages(count)) ?? Array.from({ length: count }, () => new PlainPage());
}

/** The most sums that fit into the pages' memory. */
const MOST_SUMS = 2 ** 24;
/** The most sums that are kept for the next job. */
const MOST_SPARE_SUMS = 2 ** 20;

/** The sums that were given back last, because the next job often sums along this axis again. */
const spare: { sums: Bp128Sums | null } = { sums: null };

/** Takes pages and `count` sums, all 0, in one memory where possible. The caller gives them back with `giveSums`. */
export async function takeSums(count: number): Promise<Bp128Sums> {
  const { sums } = spare;
  if (sums?.count !== count) return bp128Sums(count);
  spare.sums = null;
  return sums;
}

/** Gives back pages and sums. All sums must be 0. */
export function giveSums(sums: Bp128Sums): void {
  spare.sums = sums.count > MOST_SPARE_SUMS ? null : sums;
}

async function bp128Sums(count: number): Promise<Bp128Sums> {
  const { wasmSums } = await import("./wasm-pages.js");
  const inWasm = count > MOST_SUMS ? null : await wasmSums(count);
  return inWasm ?? new PlainSums(count);
}

/** Pages out of use. */
const free: Bp128Page[] = [];
const MOST_FREE = 8;

/** Takes a page with arbitrary contents. The caller gives it back with `givePage`. */
export async function takePage(): Promise<Bp128Page> {
  return free.pop() ?? (await bp128Pages(1))[0];
}

/** Gives back a page. */
export function givePage(page: Bp128Page): void {
  if (free.length < MOST_FREE) free.push(page);
}
