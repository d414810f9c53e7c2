/** Values without elements: a list of their size stands for them. */

import { located } from "../../model/errors.js";
import { attributesOf, UINT64, type ValueAttributes } from "./attributes.js";
import { openArray, type ValuePlace } from "./place.js";
import type { Metadata } from "./tree/metadata.js";

export async function writeEmpty(
  place: ValuePlace,
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
export async function writeCanonicalEmpty(place: ValuePlace): Promise<void> {
  await writeEmpty(place, [0, 0], {}, { class: "canonical empty" });
}
