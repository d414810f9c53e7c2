/** Finds missing values in R's numbers: R stores them as one special integer, and as NaNs with a special payload. */

import type { NumberArray } from "../../model/stored.js";

/** The integer that represents NA. R does not use it for anything else. */
export const NA_INTEGER = -(2 ** 31);

/** The lower word of NA's bits, which distinguishes NA from other NaNs in R. */
const NA_LOW_WORD = 1954;

/**
 * Returns 1 for each 32-bit integer or real number that is NA, and 0 for the others. Returns null if there is no NA,
 * and for other number types.
 */
export function findMissingInR(values: NumberArray): Uint8Array | null {
  if (values instanceof Int32Array) {
    return values.includes(NA_INTEGER) ? Uint8Array.from(values, (one) => (one === NA_INTEGER ? 1 : 0)) : null;
  }
  if (!(values instanceof Float64Array)) return null;
  let mask: Uint8Array | null = null;
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  for (let i = 0; i < values.length; i++) {
    if (!Number.isNaN(values[i]) || view.getUint32(8 * i, true) !== NA_LOW_WORD) continue;
    mask ??= new Uint8Array(values.length);
    mask[i] = 1;
  }
  return mask;
}

/**
 * Writes R's NA over a real number. The bits that distinguish NA from NaN are preserved on every engine only if they
 * are written this way.
 */
export function putMissingReal(values: Float64Array, at: number): void {
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  view.setUint32(8 * at, NA_LOW_WORD, true);
  view.setUint32(8 * at + 4, 0x7ff00000, true);
}
