/**
 * Compression. Snappy is our own, zstd comes from numcodecs, gzip from the platform's streams, until an entry that has
 * something faster installs it: `node.ts` calls `installNodeCompressors()` of `compress.node.ts` once.
 */

export type Compression = "zstd" | "gzip" | "snappy";
/** Bytes in, one frame or stream out; of snappy a raw block, as Parquet has it. */
export type Compressor = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;
export type Compressors = Partial<Readonly<Record<Compression, Compressor>>>;

/** Level 3 takes 1.7 times the time of level 1, for one hundredth of the bytes of an encoded page. */
export const ZSTD_LEVEL = 1;

let installed: Compressors = {};

/** Makes these what `compressor` gives; what is left out stays with the default. */
export function installCompressors(compressors: Compressors): void {
  installed = compressors;
}

/** What compresses by the method of that name. */
export async function compressor(compression: Compression): Promise<Compressor> {
  return installed[compression] ?? DEFAULTS[compression]();
}

const DEFAULTS: Readonly<Record<Compression, () => Promise<Compressor>>> = {
  async zstd() {
    const { default: Zstd } = await import("numcodecs/zstd");
    const codec = Zstd.fromConfig({ id: "zstd", level: ZSTD_LEVEL });
    return (bytes) => codec.encode(bytes);
  },
  async gzip() {
    return async (bytes) => {
      const gzip = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream("gzip"));
      return new Uint8Array(await new Response(gzip).arrayBuffer());
    };
  },
  async snappy() {
    return (await import("./snappy-encoder.js")).encodeSnappy;
  },
};
