/** Looks at the children of a root, whose names alone do not tell a format, since every file may have an array called `obs`. */

import type { Node } from "../containers/tree/container.js";
import { isAnnarrowError } from "../model/errors.js";
import type { Candidate } from "./format.js";

/** The child of this name; null where there is none that can be opened. */
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

/** Whether a child is an array of single values, which no format of frames and mappings has in its place. */
export async function isArrayOfScalars(candidate: Pick<Candidate, "root" | "options">, name: string): Promise<boolean> {
  const child = await findChild(candidate, name);
  return child?.kind === "array" && child.type.kind !== "record" && child.type.kind !== "unsupported";
}
