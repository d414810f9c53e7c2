/**
 * Finds slots that a BPCells matrix has in addition to those of its class, which are the only ones its reader knows.
 */

import type { RValue } from "../../../containers/rds/model/value.js";
import { bpcellsSlots, DGC_MATRIX, INNER_OBJECTS } from "../../bpcells-slots.js";
import { isS4, listNamedElements } from "../values/value.js";
import { addPrefix, type NamedSlot } from "./extra-column-values.js";

/** Maximum nesting of objects. The reader refuses deeper objects. */
const MAX_DEPTH = 256;

/** Finds these slots, including those of objects inside other slots, such as `matrix.note`. */
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
