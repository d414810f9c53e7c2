/** The bits of a four-byte word that are 0 in ASCII. */
const NOT_ASCII = 0x80808080 | 0;

/** Minimum length for word views. Making a view takes as long as checking every byte of shorter text. */
const SHORT = 64;
const NO_WORDS = new Int32Array(0);

/** Views the aligned words in `bytes`, which start at `head`. */
function alignedWords(bytes: Uint8Array): { readonly head: number; readonly words: Int32Array } {
  if (bytes.length < SHORT) return { head: 0, words: NO_WORDS };
  const head = -bytes.byteOffset & 3;
  return { head, words: new Int32Array(bytes.buffer, bytes.byteOffset + head, (bytes.length - head) >> 2) };
}

/** Returns the index of the first word from `at` on with a non-ASCII byte, or the number of words. */
function asciiWords(words: Int32Array, at: number): number {
  let i = at;
  while (i + 4 <= words.length && ((words[i] | words[i + 1] | words[i + 2] | words[i + 3]) & NOT_ASCII) === 0) i += 4;
  while (i < words.length && (words[i] & NOT_ASCII) === 0) i++;
  return i;
}

function isAscii(bytes: Uint8Array): boolean {
  const { head, words } = alignedWords(bytes);
  if (asciiWords(words, 0) < words.length) return false;
  for (let i = 0; i < head; i++) if (bytes[i] >= 0x80) return false;
  for (let i = head + 4 * words.length; i < bytes.length; i++) if (bytes[i] >= 0x80) return false;
  return true;
}

/**
 * Returns the position of the first byte that is not valid UTF-8 (RFC 3629: no surrogates, no overlong encodings), or
 * -1.
 */
export function findInvalidUtf8(bytes: Uint8Array): number {
  const length = bytes.length;
  const { head, words } = alignedWords(bytes);
  let i = 0;
  while (i < length) {
    const lead = bytes[i];
    if (lead < 0x80) {
      i++;
      // Runs of ASCII are skipped word by word.
      if (((i - head) & 3) === 0 && i >= head && words.length > 0) i = head + 4 * asciiWords(words, (i - head) >> 2);
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
 * Returns the first value that is not valid UTF-8, or -1. Text that is valid as a whole can still be cut inside a
 * character, so every value must also start at a lead byte.
 */
export function findInvalidText(offsets: Int32Array, bytes: Uint8Array): number {
  const start = offsets[0];
  const end = offsets[offsets.length - 1];
  const all = bytes.subarray(start, end);
  if (isAscii(all)) return -1;
  const at = findInvalidUtf8(all);
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

/** Returns whether the value at `start` begins inside a character of the text, which is valid up to `valid`. */
function isCut(bytes: Uint8Array, start: number, valid: number): boolean {
  return start < valid && (bytes[start] & 0xc0) === 0x80;
}

/** Decodes values that are not UTF-8 as Latin-1. Valid values are unchanged. */
export function convertLatin1ToUtf8(
  offsets: Int32Array,
  bytes: Uint8Array,
): { readonly offsets: Int32Array; readonly bytes: Uint8Array } {
  const out = new Uint8Array(2 * (offsets[offsets.length - 1] - offsets[0]));
  const outOffsets = new Int32Array(offsets.length);
  let at = 0;
  for (let i = 0; i < offsets.length - 1; i++) {
    const value = bytes.subarray(offsets[i], offsets[i + 1]);
    if (findInvalidUtf8(value) < 0) {
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
