/** Adds the slots for which an object has no other element below `uns`, so that data are not lost silently. */

import type { RValue } from "../../../containers/rds/model/value.js";
import type { RTables } from "../collect/tables.js";
import { isEmpty } from "../values/empty.js";
import { getOrigins, getRAttributes } from "../values/value.js";

/**
 * Adds the slots that are not in `known`, each as a value or a tree. Slots without values are skipped.
 * @param place returns the name of a slot's element.
 */
export async function addOtherSlots(
  object: RValue,
  known: ReadonlySet<string>,
  place: (slot: string) => string,
  tables: RTables,
): Promise<void> {
  for (const [name, value] of getRAttributes(object)) {
    if (!known.has(name)) await addAny(place(name), value, tables);
  }
}

/** Adds a value or a tree. For an empty value, only its additional slots are added. */
export async function addAny(path: string, value: RValue, tables: RTables): Promise<void> {
  await tables.attempt(path, async () => {
    if (isEmpty(value)) await tables.beside(path, value);
    else await tables.value(path, value);
  });
}

/** Returns the path of an object's list: `uns/misc`, or `uns` if annarrow's writer stored all of `uns` there. */
export function getMiscPath(name: string, list: RValue): string {
  return name === "misc" && getOrigins(list).includes("uns") ? "uns" : `uns/${name}`;
}
