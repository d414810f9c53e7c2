/** XML character references in UTF-8 text: `&#233;`, `&#xE9;`, and the five names. */

import type { VariableValues } from "../../model/stored.js";

const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;

const NAMES: ReadonlyMap<string, number> = new Map([
  ["amp", 0x26],
  ["lt", 0x3c],
  ["gt", 0x3e],
  ["quot", 0x22],
  ["apos", 0x27],
]);

/** The text between `&` and `;`: as many digits as the largest code points have, plus some leading zeros. */
const REFERENCE = /^(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos))$/;
const LONGEST = 8;

/**
 * Decodes the references in texts to their characters. Invalid references, and references to no character, stay
 * unchanged. A decoded character is never read as part of another reference. Returns `values` itself if there is
 * nothing to decode.
 */
export function decodeReferences(values: VariableValues): VariableValues {
  const { offsets, bytes } = values;
  if (!bytes.includes(AMPERSAND)) return values;
  // No character takes more bytes than its reference.
  const out = new Uint8Array(bytes.length);
  const ends = new Int32Array(offsets.length);
  let to = 0;
  for (let i = 0; i + 1 < offsets.length; i++) {
    const end = offsets[i + 1];
    for (let at = offsets[i]; at < end; ) {
      const close = bytes[at] === AMPERSAND ? closing(bytes, at, end) : -1;
      const code = close < 0 ? null : codePoint(bytes, at + 1, close);
      if (code === null) {
        out[to++] = bytes[at++];
      } else {
        to = putUtf8(code, out, to);
        at = close + 1;
      }
    }
    ends[i + 1] = to;
  }
  return { kind: "variable", offsets: ends, bytes: out.subarray(0, to) };
}

/** Returns the position of the `;` of a reference that starts at `start`; -1 if it is not a reference. */
function closing(bytes: Uint8Array, start: number, end: number): number {
  const last = Math.min(end, start + LONGEST + 2);
  for (let at = start + 1; at < last; at++) if (bytes[at] === SEMICOLON) return at;
  return -1;
}

function codePoint(bytes: Uint8Array, start: number, end: number): number | null {
  const match = REFERENCE.exec(String.fromCharCode(...bytes.subarray(start, end)));
  if (match === null) return null;
  const [, decimal, hexadecimal, name] = match;
  if (name !== undefined) return NAMES.get(name) ?? null;
  const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
  const isCharacter = code > 0 && code < 0x110000 && !(code >= 0xd800 && code < 0xe000);
  return isCharacter ? code : null;
}

function putUtf8(code: number, out: Uint8Array, at: number): number {
  if (code < 0x80) {
    out[at] = code;
    return at + 1;
  }
  if (code < 0x800) {
    out[at] = 0xc0 | (code >> 6);
    out[at + 1] = 0x80 | (code & 63);
    return at + 2;
  }
  if (code < 0x10000) {
    out[at] = 0xe0 | (code >> 12);
    out[at + 1] = 0x80 | ((code >> 6) & 63);
    out[at + 2] = 0x80 | (code & 63);
    return at + 3;
  }
  out[at] = 0xf0 | (code >> 18);
  out[at + 1] = 0x80 | ((code >> 12) & 63);
  out[at + 2] = 0x80 | ((code >> 6) & 63);
  out[at + 3] = 0x80 | (code & 63);
  return at + 4;
}
