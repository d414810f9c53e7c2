/** The lists of R that objects stand in: in the order in which they come, with the names that the lists gave them. */

import { storedTexts } from "../../arrow/text.js";
import type { GroupWriter } from "../../containers/tree/container-writer.js";
import type { TableMetadata } from "../../model/dataset.js";
import { isJsonObject } from "../../model/json-object.js";
import { TEXT } from "./array-types.js";

/** A place in a list: how the path calls it, and its name there, null where the list names nothing. */
interface Level {
  readonly key: string;
  readonly name: string | null;
}

interface List {
  readonly group: GroupWriter;
  readonly places: Map<string, Level>;
}

export class RLists {
  readonly #root: GroupWriter;
  readonly #lists = new Map<string, List>();

  constructor(root: GroupWriter) {
    this.#root = root;
  }

  /** The group of the object at `path`, in the lists that its table remembers, else in one for each segment. */
  async at(path: string, metadata: TableMetadata | null): Promise<GroupWriter> {
    let group = this.#root;
    let id = "";
    for (const level of levelsOf(path, metadata)) {
      const list = this.#lists.get(id) ?? { group, places: new Map<string, Level>() };
      this.#lists.set(id, list);
      id += `/${level.key.length}:${level.key}`;
      const known = this.#lists.get(id);
      if (known === undefined) {
        list.places.set(level.key, level);
        group = await list.group.group(String(list.places.size));
      } else group = known.group;
    }
    return group;
  }

  /** Says how long the lists are and what they call their elements, once all of these are there. */
  close(): void {
    for (const { group, places } of this.#lists.values()) {
      const names = Array.from(places.values(), ({ name }) => name);
      const int = { kind: "int", bits: 32, signed: true } as const;
      const values = { kind: "fixed", values: Int32Array.of(names.length) } as const;
      group.attribute("length", { type: int, shape: [], values });
      if (names.every((name) => name === null)) continue;
      const texts = storedTexts(names.map((name) => name ?? ""));
      group.attribute("names", { type: TEXT, shape: [names.length], values: texts });
    }
  }
}

/** Of a table that has another path than the one that it was read under, the path is what the caller wants. */
function levelsOf(path: string, metadata: TableMetadata | null): readonly Level[] {
  const list = metadata?.list;
  if (Array.isArray(list) && list.every(isLevel)) {
    const own = list.map(({ key }) => key).filter((key) => key !== "");
    if (own.join("/") === path) return list;
  }
  return path === "" ? [] : path.split("/").map((key) => ({ key, name: key }));
}

function isLevel(value: unknown): value is Level {
  return (
    isJsonObject(value) && typeof value.key === "string" && (value.name === null || typeof value.name === "string")
  );
}
