/** Creates a file's groups by path, and reads the groups listed in derived tables. */

import { decodeTextValues } from "../arrow/text.js";
import type { GroupWriter } from "../containers/tree/container-writer.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { type RowsContext, readTableBatches } from "../tables/rows.js";

type MakeGroup = (parent: GroupWriter, name: string, path: string) => Promise<GroupWriter>;

/** Groups by path. A group and its parents are created when the group is first requested. */
export class GroupsByPath {
  readonly #groups = new Map<string, Promise<GroupWriter>>();
  readonly #make: MakeGroup;

  constructor(root: GroupWriter, make: MakeGroup = (parent, name) => parent.group(name)) {
    this.#groups.set("", Promise.resolve(root));
    this.#make = make;
  }

  at(path: string): Promise<GroupWriter> {
    let group = this.#groups.get(path);
    if (group === undefined) {
      const { above, name } = splitPath(path);
      group = this.at(above).then((parent) => this.#make(parent, name, path));
      this.#groups.set(path, group);
    }
    return group;
  }
}

/** Splits a path into its last segment and the path of the parent group. */
export function splitPath(path: string): { readonly above: string; readonly name: string } {
  const cut = path.lastIndexOf("/");
  return { above: cut < 0 ? "" : path.slice(0, cut), name: path.slice(cut + 1) };
}

/**
 * Yields the paths and kinds of the groups that a derived table lists. An empty group has no table of its own.
 * @throws {InvalidInputError} for a table without the text columns `path` and `kind`.
 */
export async function* readListedPaths(
  table: ColumnTable,
  cx: RowsContext,
): AsyncGenerator<{ readonly path: string; readonly kind: string }> {
  const [path, kind] = ["path", "kind"].map((name) => table.fields.findIndex((field) => field.name === name));
  if (path < 0 || kind < 0) {
    throw new InvalidInputError("a derived table has the columns path and kind", { element: table.name });
  }
  for await (const { columns } of readTableBatches(table, cx)) {
    const [paths, kinds] = [columns[path], columns[kind]];
    if (paths.layout !== "variable" || kinds.layout !== "variable") {
      throw new InvalidInputError("the columns path and kind of a derived table are text", { element: table.name });
    }
    const names = decodeTextValues(kinds);
    for (const [i, text] of decodeTextValues(paths).entries()) {
      const own = names[i];
      if (text !== null && own !== null) yield { path: text, kind: own };
    }
  }
}
