/** The hot loops of the Parquet encoder for this machine: in WebAssembly where there is any, else as plain loops. */

import type { ParquetKernels } from "./parquet-kernels.js";
import { plainKernels } from "./plain-kernels.js";

/** New kernels for one encoder. The plain ones give the same bytes, and take three times as long. */
export async function loadParquetKernels(): Promise<ParquetKernels> {
  const { wasmKernels } = await import("./wasm-kernels.js");
  return (await wasmKernels()) ?? plainKernels();
}
