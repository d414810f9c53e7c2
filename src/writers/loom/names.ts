/** Names of attributes, layers, graphs and globals: loompy refuses `/`, and nothing may lead out of its group. */

import { InvalidInputError, type Location, RefusedError } from "../../model/errors.js";
import { nearest } from "../../model/nearest.js";
import { type ColumnTable, isUnderItsName } from "../../tables/column-table.js";

/** @throws {InvalidInputError} for a name that is no single segment of a path. */
export function checkName(name: string, location: Location): void {
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
  if (problem !== null) throw new RefusedError(`${problem}: rename it`, location);
}

const ALONE = ["matrix", "row_attrs", "col_attrs"];
const GROUPS = ["layers", "row_graphs", "col_graphs", "attrs"];

/** @throws {InvalidInputError} for a name that no element has, unless the table was opened under it. */
export function checkElement(table: ColumnTable): void {
  const { name } = table;
  const [top, ...rest] = name.split("/");
  if (ALONE.includes(top) || GROUPS.includes(top.replace("edges", "graphs")) || isUnderItsName(table)) return;
  const near = nearest(name, rest.length === 0 ? ALONE : GROUPS.map((group) => [group, ...rest].join("/")));
  const known = [...ALONE, ...GROUPS.map((group) => `${group}/NAME`)].join(", ");
  throw new InvalidInputError(`no element of that name: did you mean ${near[0]}? There are ${known}`, {
    element: name,
  });
}
