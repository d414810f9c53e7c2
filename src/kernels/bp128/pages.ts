import type { Bp128Page, Bp128Sums } from "./page.js";
import { PlainPage, PlainSums } from "./plain-page.js";

/**
 * New pages, 6 MiB each, less where little is used, one for every array that is read or written side by side: in
 * WebAssembly where there is any, in one memory; else as plain loops with the same results.
 */
export async function bp128Pages(count: number): Promise<Bp128Page[]> {
  const { wasmPages } = await import("./wasm-pages.js");
  return (await wasmPages(count)) ?? Array.from({ length: count }, () => new PlainPage());
}

/** More sums do not lie in the pages' memory. */
const MOST_SUMS = 2 ** 24;
/** More are not kept. */
const MOST_SPARE_SUMS = 2 ** 20;

/** Those that were given back last: the next job sums along the same axis. */
const spare: { sums: Bp128Sums | null } = { sums: null };

/** Pages and `count` sums, all 0, in one memory where that can be; for those who give them back. */
export async function takeSums(count: number): Promise<Bp128Sums> {
  const { sums } = spare;
  if (sums?.count !== count) return bp128Sums(count);
  spare.sums = null;
  return sums;
}

/** Ends the use of pages and sums, all of which are 0. */
export function giveSums(sums: Bp128Sums): void {
  spare.sums = sums.count > MOST_SPARE_SUMS ? null : sums;
}

async function bp128Sums(count: number): Promise<Bp128Sums> {
  const { wasmSums } = await import("./wasm-pages.js");
  const inWasm = count > MOST_SUMS ? null : await wasmSums(count);
  return inWasm ?? new PlainSums(count);
}

/** Pages that nobody uses. */
const free: Bp128Page[] = [];
const MOST_FREE = 8;

/** A page for those who give it back; what it holds means nothing. */
export async function takePage(): Promise<Bp128Page> {
  return free.pop() ?? (await bp128Pages(1))[0];
}

/** Ends the use of a page. */
export function givePage(page: Bp128Page): void {
  if (free.length < MOST_FREE) free.push(page);
}
