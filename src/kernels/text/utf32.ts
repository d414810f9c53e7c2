import { InvalidDataError } from "../../model/errors.js";

/**
 * Converts UTF-32 text of fixed width (little-endian, padded with NUL) to UTF-8 offsets and bytes.
 * @param bytes `count` values of `width` bytes each, four per character.
 * @throws {InvalidDataError} if a character is not a Unicode scalar value.
 */
export function convertUtf32Text(
  bytes: Uint8Array,
  width: number,
  count: number,
): { offsets: Int32Array; bytes: Uint8Array } {
  const offsets = new Int32Array(count + 1);
  // A character takes at most four bytes in UTF-8 too.
  const out = new Uint8Array(width * count);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  for (let i = 0; i < count; i++) {
    const start = i * width;
    let end = start + width;
    while (end > start && view.getUint32(end - 4, true) === 0) end -= 4;
    for (let j = start; j < end; j += 4) {
      const code = view.getUint32(j, true);
      if (code < 0x80) {
        out[at++] = code;
      } else if (code < 0x800) {
        out[at++] = 0xc0 | (code >> 6);
        out[at++] = 0x80 | (code & 63);
      } else if (code < 0x10000) {
        if (code >= 0xd800 && code < 0xe000) throw invalid(code, i);
        out[at++] = 0xe0 | (code >> 12);
        out[at++] = 0x80 | ((code >> 6) & 63);
        out[at++] = 0x80 | (code & 63);
      } else {
        if (code > 0x10ffff) throw invalid(code, i);
        out[at++] = 0xf0 | (code >> 18);
        out[at++] = 0x80 | ((code >> 12) & 63);
        out[at++] = 0x80 | ((code >> 6) & 63);
        out[at++] = 0x80 | (code & 63);
      }
    }
    offsets[i + 1] = at;
  }
  return { offsets, bytes: out.subarray(0, at) };
}

function invalid(code: number, value: number): InvalidDataError {
  return new InvalidDataError(`text ${value} has the character 0x${code.toString(16)}, which Unicode does not have`);
}
