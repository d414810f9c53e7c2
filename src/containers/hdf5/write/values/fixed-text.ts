/** Text of fixed width. */

import { InvalidInputError } from "../../../../model/errors.js";

type Padding = "nullterm" | "nullpad" | "spacepad";

const SPACE = 0x20;

/**
 * The values [from, to), each padded to `width` bytes.
 * @throws {InvalidInputError} for a value that is longer, or that its padding would cut.
 */
export function fixedText(
  offsets: Int32Array,
  bytes: Uint8Array,
  from: number,
  to: number,
  width: number,
  padding: Padding,
): Uint8Array {
  const out = new Uint8Array((to - from) * width);
  if (padding === "spacepad") out.fill(SPACE);
  for (let i = from, at = 0; i < to; i++, at += width) {
    const [start, end] = [offsets[i], offsets[i + 1]];
    if (end - start > width) {
      throw new InvalidInputError(`text of ${end - start} bytes where the type has ${width}`);
    }
    for (let k = start; k < end; k++) out[at + k - start] = bytes[k];
    checkEnd(bytes, start, end, padding);
  }
  return out;
}

/** Readers find the end of the text by its padding. */
function checkEnd(bytes: Uint8Array, start: number, end: number, padding: Padding): void {
  if (end === start) return;
  switch (padding) {
    case "nullterm":
      for (let k = start; k < end; k++)
        if (bytes[k] === 0) throw new InvalidInputError("text with a NUL, at which it ends");
      return;
    case "nullpad":
      if (bytes[end - 1] === 0) throw new InvalidInputError("text that ends in a NUL, which would pass for padding");
      return;
    case "spacepad":
      if (bytes[end - 1] === SPACE || bytes[end - 1] === 0) {
        throw new InvalidInputError("text that ends in a space or NUL, which would pass for padding");
      }
      return;
    default:
      padding satisfies never;
  }
}
