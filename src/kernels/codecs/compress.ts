/**
 * Compression by the platform or a kernel. Snappy uses a kernel, and so does zstd if the platform has no zstd; gzip
 * uses the platform.
 */

import { platform } from "#platform";
import { pickZstdKernel, ZSTD_LEVEL } from "./zstd/zstd-wasm.js";

export type CompressionCodec = "zstd" | "gzip" | "snappy";
/** Compresses bytes to one frame or stream. Snappy produces a raw block, as Parquet requires. */
export type Compressor = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

export async function loadCompressor(compression: CompressionCodec): Promise<Compressor> {
  return COMPRESSORS[compression]();
}

const COMPRESSORS: Readonly<Record<CompressionCodec, () => Promise<Compressor>>> = {
  async zstd() {
    const { zstd } = platform;
    if (zstd !== null) return (bytes) => zstd.compress(bytes, ZSTD_LEVEL);
    // Without WebAssembly this throws before anything is written.
    await pickZstdKernel(0);
    return async (bytes) => (await pickZstdKernel(2 * bytes.length)).compress(bytes);
  },
  async gzip() {
    return platform.gzip;
  },
  async snappy() {
    return (await import("./snappy/encoder.js")).encodeSnappy;
  },
};
