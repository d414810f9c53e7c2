/**
 * Finds slots that an object has in addition to those of its BPCells class. The table of the object has no place for
 * them.
 */

import { isAnnarrowError } from "annarrow";
import type { Node } from "annarrow/core/containers";
import type { Group, ReadOptions } from "annarrow/format";
import { ARRAY_LIST, bpcellsSlots, DGC_MATRIX, INNER_OBJECTS } from "../bpcells-slots.js";

/** Maximum nesting of objects, as for objects that are opened. */
const MAX_DEPTH = 256;

/** Finds the names of non-empty additional slots, including those of inner objects, such as `matrix.note`. */
export async function findOtherSlots(object: Group, options: ReadOptions, depth = 0): Promise<readonly string[]> {
  const known = knownSlots(object, depth);
  const found: string[] = [];
  for (const key of depth > MAX_DEPTH ? [] : await object.keys(options)) {
    if (known !== null && !known.has(key)) {
      if (!isEmpty(await openOrNull(object, key, options))) found.push(key);
      continue;
    }
    // A list has no slots itself, but it may contain objects with slots.
    const node = known === null || INNER_OBJECTS.has(key) ? await openOrNull(object, key, options) : null;
    if (node?.kind !== "group") continue;
    for (const own of await findOtherSlots(node, options, depth + 1)) found.push(`${key}.${own}`);
  }
  return found;
}

/**
 * Returns the known slots of a BPCells object or of an R matrix inside it, or the array names of a list. Returns null
 * for a list of objects.
 */
function knownSlots(object: Group, depth: number): ReadonlySet<string> | null {
  const name = object.attributes.get("class");
  if (typeof name !== "string") return depth === 0 ? ARRAY_LIST : null;
  return bpcellsSlots(name) ?? DGC_MATRIX;
}

/** Opens a slot. Returns null if it cannot be opened, such as a call. */
async function openOrNull(object: Group, key: string, options: ReadOptions): Promise<Node | null> {
  try {
    return await object.open(key, options);
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
}

/** Whether a slot holds nothing: NULL, or a vector or a list without elements. */
function isEmpty(node: Node | null): boolean {
  return node?.kind === "array" && (node.shape === null || node.shape[0] === 0);
}
