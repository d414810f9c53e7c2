/** The way back of `character-references.ts`: text as ASCII, other characters as `&#233;`. */

import type { VariableValues } from "../../model/stored.js";

/** What would be read as a reference, though it is none. */
const AMPERSANDS = /&(?=#[0-9xX]|[A-Za-z][A-Za-z0-9]*;)/g;

/** What is no ASCII; text is UTF-8 of whole characters. */
const OTHERS = /[^\0-\x7f]/gu;

/**
 * Texts in ASCII, which `decodeReferences` turns into these again. The same memory where there is nothing to encode.
 * An ampersand becomes a reference only where one would be read there.
 */
export function encodeReferences(values: VariableValues): VariableValues {
  const { offsets, bytes } = values;
  if (!bytes.some((byte) => byte === 0x26 || byte > 0x7f)) return values;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  const ends = new Int32Array(offsets.length);
  for (let i = 0; i + 1 < offsets.length; i++) {
    const text = decoder.decode(bytes.subarray(offsets[i], offsets[i + 1]));
    const ascii = text
      .replace(AMPERSANDS, "&#38;")
      .replace(OTHERS, (character) => `&#${character.codePointAt(0) ?? 0};`);
    const part = encoder.encode(ascii);
    parts.push(part);
    ends[i + 1] = ends[i] + part.length;
  }
  const out = new Uint8Array(ends[parts.length]);
  for (const [i, part] of parts.entries()) out.set(part, ends[i]);
  return { kind: "variable", offsets: ends, bytes: out };
}
