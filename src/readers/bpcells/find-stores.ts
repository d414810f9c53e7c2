/** Groups that BPCells wrote: the attribute `version` says so, wherever in a file they lie. */

import type { Group } from "../../containers/container.js";
import { isAnnarrowError, UnsupportedError } from "../../errors.js";
import type { ReadOptions } from "../../sources/source.js";

/** A group with its path below the one that was searched, `""` for that itself. */
export interface FoundStore {
  readonly path: string;
  readonly group: Group;
}

/** More groups than any real file has. */
const MAX_GROUPS = 2 ** 16;
const MAX_DEPTH = 64;

/** What the group says to be, or null where that is nothing of BPCells. */
export function storeVersion(group: Group): string | null {
  const value = group.attributes.get("version");
  const version = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof version === "string" && /^(un)?packed-/.test(version) ? version : null;
}

/**
 * All of them at and below `root`, by their paths. A group that several links lead to counts once; what cannot be
 * opened is passed over.
 * @throws {UnsupportedError} where there are too many groups to look through.
 */
export async function findStores(root: Group, options: ReadOptions = {}): Promise<readonly FoundStore[]> {
  const found: FoundStore[] = [];
  const seen = new Set([root.id]);
  const search = async (group: Group, path: string, depth: number): Promise<void> => {
    const isStore = storeVersion(group) !== null;
    if (isStore) found.push({ path, group });
    if (depth === MAX_DEPTH) return;
    for (const name of await orNone(group.keys(options))) {
      if (isStore && ARRAYS.test(name)) continue;
      const [node] = await orNone(group.open(name, options).then((child) => [child]));
      if (node?.kind !== "group" || seen.has(node.id)) continue;
      seen.add(node.id);
      if (seen.size > MAX_GROUPS) throw new UnsupportedError(`more than ${MAX_GROUPS} groups in one file`);
      await search(node, path === "" ? name : `${path}/${name}`, depth + 1);
    }
  };
  await search(root, "", 0);
  return found;
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
