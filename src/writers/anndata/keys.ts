/** Keys of elements and columns: anndata refuses `/`, and nothing may lead out of its group. */

import { InvalidInputError, type Location, RefusedError } from "../../model/errors.js";
import { nearest } from "../../model/nearest.js";
import { type ColumnTable, isUnderItsName } from "../../tables/column-table.js";
import type { WrittenRootLayout } from "../root-layout.js";

/** @throws {InvalidInputError} for a name that is no single segment of a path. */
export function checkKey(key: string, location: Location): void {
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
  if (problem !== null) throw new RefusedError(problem, location);
}

/** @throws {InvalidInputError} where a table's name is no path below the root, or a table stands below another. */
export function checkNames(names: Iterable<string>, groups: ReadonlySet<string>): void {
  const all = new Set(names);
  for (const name of all) {
    const parts = name.split("/");
    for (const part of parts) checkKey(part, { element: name, table: name });
    for (let depth = 1; depth < parts.length; depth++) {
      const parent = parts.slice(0, depth).join("/");
      if (all.has(parent) && !groups.has(parent)) {
        throw new RefusedError(`${parent} is a table, and cannot have elements below it`, {
          element: name,
          table: name,
        });
      }
    }
  }
}

/** Elements of the root that are tables; an AnnData has matrices, which a MuData as a whole has not. */
const FRAMES = ["obs", "var"];
const MATRICES = ["X", "raw/X", "raw/var"];

/**
 * @param path the group below which the tables are written.
 * @throws {InvalidInputError} for a name that is no element's, with the nearest one that is, unless the table was opened
 * under it.
 */
export function checkElements(tables: Iterable<ColumnTable>, layout: WrittenRootLayout, path: string): void {
  const alone = layout.needsFrames ? [...MATRICES, ...FRAMES] : FRAMES;
  const mappings = layout.needsFrames ? [...layout.mappings, "raw/varm"] : layout.mappings;
  for (const table of tables) {
    const { name } = table;
    const isKnown = [...alone, ...mappings, "raw"].includes(name) || mappings.some((own) => name.startsWith(`${own}/`));
    if (isKnown || isUnderItsName(table, path)) continue;
    const cut = name.indexOf("/");
    const near = nearest(name, cut < 0 ? alone : [...mappings.map((own) => `${own}${name.slice(cut)}`), ...alone]);
    const known = [...alone, ...mappings.map((own) => `${own}/NAME`)];
    throw new InvalidInputError(`no element of that name: did you mean ${near[0]}? There are ${known.join(", ")}`, {
      element: path === "" ? name : `${path}/${name}`,
    });
  }
}
