/** Gathers values by their positions. */

import { createZeros, type NumberArray, type VariableValues } from "../../model/stored.js";
import { checkTextBytes } from "./join-values.js";

/** Takes the elements at `places`, each of `width` values. Elements at index -1 are zeros. */
export function takeElements(values: NumberArray, places: Int32Array, width: number): NumberArray {
  const out = createZeros(values, places.length * width);
  const words = wordsPerValue(values);
  if (words === 1) takeWords(wordsOf(values), wordsOf(out), places, width);
  else takeWords(halvesOf(values), halvesOf(out), places, width * words);
  return out;
}

function takeWords(from: NumberArray, to: NumberArray, places: Int32Array, width: number): void {
  if (width === 1) {
    for (let i = 0; i < places.length; i++) if (places[i] >= 0) to[i] = from[places[i]];
    return;
  }
  for (let i = 0; i < places.length; i++) {
    if (places[i] < 0) continue;
    for (let k = 0, at = places[i] * width; k < width; k++, at++) to[i * width + k] = from[at];
  }
}

/** Returns 2 for 64-bit integers, since reading them as single values would create BigInts. */
function wordsPerValue(values: NumberArray): 1 | 2 {
  return values instanceof BigInt64Array || values instanceof BigUint64Array ? 2 : 1;
}

function halvesOf({ buffer, byteOffset, byteLength }: NumberArray): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** Views Float32 values as words. Copying them as numbers would change the bits of a signalling NaN. */
function wordsOf(values: NumberArray): NumberArray {
  return values instanceof Float32Array ? new Uint32Array(values.buffer, values.byteOffset, values.length) : values;
}

/**
 * Copies texts or bytes of variable width; an index of -1 gives an empty value.
 * @param check throws if there are too many bytes; it is called before they are allocated.
 */
export function takeVariable(
  { offsets, bytes }: Omit<VariableValues, "kind">,
  places: Int32Array,
  check: (bytes: number) => void = checkTextBytes,
): VariableValues {
  const out = new Int32Array(places.length + 1);
  let total = 0;
  for (let i = 0; i < places.length; i++) {
    if (places[i] >= 0) total += offsets[places[i] + 1] - offsets[places[i]];
    check(total);
    out[i + 1] = total;
  }
  const taken = new Uint8Array(total);
  for (let i = 0; i < places.length; i++) {
    if (places[i] >= 0) taken.set(bytes.subarray(offsets[places[i]], offsets[places[i] + 1]), out[i]);
  }
  return { kind: "variable", offsets: out, bytes: taken };
}
