/**
 * Compression. zstd and gzip come from numcodecs and fflate, which run everywhere, until an entry that has something
 * faster installs it: `node.ts` calls `installNodeCompressors()` of `compress.node.ts` once.
 */

export type Compression = "zstd" | "gzip";
/** Bytes in, one frame or stream out. */
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
    const { gzipSync } = await import("fflate");
    return (bytes) => gzipSync(bytes);
  },
};
