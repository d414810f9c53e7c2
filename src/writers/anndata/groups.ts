/** The groups between the root and the elements: mappings, each with its encoding. */

import { textValues } from "../../arrow/text.js";
import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { InvalidInputError, located } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { rowsOf } from "../../tables/rows.js";
import type { AnnDataWriterContext } from "./context.js";
import { checkKey } from "./keys.js";
import { encodingAttributes } from "./registry.js";

type MappingType = "dict" | "anndata" | "raw";

export class ElementGroups {
  readonly #open = new Map<string, Promise<GroupWriter>>();
  readonly #types: ReadonlyMap<string, MappingType>;

  constructor(root: GroupWriter, types: ReadonlyMap<string, MappingType>) {
    this.#open.set("", Promise.resolve(root));
    this.#types = types;
  }

  /** The group at a path, made with all above it where it is not there yet. */
  at(path: string): Promise<GroupWriter> {
    let group = this.#open.get(path);
    if (group === undefined) {
      group = this.#make(path);
      this.#open.set(path, group);
    }
    return group;
  }

  /** The place of an element. */
  async placeOf(name: string): Promise<{ readonly parent: GroupWriter; readonly name: string }> {
    const cut = name.lastIndexOf("/");
    return { parent: await this.at(cut < 0 ? "" : name.slice(0, cut)), name: name.slice(cut + 1) };
  }

  async #make(path: string): Promise<GroupWriter> {
    const { parent, name } = await this.placeOf(path);
    const type = path === "raw" ? "raw" : (this.#types.get(path) ?? "dict");
    return located({ element: path, table: path }, () => parent.group(name, encodingAttributes(type)));
  }
}

/** The mappings that derived tables list, by their paths. Of everything else the tables themselves tell. */
export async function mappingTypes(
  tables: Iterable<ColumnTable>,
  cx: AnnDataWriterContext,
): Promise<ReadonlyMap<string, MappingType>> {
  const types = new Map<string, MappingType>();
  for (const table of tables) {
    types.set(table.name, "dict");
    const [path, kind] = ["path", "kind"].map((name) => table.fields.findIndex((field) => field.name === name));
    if (path < 0 || kind < 0) {
      throw new InvalidInputError("a derived table has the columns path and kind", { element: table.name });
    }
    for await (const { columns } of rowsOf(table, cx)) {
      const [paths, kinds] = [columns[path], columns[kind]];
      if (paths.layout !== "variable" || kinds.layout !== "variable") {
        throw new InvalidInputError("the columns path and kind of a derived table are text", { element: table.name });
      }
      const names = textValues(kinds);
      for (const [i, name] of textValues(paths).entries()) {
        const type = names[i];
        if (name === null || (type !== "dict" && type !== "anndata" && type !== "raw")) continue;
        if (!name.startsWith(`${table.name}/`)) {
          throw new InvalidInputError(`lists ${JSON.stringify(name)}, which is not below it`, { element: table.name });
        }
        for (const key of name.split("/")) checkKey(key, { element: name, table: name });
        types.set(name, type);
      }
    }
  }
  return types;
}
