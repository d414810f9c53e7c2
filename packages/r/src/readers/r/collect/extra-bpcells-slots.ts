/** The slots that a matrix of BPCells has beside those of its class: its reader knows no others. */

import type { RValue } from "../../../containers/rds/model/value.js";
import { bpcellsSlots, DGC_MATRIX, INNER_OBJECTS } from "../../bpcells-slots.js";
import { isS4, listNamedElements } from "../values/value.js";
import { addPrefix, type NamedSlot } from "./extra-column-values.js";

/** Most objects in each other; deeper ones are failures of the reader. */
const MAX_DEPTH = 256;

/** Finds them, also those of the objects in its slots, as `matrix.note`. */
export function besideBpcells(value: RValue, depth = 0): readonly NamedSlot[] {
  if (depth > MAX_DEPTH) return [];
  if (value.kind === "list") {
    return listNamedElements(value).flatMap(([name, one]) => addPrefix(name, besideBpcells(one, depth + 1)));
  }
  if (!isS4(value)) return [];
  const known = value.package === "BPCells" ? bpcellsSlots(value.className) : DGC_MATRIX;
  if (known === null) return [];
  return [...value.slots].flatMap(([name, one]): readonly NamedSlot[] => {
    if (!known.has(name)) return [[name, one]];
    return INNER_OBJECTS.has(name) ? addPrefix(name, besideBpcells(one, depth + 1)) : [];
  });
}
