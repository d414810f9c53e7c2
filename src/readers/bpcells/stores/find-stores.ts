/** Groups that BPCells wrote: the attribute `version` says so, wherever in a file they lie. */

import type { Group } from "../../../containers/tree/container.js";
import { isAnnarrowError, UnsupportedError } from "../../../model/errors.js";
import type { ReadOptions } from "../../../sources/source.js";

/** A group with its path below the one that was searched, `""` for that itself. */
export interface FoundStore {
  readonly path: string;
  readonly group: Group;
  /** The lists of R that it stands in, from the outermost on; absent where it stands in none. */
  readonly list?: readonly ListLevel[];
}

/** A place in a list of R: how the path calls it, and its name there, null where the list names nothing. */
export interface ListLevel {
  readonly key: string;
  readonly name: string | null;
}

/** So many nodes are opened to find stores, the least deep first: no real file hides one better. */
const MAX_NODES = 2 ** 12;
const MAX_DEPTH = 16;

/** What the group says to be, or null where that is nothing of BPCells. */
export function storeVersion(group: Group): string | null {
  const value = group.attributes.get("version");
  const version = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof version === "string" && /^(un)?packed-/.test(version) ? version : null;
}

/**
 * All of them at and below `root`, by their paths. A group that several links lead to counts once; what cannot be
 * opened is passed over.
 * @throws {UnsupportedError} where stores are found, but more nodes than are looked through.
 */
export async function findStores(root: Group, options: ReadOptions = {}): Promise<readonly FoundStore[]> {
  const found: FoundStore[] = [];
  for await (const store of stores(root, options)) {
    if (store !== "more") found.push(store);
    else if (found.length > 0) {
      throw new UnsupportedError(
        `stores of BPCells among more than ${MAX_NODES} groups and arrays: open one by its path`,
      );
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether there is one; a file of many other things costs no more than a look at the first few thousand. */
export async function hasStore(root: Group, options: ReadOptions = {}): Promise<boolean> {
  for await (const store of stores(root, options)) return store !== "more";
  return false;
}

/** The stores, the least deep first; `"more"` at last where not all nodes were looked at. */
async function* stores(root: Group, options: ReadOptions): AsyncGenerator<FoundStore | "more"> {
  const seen = new Set([root.id]);
  let opened = 0;
  if (storeVersion(root) !== null) yield { path: "", group: root };
  let level: FoundStore[] = [{ path: "", group: root }];
  for (let depth = 0; level.length > 0; depth++) {
    const next: FoundStore[] = [];
    for (const { path, group } of level) {
      if (depth === MAX_DEPTH) continue;
      const isStore = storeVersion(group) !== null;
      for (const name of await orNone(group.keys(options))) {
        if (isStore && ARRAYS.test(name)) continue;
        if (++opened > MAX_NODES) return yield "more";
        const [node] = await orNone(group.open(name, options).then((child) => [child]));
        if (node?.kind !== "group" || seen.has(node.id)) continue;
        seen.add(node.id);
        const child = { path: path === "" ? name : `${path}/${name}`, group: node };
        if (storeVersion(node) !== null) yield child;
        next.push(child);
      }
    }
    level = next;
  }
}

/** Arrays of a store, which are not worth opening here. */
const ARRAYS =
  /^((val|index|cell|start|end|row)(_(data|idx|idx_offsets|starts))?|idxptr|[a-z]+_names|shape|storage_order)$/;

async function orNone<T>(action: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await action;
  } catch (error) {
    if (isAnnarrowError(error)) return [];
    throw error;
  }
}
