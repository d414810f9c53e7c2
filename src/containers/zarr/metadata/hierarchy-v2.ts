import type { KeyValueSource, ReadOptions } from "../../../sources/source.js";
import { readDocument } from "./documents.js";
import { type Consolidated, childrenOf, type Hierarchy, join, type ZarrNode } from "./hierarchy.js";
import type { Json } from "./json.js";
import { parseArrayV2, parseGroupV2 } from "./metadata-v2.js";

const NODE_DOCUMENTS = [".zarray", ".zgroup"];
const DOCUMENTS = [...NODE_DOCUMENTS, ".zattrs", ".zmetadata"];

/** Folders that are looked into for one that has no document of its own: real stores have none. */
const MAX_LOOKS = 1000;

/** Finds the nodes of a v2 store. `consolidated` are the documents of `.zmetadata`, where it is to be used. */
export class HierarchyV2 implements Hierarchy {
  readonly #source: KeyValueSource;
  readonly #consolidated: Consolidated | undefined;

  constructor(source: KeyValueSource, consolidated: Consolidated | undefined) {
    this.#source = source;
    this.#consolidated = consolidated;
  }

  async node(path: string, options?: ReadOptions): Promise<ZarrNode | undefined> {
    const [array, group, attributes] = await Promise.all(
      [".zarray", ".zgroup", ".zattrs"].map((name) => this.#document(join(path, name), options)),
    );
    // A node with both documents is an array, as zarr-python has it.
    if (array !== undefined) return { kind: "array", metadata: parseArrayV2(array, attributes) };
    if (group !== undefined || (await this.#isImplicitGroup(path, options))) {
      return { kind: "group", metadata: parseGroupV2(group, attributes) };
    }
    return undefined;
  }

  async children(path: string, options?: ReadOptions): Promise<string[] | null> {
    if (this.#consolidated !== undefined) return childrenOf(path, this.#consolidatedNodes());
    const names = await this.#source.list(path, options);
    if (names === null) return null;
    const nodes: string[] = [];
    // Folders without documents share the looks; one for each name is its own.
    const looks = { left: MAX_LOOKS };
    for (const name of names) {
      if (DOCUMENTS.includes(name)) continue;
      options?.signal?.throwIfAborted();
      looks.left++;
      if (await this.#holdsNode(join(path, name), looks, options)) nodes.push(name);
    }
    return nodes;
  }

  #document(key: string, options?: ReadOptions): Promise<Json | undefined> {
    if (this.#consolidated !== undefined) return Promise.resolve(this.#consolidated.get(key));
    return readDocument(this.#source, key, options);
  }

  *#consolidatedNodes(): Generator<string> {
    for (const key of this.#consolidated?.keys() ?? []) {
      const slash = key.lastIndexOf("/");
      if (slash > 0 && NODE_DOCUMENTS.includes(key.slice(slash + 1))) yield key.slice(0, slash);
    }
  }

  /** Whether nodes lie below a path that has no document: writers have left out `.zgroup` in between. */
  async #isImplicitGroup(path: string, options?: ReadOptions): Promise<boolean> {
    // The root must say what it is: a folder with stores in it is none.
    if (path === "") return false;
    if (this.#consolidated !== undefined) return childrenOf(path, this.#consolidatedNodes()).length > 0;
    return this.#holdsNode(path, { left: MAX_LOOKS }, options);
  }

  async #holdsNode(path: string, looks: { left: number }, options?: ReadOptions): Promise<boolean> {
    if (looks.left <= 0) return false;
    looks.left--;
    const names = await this.#source.list(path, options);
    if (names === null) return false;
    if (NODE_DOCUMENTS.some((name) => names.includes(name))) return true;
    for (const name of names) {
      if (await this.#holdsNode(join(path, name), looks, options)) return true;
    }
    return false;
  }
}
