/**
 * Deflate, zlib and gzip streams. The work is done by a WebAssembly kernel, and where none can run by the platform's
 * DecompressionStream, until an entry that has something else installs it: `node.ts` calls `installNodeInflate()` of
 * `inflate.node.ts` once. That one variable is all.
 */

import { type OutputSize, wrongSize } from "../bounds/output-size.js";
import type { DeflateFormat } from "./deflate-frame.js";
import { inflateWithStream } from "./inflate-stream.js";
import { loadInflateKernel, openInflateKernel } from "./inflate-wasm.js";

export { type OutputSize, wrongSize } from "../bounds/output-size.js";
export type { DeflateFormat } from "./deflate-frame.js";

/** It may leave `target` alone and give bytes of its own. */
export type Inflate = (
  bytes: Uint8Array,
  format: DeflateFormat,
  size: OutputSize,
  target?: Uint8Array,
) => Uint8Array | Promise<Uint8Array>;

let installed: Inflate | undefined;

/** Makes `implementation` what `inflate` calls; it need not check an exact size. */
export function installInflate(implementation: Inflate | undefined): void {
  installed = implementation;
}

/**
 * The decompressed bytes, checksums verified.
 * @param target of `size.bytes` bytes where that is exact: the bytes go there, and it is what is returned.
 * @throws {InvalidDataError} where the stream is truncated, corrupt, or gives fewer or more bytes than `size` says; the
 * target is then as it was.
 */
export async function inflate(
  bytes: Uint8Array,
  format: DeflateFormat,
  size: OutputSize,
  target?: Uint8Array,
): Promise<Uint8Array> {
  const result = await (installed ?? inflateEverywhere)(bytes, format, size, target);
  if (size.exact ? result.length !== size.bytes : result.length > size.bytes) throw wrongSize(result.length, size);
  if (target === undefined || target === result) return result;
  target.set(result);
  return target;
}

/** A memory never shrinks: streams that with their output are larger get one of their own, dropped with them. */
const KEPT_BYTES = 64 * 2 ** 20;

/** Whether the shared kernel should decompress this. */
export function isKept(stored: Uint8Array, size: OutputSize): boolean {
  return stored.length + size.bytes <= KEPT_BYTES;
}

const inflateEverywhere: Inflate = async (bytes, format, size, target) => {
  const kernel = await (isKept(bytes, size) ? loadInflateKernel() : openInflateKernel());
  return kernel?.inflate(bytes, format, size, target) ?? inflateWithStream(bytes, format, size);
};
