/** The slots of an object that no element is made of: they are read below `uns`, so that nothing is left out in silence. */

import type { RValue } from "../../../containers/rds/model/value.js";
import type { RTables } from "../collect/tables.js";
import { isEmpty } from "../values/empty.js";
import { attributesOf, getOrigins } from "../values/value.js";

/**
 * Adds the slots that `known` does not name, each as a value or a tree. Slots without values are passed over.
 * @param place names the element of a slot.
 */
export async function addOtherSlots(
  object: RValue,
  known: ReadonlySet<string>,
  place: (slot: string) => string,
  tables: RTables,
): Promise<void> {
  for (const [name, value] of attributesOf(object)) {
    if (!known.has(name)) await addAny(place(name), value, tables);
  }
}

/** Adds a value or a tree; of an empty one what it has beside its values. */
export async function addAny(path: string, value: RValue, tables: RTables): Promise<void> {
  await tables.attempt(path, async () => {
    if (isEmpty(value)) await tables.beside(path, value);
    else await tables.value(path, value);
  });
}

/** The place of a list of an object: `uns/misc`, or `uns` where our writer has put all of it there. */
export function placeOfMisc(name: string, list: RValue): string {
  return name === "misc" && getOrigins(list).includes("uns") ? "uns" : `uns/${name}`;
}
