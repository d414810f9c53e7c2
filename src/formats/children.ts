/**
 * Examines the children of a root. Their names alone do not determine the format, since any file may contain an array
 * called `obs`.
 */

import type { Node } from "../containers/tree/container.js";
import { isAnnarrowError } from "../model/errors.js";
import type { Candidate } from "./format.js";

/** Returns the child with this name; null if there is none or it cannot be opened. */
export async function findChild(
  { root, options }: Pick<Candidate, "root" | "options">,
  name: string,
): Promise<Node | null> {
  try {
    return await root.open(name, options);
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
}

/**
 * Whether a child is an array of single values. Formats with frames and mappings never have such an array in this
 * place.
 */
export async function isArrayOfScalars(candidate: Pick<Candidate, "root" | "options">, name: string): Promise<boolean> {
  const child = await findChild(candidate, name);
  return child?.kind === "array" && child.type.kind !== "record" && child.type.kind !== "unsupported";
}
