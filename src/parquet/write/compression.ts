/**
 * Compressions of Parquet pages: all those that users can select, and the subset that this library's own encoder
 * supports.
 */

import type { CompressionCodec } from "../../kernels/codecs/compress.js";

/** Values of Parquet's enum `CompressionCodec`. */
export const CODEC = { none: 0, snappy: 1, gzip: 2, zstd: 6 } as const;
export type Codec = "none" | CompressionCodec;

/** Whether this library's own encoder supports a compression. */
export function isCodec(compression: string): compression is Codec {
  return Object.hasOwn(CODEC, compression);
}

/** Names of compressions for the option `compression`. */
export const PARQUET_COMPRESSIONS = ["zstd", "snappy", "gzip", "lz4", "none"] as const;
export type ParquetCompression = (typeof PARQUET_COMPRESSIONS)[number];

export function isParquetCompression(name: string): name is ParquetCompression {
  return PARQUET_COMPRESSIONS.some((known) => known === name);
}
