/** Encodes chunks for storage. */

import { computeCrc32, computeFletcher32, crc32c } from "../checksums/checksums.js";
import { deflate, deflatePart } from "./deflate/deflate.js";
import { shuffle } from "./shuffle/shuffle.js";

/** A step in the encoding of a chunk, as serializable data for a worker. */
export type EncodingStep =
  /** Groups byte i of all elements together, for each i. */
  | { readonly kind: "shuffle"; readonly elementBytes: number }
  | { readonly kind: "deflate"; readonly level: number; readonly form: "zlib" | "gzip" }
  /**
   * Part of a gzip member, without header and end, that ends at a byte boundary, and the 4-byte CRC-32 of its content.
   */
  | { readonly kind: "gzip-part"; readonly level: number }
  | { readonly kind: "zstd"; readonly level: number; readonly checksum: boolean }
  | {
      readonly kind: "blosc";
      readonly cname: "lz4" | "zstd";
      readonly clevel: number;
      readonly shuffle: "none" | "byte";
      readonly elementBytes: number;
    }
  /** Appends HDF5's checksum, 4 bytes. */
  | { readonly kind: "fletcher32" }
  /** Appends Zarr's checksum, 4 bytes. */
  | { readonly kind: "crc32c" };

/** The steps in execution order. */
export type ChunkEncoding = readonly EncodingStep[];

/** Bytes in separate memory, or the chunk's bytes if no step changed them. */
type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Runs the encoding steps one after another.
 * @param chunk is not modified. If there are no steps, the chunk itself is returned.
 * @throws {UnsupportedError} if there is not enough memory, or there is no compressor for a step.
 */
export async function encodeChunk(chunk: Bytes, encoding: ChunkEncoding): Promise<Bytes> {
  let bytes = chunk;
  for (const [i, step] of encoding.entries()) bytes = await encodeStep(bytes, step, encoding[i - 1]);
  return bytes;
}

function encodeStep(bytes: Bytes, step: EncodingStep, before: EncodingStep | undefined): Bytes | Promise<Bytes> {
  switch (step.kind) {
    case "shuffle":
      return shuffle(bytes, step.elementBytes);
    case "deflate":
      return deflate(bytes, step.form, before?.kind === "shuffle" ? levelOfPlanes(step.level) : step.level);
    case "gzip-part":
      return withWord(deflatePart(bytes, step.level), computeCrc32(bytes));
    case "zstd":
      return encodeZstd(bytes, step.level, step.checksum);
    case "blosc":
      return encodeBlosc(bytes, step);
    case "fletcher32":
      return withWord(bytes, computeFletcher32(bytes));
    case "crc32c":
      return withWord(bytes, crc32c(bytes));
    default:
      return step satisfies never;
  }
}

/**
 * Lowers the level for byte planes. Repeats in byte planes are found at once or not at all: up to the usual levels, a
 * longer search finds almost nothing more.
 */
function levelOfPlanes(level: number): number {
  return level < 5 ? Math.min(level, 1) : level;
}

async function encodeZstd(bytes: Bytes, level: number, checksum: boolean): Promise<Bytes> {
  const { pickZstdKernel } = await import("./zstd/zstd-wasm.js");
  return (await pickZstdKernel(2 * bytes.length)).compress(bytes, level, checksum);
}

async function encodeBlosc(bytes: Bytes, step: Extract<EncodingStep, { kind: "blosc" }>): Promise<Bytes> {
  const { encodeBlosc: encode } = await import("./blosc/encoder.js");
  return encode(bytes, step);
}

function withWord(bytes: Bytes, word: number): Bytes {
  const result = new Uint8Array(bytes.length + 4);
  result.set(bytes);
  new DataView(result.buffer, bytes.length).setUint32(0, word, true);
  return result;
}
