/**
 * Compression. Snappy and zstd are kernels, gzip comes from the platform's streams, until an entry that has something
 * else installs it: `node.ts` calls `installNodeCompressors()` of `compress.node.ts` once.
 */

import { zstdKernelFor } from "./zstd/zstd-wasm.js";

export type CompressionCodec = "zstd" | "gzip" | "snappy";
/** Bytes in, one frame or stream out; of snappy a raw block, as Parquet has it. */
export type Compressor = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;
export type Compressors = Partial<Readonly<Record<CompressionCodec, Compressor>>>;

let installed: Compressors = {};

/** Makes these what `compressor` gives; what is left out stays with the default. */
export function installCompressors(compressors: Compressors): void {
  installed = compressors;
}

/** What compresses by the method of that name. */
export async function compressor(compression: CompressionCodec): Promise<Compressor> {
  return installed[compression] ?? DEFAULTS[compression]();
}

const DEFAULTS: Readonly<Record<CompressionCodec, () => Promise<Compressor>>> = {
  async zstd() {
    // Where there is none, this is said before anything is written.
    await zstdKernelFor(0);
    return async (bytes) => (await zstdKernelFor(2 * bytes.length)).compress(bytes);
  },
  async gzip() {
    return async (bytes) => {
      const gzip = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream("gzip"));
      return new Uint8Array(await new Response(gzip).arrayBuffer());
    };
  },
  async snappy() {
    return (await import("./snappy/encoder.js")).encodeSnappy;
  },
};
