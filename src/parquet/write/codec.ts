/** The compressions of pages that our own encoder knows. */

import type { CompressionCodec } from "../../kernels/codecs/compress.js";

/** Values of Parquet's enum `CompressionCodec`. */
export const CODEC = { none: 0, snappy: 1, gzip: 2, zstd: 6 } as const;
export type Codec = "none" | CompressionCodec;

/** Whether our own encoder knows the compression. */
export function isCodec(compression: string): compression is Codec {
  return Object.hasOwn(CODEC, compression);
}
