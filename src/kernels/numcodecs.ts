/**
 * The adapter of the `numcodecs` package (WebAssembly of zstd). It allocates what a frame's header declares, so callers
 * check that first.
 */

import { InvalidDataError } from "../errors.js";

interface Decoder {
  decode(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

let zstd: Promise<Decoder> | undefined;

/** @throws {InvalidDataError} where the library refuses the bytes. */
export async function decodeZstdWithNumcodecs(bytes: Uint8Array): Promise<Uint8Array> {
  zstd ??= import("numcodecs/zstd").then(({ default: Zstd }) => Zstd.fromConfig({ id: "zstd" }));
  const decoder = await zstd;
  try {
    return await decoder.decode(bytes);
  } catch (cause) {
    // WebAssembly code throws numbers and texts too.
    throw new InvalidDataError(`corrupt zstd data: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
