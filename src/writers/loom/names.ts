/** Names of attributes, layers, graphs and globals: loompy refuses `/`, and nothing may lead out of its group. */

import { InvalidInputError } from "../../errors.js";

/** @throws {InvalidInputError} for a name that is no single segment of a path. */
export function checkName(name: string, element: string): void {
  const shown = JSON.stringify(name);
  const problem =
    name === ""
      ? "an empty name"
      : name === "." || name === ".."
        ? `the name ${shown} stands for another group`
        : name.includes("/")
          ? `the name ${shown} has a "/", which separates groups in Loom`
          : name.includes("\0")
            ? `the name ${shown} has a NUL`
            : null;
  if (problem !== null) throw new InvalidInputError(`${problem}: rename it`, { element });
}
