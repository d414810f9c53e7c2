import { InvalidDataError } from "../../../model/errors.js";

/** Minimum match length. A match is four bytes longer than the length in its token. */
const MIN_MATCH = 4;
/** Below this length a loop is faster than a copying call. */
const SHORT = 24;

/**
 * Decodes one LZ4 block, which fills `out` exactly. A block is a series of sequences: a token (lengths of the literals
 * and of the match, where 15 means that more length bytes follow), the literals, a distance (u16, little-endian), the
 * match. The last sequence has only literals. Source: lz4_Block_format.md.
 * @throws {InvalidDataError} if the block is cut off, reaches back too far, or decodes to a different number of bytes.
 */
export function decodeLz4Block(packed: Uint8Array, out: Uint8Array): void {
  const to = appendLz4Block(packed, out, 0);
  if (to !== out.length) throw new InvalidDataError(`LZ4 block gives ${to} bytes instead of ${out.length}`);
}

/**
 * Decodes a block, like `decodeLz4Block`, into `out` from `start` on. The block may refer back to earlier blocks.
 * @returns the position after its bytes.
 */
export function appendLz4Block(packed: Uint8Array, out: Uint8Array, start: number): number {
  const end = packed.length;
  const size = out.length;
  let from = 0;
  let to = start;
  while (from < end) {
    const token = packed[from++];
    let length = token >> 4;
    if (length === 15) {
      let more: number;
      do {
        if (from >= end) throw cutOff(end, "a length");
        more = packed[from++];
        length += more;
      } while (more === 255);
    }
    if (from + length > end) throw cutOff(end, `${length} literals`);
    if (to + length > size) throw tooMany(size);
    if (length > SHORT) {
      out.set(packed.subarray(from, from + length), to);
      from += length;
      to += length;
    } else {
      for (const stop = to + length; to < stop; ) out[to++] = packed[from++];
    }
    if (from === end) break;

    if (from + 2 > end) throw cutOff(end, "a distance");
    const distance = packed[from] | (packed[from + 1] << 8);
    from += 2;
    if (distance === 0 || distance > to) {
      throw new InvalidDataError(`LZ4 block reaches back ${distance} bytes from byte ${to}`);
    }
    length = token & 15;
    if (length === 15) {
      let more: number;
      do {
        if (from >= end) throw cutOff(end, "a length");
        more = packed[from++];
        length += more;
      } while (more === 255);
    }
    length += MIN_MATCH;
    if (to + length > size) throw tooMany(size);
    to = repeatBytes(out, to, distance, length);
  }
  return to;
}

/** Copies `length` bytes from `distance` before `to` to `to`. Returns the position after them. */
export function repeatBytes(out: Uint8Array, to: number, distance: number, length: number): number {
  const stop = to + length;
  if (length <= SHORT) {
    for (let from = to - distance; to < stop; ) out[to++] = out[from++];
    return stop;
  }
  if (distance === 1) {
    out.fill(out[to - 1], to, stop);
    return stop;
  }
  // A match may overlap its own output, so the number of copyable bytes doubles with each step.
  const start = to - distance;
  for (let done = distance; to < stop; done *= 2) {
    const count = Math.min(done, stop - to);
    out.copyWithin(to, start, start + count);
    to += count;
  }
  return stop;
}

function cutOff(bytes: number, where: string): InvalidDataError {
  return new InvalidDataError(`LZ4 block of ${bytes} bytes is cut off inside ${where}`);
}

function tooMany(size: number): InvalidDataError {
  return new InvalidDataError(`LZ4 block gives more than ${size} bytes`);
}
