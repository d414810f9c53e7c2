import { FallbackBp128Page, FallbackBp128Sums } from "./fallback-page.js";
import type { Bp128Page, Bp128Sums } from "./page.js";

/**
 * Creates new pages, one for each array that is read or written at the same time. A page takes 6 MiB, or less if little
 * of it is used. The pages share one WebAssembly memory. Without WebAssembly, JavaScript loops give equal results.
 */
export async function createBp128Pages(count: number): Promise<Bp128Page[]> {
  const { createWasmPages } = await import("./wasm-pages.js");
  return (await createWasmPages(count)) ?? Array.from({ length: count }, () => new FallbackBp128Page());
}

/** Maximum number of sums that fit into the pages' memory. */
const MAX_SUMS = 2 ** 24;
/** Maximum number of sums that are cached for the next job. */
const MAX_SPARE_SUMS = 2 ** 20;

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
  spare.sums = sums.count > MAX_SPARE_SUMS ? null : sums;
}

async function bp128Sums(count: number): Promise<Bp128Sums> {
  const { createWasmSums } = await import("./wasm-pages.js");
  const inWasm = count > MAX_SUMS ? null : await createWasmSums(count);
  return inWasm ?? new FallbackBp128Sums(count);
}

const free: Bp128Page[] = [];
const MAX_FREE = 8;

/** Acquires a page with arbitrary contents. The caller releases it with `givePage`. */
export async function takePage(): Promise<Bp128Page> {
  return free.pop() ?? (await createBp128Pages(1))[0];
}

export function givePage(page: Bp128Page): void {
  if (free.length < MAX_FREE) free.push(page);
}
