/** Compression. Snappy is a kernel, zstd too where the platform has none; gzip comes from the platform. */

import { platform } from "#platform";
import { ZSTD_LEVEL, zstdKernelFor } from "./zstd/zstd-wasm.js";

export type CompressionCodec = "zstd" | "gzip" | "snappy";
/** Bytes in, one frame or stream out; of snappy a raw block, as Parquet has it. */
export type Compressor = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** What compresses by the method of that name. */
export async function compressor(compression: CompressionCodec): Promise<Compressor> {
  return COMPRESSORS[compression]();
}

const COMPRESSORS: Readonly<Record<CompressionCodec, () => Promise<Compressor>>> = {
  async zstd() {
    const { zstd } = platform;
    if (zstd !== null) return (bytes) => zstd.compress(bytes, ZSTD_LEVEL);
    // Where there is none, this is said before anything is written.
    await zstdKernelFor(0);
    return async (bytes) => (await zstdKernelFor(2 * bytes.length)).compress(bytes);
  },
  async gzip() {
    return platform.gzip;
  },
  async snappy() {
    return (await import("./snappy/encoder.js")).encodeSnappy;
  },
};
