import { InvalidDataError } from "../../../model/errors.js";
import type { ZarrChunk } from "../metadata/chunk.js";

/** A chunk of `count` texts, each one of `texts`, by `index`. */
export function pickTexts(texts: readonly string[], count: number, index: (item: number) => number): ZarrChunk {
  const encoder = new TextEncoder();
  const encoded = texts.map((text) => encoder.encode(text));
  const offsets = new Int32Array(count + 1);
  let total = 0;
  for (let i = 0; i < count; i++) {
    total += encoded[index(i)].length;
    if (total > 2 ** 31 - 1) throw new InvalidDataError(`more than ${2 ** 31 - 1} bytes of text in one chunk`);
    offsets[i + 1] = total;
  }
  const bytes = new Uint8Array(total);
  for (let i = 0; i < count; i++) bytes.set(encoded[index(i)], offsets[i]);
  return { kind: "variable", offsets, bytes };
}
