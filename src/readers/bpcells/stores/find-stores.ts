/** Finds the groups that BPCells wrote, anywhere in a file. Their attribute `version` identifies them. */

import type { Group } from "../../../containers/tree/container.js";
import type { ReadOptions } from "../../../io/sources/source.js";
import { isAnnarrowError, UnsupportedError } from "../../../model/errors.js";

/** A group and its path below the group that was searched. The path is `""` for that group itself. */
export interface FoundStore {
  readonly path: string;
  readonly group: Group;
  /** The R lists that contain the store, outermost first; absent if there are none. */
  readonly list?: readonly ListLevel[];
}

/** An element in an R list: its path segment, and its name, which is null in a list without names. */
export interface ListLevel {
  readonly key: string;
  readonly name: string | null;
}

/** Maximum number of nodes that a search opens, starting with the least deep, and maximum depth of the search. */
const MAX_NODES = 2 ** 12;
const MAX_DEPTH = 16;

/** Returns the version of a store; null for other groups. */
export function storeVersion(group: Group): string | null {
  const value = group.attributes.get("version");
  const version = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof version === "string" && /^(un)?packed-/.test(version) ? version : null;
}

/**
 * Finds all stores at and below `root`, sorted by path. A group with several links counts once. Nodes that cannot be
 * opened are skipped.
 * @throws {UnsupportedError} if the search finds stores but ends before the last node.
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

/** Whether there is a store among the first few thousand nodes. */
export async function hasStore(root: Group, options: ReadOptions = {}): Promise<boolean> {
  for await (const store of stores(root, options)) return store !== "more";
  return false;
}

/**
 * Yields stores, starting with the least deep. Yields `"more"` at the end if the search stops before the last node.
 */
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

/** Names of a store's arrays, which need not be opened during the search. */
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
