/** The inverse of `character-references.ts`: text as ASCII, with other characters as `&#233;`. */

import type { VariableValues } from "../../model/stored.js";

/** Ampersands that readers would interpret as the start of a reference. */
const AMPERSANDS = /&(?=#[0-9xX]|[A-Za-z][A-Za-z0-9]*;)/g;

/** Characters outside ASCII. The text must be valid UTF-8. */
const OTHERS = /[^\0-\x7f]/gu;

/**
 * Encodes texts as ASCII, which `decodeReferences` can decode. An ampersand becomes a reference only if a reader would
 * take it for the start of a reference. Returns `values` itself if there is nothing to encode.
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
