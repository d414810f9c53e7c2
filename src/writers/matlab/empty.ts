/** Values without elements: a list of their size stands for them. */

import { located } from "../../errors.js";
import { attributesOf, UINT64, type ValueAttributes } from "./attributes.js";
import type { Metadata } from "./metadata.js";
import { openArray, type Place } from "./place.js";

export async function writeEmpty(
  place: Place,
  size: readonly number[],
  metadata: Metadata,
  value: ValueAttributes,
): Promise<void> {
  const attributes = attributesOf(place, metadata, { ...value, empty: true });
  const array = await openArray(place, { type: UINT64, shape: [size.length], attributes });
  await located({ element: place.element }, async () => {
    await array.write({ kind: "fixed", values: BigUint64Array.from(size, BigInt) }, size.length);
    await array.close();
  });
}

/** `[]` as MATLAB writes it into cells: all of them share one. */
export async function writeCanonicalEmpty(place: Place): Promise<void> {
  await writeEmpty(place, [0, 0], {}, { class: "canonical empty" });
}
