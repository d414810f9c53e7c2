import { firstInvalidText } from "../../../kernels/text/utf8.js";
import { InvalidDataError } from "../../../model/errors.js";
import type { VariableValues } from "../../../model/stored.js";

/**
 * UTF-8 texts as UTF-32 (little-endian) of `width` bytes each, filled up with NUL.
 * @throws {InvalidDataError} for a text that is not UTF-8.
 * @throws {TypeError} for one that is longer.
 */
export function utf32Bytes({ offsets, bytes }: VariableValues, width: number): Uint8Array {
  checkText(offsets, bytes);
  const count = offsets.length - 1;
  const out = new Uint8Array(width * count);
  const view = new DataView(out.buffer);
  for (let i = 0; i < count; i++) {
    let to = i * width;
    const end = to + width;
    for (let at = offsets[i]; at < offsets[i + 1]; ) {
      const lead = bytes[at++];
      // Lead bytes have as many ones as the character has bytes; the others carry six bits each.
      const more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
      let code = more === 0 ? lead : lead & (0x3f >> more);
      for (let k = 0; k < more; k++) code = (code << 6) | (bytes[at++] & 0x3f);
      if (to === end) throw new TypeError(`text ${i} has more than the ${width / 4} characters of its type`);
      view.setUint32(to, code, true);
      to += 4;
    }
  }
  return out;
}

/** @throws {InvalidDataError} for a text that is not UTF-8. */
export function checkText(offsets: Int32Array, bytes: Uint8Array): void {
  const invalid = firstInvalidText(offsets, bytes);
  if (invalid >= 0) throw new InvalidDataError(`text ${invalid} is not UTF-8`);
}
