import type { Bp128Page, Bp128Sums } from "./page.js";
import { PlainPage, PlainSums } from "./plain-page.js";

/**
 * Creates new pages, one for each array that is read or written at the same time. A page takes 6 MiB, or less if little
 * of it is used. The pages share one WebAssembly memory. Without WebAssembly, JavaScript loops give equal results.
 */
export async function bp128Pages(count: number): Promise<Bp128Page[]> {
  const { wasmPages } = await import("./wasm-pages.js");
  return (await wasmPages(count)) ?? Array.from({ length: count }, () => new PlainPage());
}

/** Maximum number of sums that fit into the pages' memory. */
const MOST_SUMS = 2 ** 24;
/** Maximum number of sums that are cached for the next job. */
const MOST_SPARE_SUMS = 2 ** 20;

/** The sums that were released last. They are cached because the next job often sums along the same axis. */
const spare: { sums: Bp128Sums | null } = { sums: null };

/** Acquires pages and `count` zeroed sums, in one memory if possible. The caller releases them with `giveSums`. */
export async function takeSums(count: number): Promise<Bp128Sums> {
  const { sums } = spare;
  if (sums?.count !== count) return bp128Sums(count);
  spare.sums = null;
  return sums;
}

/** Releases pages and sums. All sums must be 0. */
export function giveSums(sums: Bp128Sums): void {
  spare.sums = sums.count > MOST_SPARE_SUMS ? null : sums;
}

async function bp128Sums(count: number): Promise<Bp128Sums> {
  const { wasmSums } = await import("./wasm-pages.js");
  const inWasm = count > MOST_SUMS ? null : await wasmSums(count);
  return inWasm ?? new PlainSums(count);
}

const free: Bp128Page[] = [];
const MOST_FREE = 8;

/** Acquires a page with arbitrary contents. The caller releases it with `givePage`. */
export async function takePage(): Promise<Bp128Page> {
  return free.pop() ?? (await bp128Pages(1))[0];
}

export function givePage(page: Bp128Page): void {
  if (free.length < MOST_FREE) free.push(page);
}
