import { InvalidDataError } from "../../model/errors.js";
import { getByteKernels } from "../values/bytes-wasm.js";
import { checkSize, createCodecFactory, limitOutputSize } from "./bounds/byte-codec.js";

/** HDF5's filter 32000. An LZF stream does not declare its decoded size. */
export const lzf = createCodecFactory((bytes, size, target) => {
  const { bytes: most, exact } = limitOutputSize(bytes, size);
  // After scale-offset, or after another compressor, only the maximum size is known.
  const expected = exact ? most : sizeOf(bytes);
  checkSize(expected, size);
  if (target?.length !== expected) return decodeLzf(bytes, expected);
  decodeLzfInto(bytes, target);
  return target;
});

/** Sums the lengths of a stream's literals and matches. Truncated streams are rejected during decoding. */
function sizeOf(packed: Uint8Array): number {
  let size = 0;
  for (let from = 0; from < packed.length; ) {
    const control = packed[from];
    if (control < 32) {
      size += control + 1;
      from += control + 2;
    } else if (control < 224) {
      size += (control >> 5) + 2;
      from += 2;
    } else {
      size += 9 + (packed[from + 1] ?? 0);
      from += 3;
    }
  }
  return size;
}

/**
 * Decodes LZF, h5py's `compression="lzf"`.
 * @param size the expected number of decoded bytes.
 * @throws {InvalidDataError} if the stream is cut off, reaches back too far, or decodes to a different number of bytes.
 */
export function decodeLzf(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  decodeLzfInto(packed, out);
  return out;
}

/**
 * Decodes LZF into `out`, which the stream must fill exactly.
 * @throws {InvalidDataError} like `decodeLzf`; `out` may then be partly written.
 */
export function decodeLzfInto(packed: Uint8Array, out: Uint8Array): void {
  // If the kernel refuses a stream, the loop finds the reason.
  if (!getByteKernels(out.length)?.lzf(packed, out)) decodeByLoop(packed, out);
}

/**
 * Decodes LZF, which has no frame and no sizes. A control byte below 32 starts a run of literals, whose length is the
 * byte's value plus one. Any other control byte has a length in its upper 3 bits (7: one more byte follows) and a
 * distance in its lower 5 bits and the next byte. Source: liblzf, `lzf_d.c`.
 */
function decodeByLoop(packed: Uint8Array, out: Uint8Array): void {
  const size = out.length;
  const end = packed.length;
  let from = 0;
  let to = 0;
  while (from < end) {
    const control = packed[from++];
    if (control < 32) {
      const length = control + 1;
      if (from + length > end)
        throw new InvalidDataError(`LZF stream of ${end} bytes is cut off inside ${length} literals`);
      if (to + length > size) throw new InvalidDataError(`LZF stream gives more than ${size} bytes`);
      for (let i = 0; i < length; i++) out[to++] = packed[from++];
      continue;
    }
    let length = (control >> 5) + 2;
    if (length === 9) {
      if (from >= end) throw new InvalidDataError(`LZF stream of ${end} bytes is cut off inside a length`);
      length += packed[from++];
    }
    if (from >= end) throw new InvalidDataError(`LZF stream of ${end} bytes is cut off inside a distance`);
    const distance = ((control & 31) << 8) + packed[from++] + 1;
    if (distance > to) throw new InvalidDataError(`LZF stream reaches back ${distance} bytes from byte ${to}`);
    if (to + length > size) throw new InvalidDataError(`LZF stream gives more than ${size} bytes`);
    // The copy goes byte by byte, because a match may overlap its own output.
    for (let i = 0; i < length; i++, to++) out[to] = out[to - distance];
  }
  if (to !== size) throw new InvalidDataError(`LZF stream gives ${to} bytes instead of ${size}`);
}
