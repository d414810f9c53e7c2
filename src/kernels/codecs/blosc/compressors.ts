/** The compressors of Blosc streams. */

import type { OutputSize } from "../bounds/byte-codec.js";
import { inflate } from "../deflate/inflate.js";
import { decodeLz4Block } from "../lz4/lz4.js";
import { decodeSnappy } from "../snappy/snappy.js";
import { decodeZstd } from "../zstd/zstd.js";
import type { FastCompressor } from "./block-decoder.js";
import { decodeBloscLz } from "./blosclz.js";

/** Decodes `packed`, which must fill `out` exactly. */
export type DecodeStream = (packed: Uint8Array, out: Uint8Array) => void | Promise<void>;

export interface BloscCompressor {
  readonly decode: DecodeStream;
  /** Maximum number of bytes that one compressed byte can decode to. */
  readonly ratio: number;
  /** Name of its WebAssembly kernel; absent if there is none. */
  readonly kernel?: FastCompressor;
}

/** The compressors, indexed by the upper three bits of a frame's flags. LZ4HC writes LZ4. */
export const BLOSC_COMPRESSORS: readonly BloscCompressor[] = [
  { decode: decodeBloscLz, ratio: 256, kernel: "blosclz" },
  { decode: decodeLz4Block, ratio: 256, kernel: "lz4" },
  { decode: decodeSnappy, ratio: 256 },
  { decode: async (packed, out) => out.set(await inflate(packed, "zlib", exactly(out))), ratio: 1032 },
  { decode: async (packed, out) => void (await decodeZstd(packed, exactly(out), out)), ratio: 1 << 16 },
];

function exactly(out: Uint8Array): OutputSize {
  return { bytes: out.length, exact: true };
}
