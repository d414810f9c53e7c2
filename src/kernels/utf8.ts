/** Position of the first byte that no UTF-8 text has there (RFC 3629: no surrogates, nothing overlong), or -1. */
export function firstInvalidUtf8(bytes: Uint8Array): number {
  const length = bytes.length;
  let i = 0;
  while (i < length) {
    const lead = bytes[i];
    if (lead < 0x80) {
      i++;
      continue;
    }
    const size = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (size === 0 || i + size > length) return i;
    const second = bytes[i + 1];
    const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    if (second < low || second > high) return i;
    for (let k = 2; k < size; k++) if ((bytes[i + k] & 0xc0) !== 0x80) return i;
    i += size;
  }
  return -1;
}

/**
 * The first value that is not UTF-8 by itself, or -1. Text that is valid as a whole can still be cut inside a
 * character, so every value must also start at a lead byte.
 */
export function firstInvalidText(offsets: Int32Array, bytes: Uint8Array): number {
  const start = offsets[0];
  const end = offsets[offsets.length - 1];
  const at = firstInvalidUtf8(bytes.subarray(start, end));
  const valid = at < 0 ? end : start + at;
  let last = 0;
  for (let i = 0; i < offsets.length - 1; i++) {
    if (offsets[i + 1] > valid) return i > last && isCut(bytes, offsets[i], valid) ? last : i;
    if (offsets[i] === offsets[i + 1]) continue;
    if (i > last && isCut(bytes, offsets[i], valid)) return last;
    last = i;
  }
  return -1;
}

/** Whether the value that starts here begins inside a character of the valid text before `valid`. */
function isCut(bytes: Uint8Array, start: number, valid: number): boolean {
  return start < valid && (bytes[start] & 0xc0) === 0x80;
}

/** The same values with those that are not UTF-8 read as Latin-1; valid ones stay as they are. */
export function latin1ToUtf8(
  offsets: Int32Array,
  bytes: Uint8Array,
): { readonly offsets: Int32Array; readonly bytes: Uint8Array } {
  const out = new Uint8Array(2 * (offsets[offsets.length - 1] - offsets[0]));
  const outOffsets = new Int32Array(offsets.length);
  let at = 0;
  for (let i = 0; i < offsets.length - 1; i++) {
    const value = bytes.subarray(offsets[i], offsets[i + 1]);
    if (firstInvalidUtf8(value) < 0) {
      out.set(value, at);
      at += value.length;
    } else {
      for (const byte of value) {
        if (byte < 0x80) out[at++] = byte;
        else {
          out[at++] = 0xc0 | (byte >> 6);
          out[at++] = 0x80 | (byte & 0x3f);
        }
      }
    }
    outOffsets[i + 1] = at;
  }
  return { offsets: outOffsets, bytes: out.subarray(0, at) };
}
