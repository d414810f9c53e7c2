/** The compressors of Blosc streams. */

import { InvalidDataError } from "../../../model/errors.js";
import type { OutputSize } from "../bounds/byte-codec.js";
import { inflate } from "../deflate/inflate.js";
import { decodeLz4Block, repeatBytes } from "../lz4/lz4.js";
import { decodeSnappy } from "../snappy/snappy.js";
import { decodeZstd } from "../zstd/zstd.js";
import type { FastCompressor } from "./block-decoder.js";

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

/** Distances of at least this value take two more bytes. */
const FAR = 8192;

/**
 * Decodes one BloscLZ stream, which fills `out` exactly. A control byte below 32 (and always the first control byte)
 * starts a run of literals, whose length is the byte's value plus one. Any other control byte has a length in its upper
 * 3 bits (7: more bytes follow, up to the first that is not 255) and a distance in its lower 5 bits and the next byte.
 * A distance of all ones marks a far distance. Source: c-blosc, `blosclz.c`.
 * @throws {InvalidDataError} if the stream is cut off, reaches back too far, or decodes to a different number of bytes.
 */
export function decodeBloscLz(packed: Uint8Array, out: Uint8Array): void {
  const end = packed.length;
  const size = out.length;
  let from = 0;
  let to = 0;
  const next = () => {
    if (from >= end) throw cutOff(end);
    return packed[from++];
  };
  while (from < end) {
    const control = from === 0 ? packed[from++] & 31 : packed[from++];
    if (control < 32) {
      const length = control + 1;
      if (from + length > end) throw cutOff(end);
      if (to + length > size) throw tooMany(size);
      for (const stop = to + length; to < stop; ) out[to++] = packed[from++];
      continue;
    }
    let length = (control >> 5) + 2;
    if (length === 9) {
      let more: number;
      do {
        more = next();
        length += more;
      } while (more === 255);
    }
    let distance = ((control & 31) << 8) + next() + 1;
    if (distance === FAR) distance += (next() << 8) + next();
    if (distance > to) throw new InvalidDataError(`BloscLZ stream reaches back ${distance} bytes from byte ${to}`);
    if (to + length > size) throw tooMany(size);
    to = repeatBytes(out, to, distance, length);
  }
  if (to !== size) throw new InvalidDataError(`BloscLZ stream gives ${to} bytes instead of ${size}`);
}

function cutOff(bytes: number): InvalidDataError {
  return new InvalidDataError(`BloscLZ stream of ${bytes} bytes is cut off`);
}

function tooMany(size: number): InvalidDataError {
  return new InvalidDataError(`BloscLZ stream gives more than ${size} bytes`);
}
