import type { Bp128Page } from "./page.js";
import { PlainPage } from "./plain-page.js";

/**
 * New pages, half a MiB each, one for every array that is read or written side by side: in WebAssembly where there is
 * any, in one memory; else as plain loops with the same results.
 */
export async function bp128Pages(count: number): Promise<Bp128Page[]> {
  const { wasmPages } = await import("./wasm-pages.js");
  return (await wasmPages(count)) ?? Array.from({ length: count }, () => new PlainPage());
}
