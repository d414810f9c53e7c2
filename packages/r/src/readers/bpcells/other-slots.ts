/** The slots that an object has beside those of its class of BPCells, for which a matrix or fragments have no table. */

import { isAnnarrowError } from "annarrow";
import type { Node } from "annarrow/core/containers";
import type { Group, ReadOptions } from "annarrow/format";
import { ARRAY_LIST, bpcellsSlots, DGC_MATRIX, INNER_OBJECTS } from "../bpcells-slots.js";

/** Most objects in each other, as of those that are opened. */
const MAX_DEPTH = 256;

/** Finds the names of those that hold anything, also of the objects in its slots, as `matrix.note`. */
export async function findOtherSlots(object: Group, options: ReadOptions, depth = 0): Promise<readonly string[]> {
  const known = knownSlots(object, depth);
  const found: string[] = [];
  for (const key of depth > MAX_DEPTH ? [] : await object.keys(options)) {
    if (known !== null && !known.has(key)) {
      if (!isEmpty(await openOrNull(object, key, options))) found.push(key);
      continue;
    }
    // A list has no slots, but objects that have.
    const node = known === null || INNER_OBJECTS.has(key) ? await openOrNull(object, key, options) : null;
    if (node?.kind !== "group") continue;
    for (const own of await findOtherSlots(node, options, depth + 1)) found.push(`${key}.${own}`);
  }
  return found;
}

/** The slots of an object of BPCells, or of the matrix of R in it, or the arrays of a list; null for a list of objects. */
function knownSlots(object: Group, depth: number): ReadonlySet<string> | null {
  const name = object.attributes.get("class");
  if (typeof name !== "string") return depth === 0 ? ARRAY_LIST : null;
  return bpcellsSlots(name) ?? DGC_MATRIX;
}

/** Opens a slot; null for one that cannot be, as a call. */
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
