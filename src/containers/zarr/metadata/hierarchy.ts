import { KeyTree } from "../../../io/sources/key.js";
import type { KeyValueSource, ReadOptions } from "../../../io/sources/source.js";
import { locateError } from "../../../model/errors.js";
import { type Json, parseJson } from "./json.js";
import { type ArrayMetadata, type GroupMetadata, joinPath } from "./metadata.js";
import { parseArrayV2, parseGroupV2 } from "./metadata-v2.js";
import { parseNodeV3 } from "./metadata-v3.js";

export type ZarrNode =
  | { readonly kind: "array"; readonly metadata: ArrayMetadata }
  | { readonly kind: "group"; readonly metadata: GroupMetadata };

/** Finds the nodes of a store. Each version of Zarr has its own implementation. */
export interface Hierarchy {
  /** Returns the node at `path`; undefined if it does not exist. */
  node(path: string, options?: ReadOptions): Promise<ZarrNode | undefined>;
  /**
   * Returns the names of the nodes directly below the group at `path`, in any order; null if the store cannot be
   * listed.
   */
  children(path: string, options?: ReadOptions): Promise<string[] | null>;
}

/** Documents of a consolidated store by key (v2, such as `obs/.zarray`) or by node path (v3). */
export type Consolidated = ReadonlyMap<string, Json>;

const NODE_DOCUMENTS = [".zarray", ".zgroup"];
const DOCUMENTS = [...NODE_DOCUMENTS, ".zattrs", ".zmetadata"];

/** Maximum number of folders that are searched below a folder without a document. Real stores have no such folders. */
const MAX_LOOKS = 1000;

/** The nodes of a v2 store. `consolidated` contains the documents of `.zmetadata`, if they are to be used. */
export class HierarchyV2 implements Hierarchy {
  readonly #source: KeyValueSource;
  readonly #consolidated: Consolidated | undefined;
  readonly #tree: KeyTree;

  constructor(source: KeyValueSource, consolidated: Consolidated | undefined) {
    this.#source = source;
    this.#consolidated = consolidated;
    this.#tree = new KeyTree(nodesOfKeys(consolidated?.keys() ?? []));
  }

  async node(path: string, options?: ReadOptions): Promise<ZarrNode | undefined> {
    const [array, group, attributes] = await Promise.all(
      [".zarray", ".zgroup", ".zattrs"].map((name) => this.#document(joinPath(path, name), options)),
    );
    // A node with both documents counts as an array, as in zarr-python.
    if (array !== undefined) return { kind: "array", metadata: parseArrayV2(array, attributes) };
    if (group !== undefined || (await this.#isImplicitGroup(path, options))) {
      return { kind: "group", metadata: parseGroupV2(group, attributes) };
    }
    return undefined;
  }

  async children(path: string, options?: ReadOptions): Promise<string[] | null> {
    if (this.#consolidated !== undefined) return this.#tree.children(path);
    const names = await this.#source.list(path, options);
    if (names === null) return null;
    const nodes: string[] = [];
    // All folders without documents share one budget of lookups. The first lookup of each name does not count towards
    // it.
    const looks = { left: MAX_LOOKS };
    for (const name of names) {
      if (DOCUMENTS.includes(name)) continue;
      options?.signal?.throwIfAborted();
      looks.left++;
      if (await this.#holdsNode(joinPath(path, name), looks, options)) nodes.push(name);
    }
    return nodes;
  }

  #document(key: string, options?: ReadOptions): Promise<Json | undefined> {
    if (this.#consolidated !== undefined) return Promise.resolve(this.#consolidated.get(key));
    return readDocument(this.#source, key, options);
  }

  /**
   * Returns whether a path without a document has nodes below it. Some writers omit `.zgroup` for intermediate groups.
   */
  async #isImplicitGroup(path: string, options?: ReadOptions): Promise<boolean> {
    // The root must have a document, because a folder that contains stores is not a store itself.
    if (path === "") return false;
    if (this.#consolidated !== undefined) return this.#tree.children(path).length > 0;
    return this.#holdsNode(path, { left: MAX_LOOKS }, options);
  }

  async #holdsNode(path: string, looks: { left: number }, options?: ReadOptions): Promise<boolean> {
    if (looks.left <= 0) return false;
    looks.left--;
    const names = await this.#source.list(path, options);
    if (names === null) return false;
    if (NODE_DOCUMENTS.some((name) => names.includes(name))) return true;
    for (const name of names) {
      if (await this.#holdsNode(joinPath(path, name), looks, options)) return true;
    }
    return false;
  }
}

/** Yields the paths of the nodes below the root to whose documents these keys belong. */
function* nodesOfKeys(keys: Iterable<string>): Generator<string> {
  for (const key of keys) {
    const slash = key.lastIndexOf("/");
    if (slash > 0 && NODE_DOCUMENTS.includes(key.slice(slash + 1))) yield key.slice(0, slash);
  }
}

const DOCUMENT = "zarr.json";

/**
 * The nodes of a v3 store. `root` is the root's document, and `consolidated` is the root's inline metadata, if it is to
 * be used.
 */
export class HierarchyV3 implements Hierarchy {
  readonly #source: KeyValueSource;
  readonly #root: Json;
  readonly #consolidated: Consolidated | undefined;
  readonly #tree: KeyTree;

  constructor(source: KeyValueSource, root: Json, consolidated: Consolidated | undefined) {
    this.#source = source;
    this.#root = root;
    this.#consolidated = consolidated;
    this.#tree = new KeyTree([...(consolidated?.keys() ?? [])].filter((path) => path !== ""));
  }

  async node(path: string, options?: ReadOptions): Promise<ZarrNode | undefined> {
    if (path === "") return parseNodeV3(this.#root);
    const document =
      this.#consolidated !== undefined
        ? this.#consolidated.get(path)
        : await readDocument(this.#source, joinPath(path, DOCUMENT), options);
    return document === undefined ? undefined : parseNodeV3(document);
  }

  async children(path: string, options?: ReadOptions): Promise<string[] | null> {
    if (this.#consolidated !== undefined) return this.#tree.children(path);
    const names = await this.#source.list(path, options);
    if (names === null) return null;
    const nodes: string[] = [];
    for (const name of names) {
      const inside = await this.#source.list(joinPath(path, name), options);
      if (inside?.includes(DOCUMENT)) nodes.push(name);
    }
    return nodes;
  }
}

/** Maximum size of a document in bytes, including consolidated metadata. Known documents are smaller. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * Reads the JSON document under `key`; undefined if there is none.
 * @throws {InvalidDataError} if the document is not JSON or is too large, with the key in the message.
 */
export async function readDocument(
  source: KeyValueSource,
  key: string,
  options?: ReadOptions,
): Promise<Json | undefined> {
  const bytes = await source.get(key, { ...options, most: MAX_BYTES });
  if (bytes === undefined) return undefined;
  try {
    return parseJson(bytes);
  } catch (error) {
    throw locateError(error, { element: key });
  }
}
