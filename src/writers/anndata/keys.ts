/** Keys of elements and columns: anndata refuses `/`, and nothing may lead out of its group. */

import { InvalidInputError } from "../../errors.js";

/** @throws {InvalidInputError} for a name that is no single segment of a path. */
export function checkKey(key: string, element: string): void {
  const problem =
    key === ""
      ? "an empty name"
      : key === "." || key === ".."
        ? `the name ${JSON.stringify(key)} stands for another group`
        : key.includes("/")
          ? `a name with "/" (${JSON.stringify(key)}), which anndata refuses: rename it`
          : key.includes("\0")
            ? `a name with NUL (${JSON.stringify(key)})`
            : null;
  if (problem !== null) throw new InvalidInputError(problem, { element });
}

/** @throws {InvalidInputError} where a table's name is no path below the root, or a table stands below another. */
export function checkNames(names: Iterable<string>, groups: ReadonlySet<string>): void {
  const all = new Set(names);
  for (const name of all) {
    const parts = name.split("/");
    for (const part of parts) checkKey(part, name);
    for (let depth = 1; depth < parts.length; depth++) {
      const parent = parts.slice(0, depth).join("/");
      if (all.has(parent) && !groups.has(parent)) {
        throw new InvalidInputError(`${parent} is a table, and cannot have elements below it`, { element: name });
      }
    }
  }
}
