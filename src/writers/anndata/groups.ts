/** Creates the groups between the root and the elements, with the groups' encodings, and checks element names. */

import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { InvalidInputError, type Location, runWithLocation, UnsupportedElementError } from "../../model/errors.js";
import { findNearestNames } from "../../model/nearest.js";
import { type ColumnTable, isUnderItsName } from "../../tables/column-table.js";
import { createEncodingAttributes } from "../attributes.js";
import type { WrittenRootLayout } from "../context.js";
import { GroupsByPath, readListedPaths, splitPath } from "../groups.js";
import type { ElementDestination } from "./array.js";
import type { AnnDataWriterContext } from "./context.js";

type MappingType = "dict" | "anndata" | "raw";

export class ElementGroups {
  readonly cx: AnnDataWriterContext;
  readonly #groups: GroupsByPath;

  /** @param types encodings of mappings by path; `dict` by default. */
  constructor(cx: AnnDataWriterContext, root: GroupWriter, types: ReadonlyMap<string, MappingType>) {
    this.cx = cx;
    this.#groups = new GroupsByPath(root, (parent, name, path) => {
      const type = path === "raw" ? "raw" : (types.get(path) ?? "dict");
      return runWithLocation({ element: path, table: path }, () => parent.group(name, createEncodingAttributes(type)));
    });
  }

  at(path: string): Promise<GroupWriter> {
    return this.#groups.at(path);
  }

  async placeOf(element: string): Promise<ElementDestination> {
    const { above, name } = splitPath(element);
    return { cx: this.cx, parent: await this.at(above), name };
  }
}

/** Returns the encodings of the mappings that are listed in derived tables, keyed by path. */
export async function readMappingTypes(
  tables: Iterable<ColumnTable>,
  cx: AnnDataWriterContext,
): Promise<ReadonlyMap<string, MappingType>> {
  const types = new Map<string, MappingType>();
  for (const table of tables) {
    types.set(table.name, "dict");
    for await (const { path, kind } of readListedPaths(table, cx)) {
      if (kind !== "dict" && kind !== "anndata" && kind !== "raw") continue;
      if (!path.startsWith(`${table.name}/`)) {
        throw new InvalidInputError(`lists ${JSON.stringify(path)}, which is not below it`, { element: table.name });
      }
      for (const key of path.split("/")) checkKey(key, { element: path, table: path });
      types.set(path, kind);
    }
  }
  return types;
}

/**
 * Checks one segment of a path.
 * @throws {InvalidInputError} for a name that is not a single path segment.
 */
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
  if (problem !== null) throw new UnsupportedElementError(problem, location);
}

/**
 * Checks the names of all tables.
 * @throws {InvalidInputError} if a table's name is not a path below the root, or if a table is below another table.
 */
export function checkNames(names: Iterable<string>, groups: ReadonlySet<string>): void {
  const all = new Set(names);
  for (const name of all) {
    const parts = name.split("/");
    for (const part of parts) checkKey(part, { element: name, table: name });
    for (let depth = 1; depth < parts.length; depth++) {
      const parent = parts.slice(0, depth).join("/");
      if (all.has(parent) && !groups.has(parent)) {
        throw new UnsupportedElementError(`${parent} is a table, and cannot have elements below it`, {
          element: name,
          table: name,
        });
      }
    }
  }
}

/** Tables in the root group. An AnnData also has matrices there, but a MuData does not. */
const FRAMES = ["obs", "var"];
const MATRICES = ["X", "raw/X", "raw/var"];

/**
 * Checks that names belong to elements of the format.
 * @param path the group below which the tables are written.
 * @throws {InvalidInputError} for a name that no element has, with the most similar valid name, unless the table was
 * opened under this name.
 */
export function checkElements(tables: Iterable<ColumnTable>, layout: WrittenRootLayout, path: string): void {
  const alone = layout.needsFrames ? [...MATRICES, ...FRAMES] : FRAMES;
  const mappings = layout.needsFrames ? [...layout.mappings, "raw/varm"] : layout.mappings;
  for (const table of tables) {
    const { name } = table;
    const isKnown = [...alone, ...mappings, "raw"].includes(name) || mappings.some((own) => name.startsWith(`${own}/`));
    if (isKnown || isUnderItsName(table, path)) continue;
    const cut = name.indexOf("/");
    const near = findNearestNames(
      name,
      cut < 0 ? alone : [...mappings.map((own) => `${own}${name.slice(cut)}`), ...alone],
    );
    const known = [...alone, ...mappings.map((own) => `${own}/NAME`)];
    throw new InvalidInputError(`no element of that name: did you mean ${near[0]}? There are ${known.join(", ")}`, {
      element: path === "" ? name : `${path}/${name}`,
    });
  }
}
