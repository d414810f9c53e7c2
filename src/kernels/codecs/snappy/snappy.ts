import { InvalidDataError } from "../../../model/errors.js";
import { repeatBytes } from "../lz4/lz4.js";

/**
 * Decodes one raw Snappy block (no frame), which fills `out` exactly. The block starts with the size as a varint,
 * followed by elements. An element's lowest two bits say whether it is a literal, or a copy with a distance of 11, 16
 * or 32 bits. Source: format_description.txt of Snappy.
 * @throws {InvalidDataError} if the block is cut off, reaches back too far, or decodes to a different number of bytes.
 */
export function decodeSnappy(packed: Uint8Array, out: Uint8Array): void {
  const end = packed.length;
  const size = out.length;
  let { value, at: from } = varint(packed);
  if (value !== size) throw new InvalidDataError(`Snappy block says ${value} bytes, expected ${size}`);
  let to = 0;
  while (from < end) {
    const tag = packed[from++];
    const kind = tag & 3;
    let length = (tag >> 2) + 1;
    if (kind === 0) {
      if (length > 60) {
        const bytes = length - 60;
        length = 1 + unsigned(packed, from, bytes);
        from += bytes;
      }
      if (from + length > end) throw cutOff(end);
      if (to + length > size) throw tooMany(size);
      out.set(packed.subarray(from, from + length), to);
      from += length;
      to += length;
      continue;
    }
    let distance: number;
    if (kind === 1) {
      length = ((tag >> 2) & 7) + 4;
      distance = ((tag >> 5) << 8) | unsigned(packed, from, 1);
      from += 1;
    } else {
      const bytes = kind === 2 ? 2 : 4;
      distance = unsigned(packed, from, bytes);
      from += bytes;
    }
    if (distance === 0 || distance > to) {
      throw new InvalidDataError(`Snappy block reaches back ${distance} bytes from byte ${to}`);
    }
    if (to + length > size) throw tooMany(size);
    to = repeatBytes(out, to, distance, length);
  }
  if (to !== size) throw new InvalidDataError(`Snappy block gives ${to} bytes instead of ${size}`);
}

function varint(packed: Uint8Array): { value: number; at: number } {
  let value = 0;
  for (let at = 0; at < Math.min(5, packed.length); at++) {
    value += (packed[at] & 127) * 2 ** (7 * at);
    if (packed[at] < 128) return { value, at: at + 1 };
  }
  throw cutOff(packed.length);
}

/** Reads an unsigned little-endian number of `bytes` bytes. */
function unsigned(packed: Uint8Array, at: number, bytes: number): number {
  if (at + bytes > packed.length) throw cutOff(packed.length);
  let value = 0;
  for (let i = bytes - 1; i >= 0; i--) value = value * 256 + packed[at + i];
  return value;
}

function cutOff(bytes: number): InvalidDataError {
  return new InvalidDataError(`Snappy block of ${bytes} bytes is cut off`);
}

function tooMany(size: number): InvalidDataError {
  return new InvalidDataError(`Snappy block gives more than ${size} bytes`);
}
