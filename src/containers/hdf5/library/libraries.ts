/**
 * Which library opens a file: h5wasm's universal build has its files in memory. `h5wasm.node.ts` sets another one for
 * files with a path, once, when the Node entry is imported.
 */

import type { Hdf5Library } from "./library.js";

type Load = () => Promise<Hdf5Library>;

let loadForFiles: Load | undefined;
let forFiles: Promise<Hdf5Library> | undefined;

/** Sets what opens files in place by their path. Loaded at the first use. */
export function setFileLibrary(load: Load): void {
  loadForFiles = load;
  forFiles = undefined;
}

/** The library that opens files by path, or undefined where there is none (in a browser). */
export function fileLibrary(): Promise<Hdf5Library> | undefined {
  forFiles ??= loadForFiles?.();
  return forFiles;
}

/** The library that opens files in memory. */
export async function memoryLibrary(): Promise<Hdf5Library> {
  const { loadH5wasm } = await import("./h5wasm.js");
  return await loadH5wasm();
}
