/**
 * Computes zstd's checksum with the WebAssembly kernel in assembly/xxh64.ts. There is no JavaScript version, because
 * zstd itself needs WebAssembly.
 */

import { ensureMemory, instantiateSmallKernel } from "../wasm/instantiate.js";
import { WASM } from "../wasm/xxh64.wasm.js";

/** Number of bytes that are copied into the kernel at a time, a multiple of the stripe length. */
const PART = 2 ** 16;
const STRIPE = 32;

/** Returns the lower half of XXH64 with seed 0. Calls are synchronous, so all callers can share one kernel. */
export type Xxh64 = (bytes: Uint8Array) => number;

/** @throws {MissingDependencyError} if WebAssembly SIMD is unavailable. */
export function openXxh64(): Xxh64 {
  const { memory, functions } = instantiateSmallKernel(WASM, ["start", "reset", "update", "digest"]);
  const start = functions.start();
  ensureMemory(memory, start + PART);
  const room = new Uint8Array(memory.buffer, start, PART);
  return (bytes) => {
    functions.reset();
    let size = 0;
    for (let at = 0; at < bytes.length; at += PART) {
      const part = bytes.subarray(at, at + PART);
      room.set(part);
      size = part.length;
      functions.update(start, size);
    }
    return functions.digest(start + size - (size % STRIPE), size % STRIPE) >>> 0;
  };
}
