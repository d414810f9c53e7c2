import type { KeyValueSource, ReadOptions } from "../../../sources/source.js";
import { readDocument } from "./documents.js";
import { type Consolidated, childrenOf, type Hierarchy, join, type ZarrNode } from "./hierarchy.js";
import type { Json } from "./json.js";
import { parseNodeV3 } from "./metadata-v3.js";

const DOCUMENT = "zarr.json";

/**
 * Finds the nodes of a v3 store. `root` is the root's document, `consolidated` what it has inline, where that is to be
 * used.
 */
export class HierarchyV3 implements Hierarchy {
  readonly #source: KeyValueSource;
  readonly #root: Json;
  readonly #consolidated: Consolidated | undefined;

  constructor(source: KeyValueSource, root: Json, consolidated: Consolidated | undefined) {
    this.#source = source;
    this.#root = root;
    this.#consolidated = consolidated;
  }

  async node(path: string, options?: ReadOptions): Promise<ZarrNode | undefined> {
    if (path === "") return parseNodeV3(this.#root);
    const document =
      this.#consolidated !== undefined
        ? this.#consolidated.get(path)
        : await readDocument(this.#source, join(path, DOCUMENT), options);
    return document === undefined ? undefined : parseNodeV3(document);
  }

  async children(path: string, options?: ReadOptions): Promise<string[] | null> {
    if (this.#consolidated !== undefined) return childrenOf(path, this.#consolidated.keys());
    const names = await this.#source.list(path, options);
    if (names === null) return null;
    const nodes: string[] = [];
    for (const name of names) {
      const inside = await this.#source.list(join(path, name), options);
      if (inside?.includes(DOCUMENT)) nodes.push(name);
    }
    return nodes;
  }
}
