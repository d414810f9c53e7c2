import type { Bp128Page, Bp128Sums } from "./page.js";

/** Creates pages with `createBp128Pages` from `wasm-pages.ts`, a module that is loaded when it is needed. */
export async function createBp128Pages(count: number): Promise<Bp128Page[]> {
  return (await import("./wasm-pages.js")).createBp128Pages(count);
}

/** Maximum number of sums that fit into the pages' memory. */
const MAX_SUMS = 2 ** 24;
/** Maximum number of sums that are cached for the next job. */
const MAX_SPARE_SUMS = 2 ** 20;

/** The sums that were released last. They are cached because the next job often sums along the same axis. */
const spare: { sums: Bp128Sums | null } = { sums: null };

/** Acquires pages and `count` zeroed sums, in one memory if they fit. The caller releases them with `giveSums`. */
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
  if (count > MAX_SUMS) return createLargeSums(count);
  return (await import("./wasm-pages.js")).createWasmSums(count);
}

/** Creates pages with more sums than fit into the pages' memory. These sums are added in JavaScript. */
export async function createLargeSums(count: number): Promise<Bp128Sums> {
  const [indices, values] = await createBp128Pages(2);
  let sums = new Float64Array(count);
  return {
    indices,
    values,
    count,
    add(from, to) {
      for (let i = from; i < to; i++) sums[indices.values[i]] += values.values[i];
    },
    take() {
      const taken = sums;
      sums = new Float64Array(count);
      return taken;
    },
  };
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
