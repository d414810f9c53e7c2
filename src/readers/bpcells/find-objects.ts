/** The objects in an R file: the only value, or elements of lists. */

import type { Group } from "../../containers/tree/container.js";
import { type AnnarrowError, isAnnarrowError, NotFoundError, UnsupportedError } from "../../model/errors.js";
import { classOf, type ObjectOptions, openObject } from "./rds-object.js";
import type { FoundStore, ListLevel } from "./stores/find-stores.js";
import { versionOf } from "./stores/slot-group.js";

export interface FoundObjects {
  readonly stores: readonly FoundStore[];
  /** Objects that cannot be read, by their paths. */
  readonly failures: ReadonlyMap<string, AnnarrowError>;
}

/** More lists and objects than any real file has. */
const MAX_GROUPS = 2 ** 16;
const MAX_DEPTH = 64;

/**
 * All objects at and below `root`, by the names of the lists' elements, in the order of the lists. No slot of an object is
 * looked into: its class says what it stands for. What a list holds besides is a failure.
 * @throws {NotFoundError} where there is none.
 * @throws what is wrong with the first object, where none can be read.
 */
export async function findObjects(root: Group, options: ObjectOptions): Promise<FoundObjects> {
  const stores: FoundStore[] = [];
  const failures = new Map<string, AnnarrowError>();
  const others = new Map<string, AnnarrowError>();
  const taken = new Set<string>();
  let groups = 0;
  const search = async (group: Group, path: string, list: readonly ListLevel[]): Promise<void> => {
    if (++groups > MAX_GROUPS) throw new UnsupportedError(`more than ${MAX_GROUPS} lists and objects in one file`);
    if (classOf(group) !== null || (await versionOf(group, options)) !== null) {
      try {
        const place = list.length === 0 ? {} : { list };
        stores.push({ path, group: await openObject(group, options), ...place });
      } catch (error) {
        if (path === "" || !isAnnarrowError(error)) throw error;
        failures.set(path, error);
      }
      return;
    }
    const keys = list.length === MAX_DEPTH ? [] : await group.keys(options);
    if (keys.length === 0 && path !== "") {
      const what = list.length === MAX_DEPTH ? `a list in lists, more than ${MAX_DEPTH} deep` : "an empty list";
      others.set(path, new UnsupportedError(what));
    }
    for (const [i, key] of keys.entries()) {
      const own = distinct(path, key, i, taken);
      const below = path === "" ? own : `${path}/${own}`;
      taken.add(below);
      const node = await group.open(key, options).catch((error: unknown) => {
        if (isAnnarrowError(error)) return error;
        throw error;
      });
      if (isAnnarrowError(node)) others.set(below, node);
      else if (node.kind === "group")
        await search(node, below, [...list, { key: own, name: group.listed?.[i] ?? null }]);
      else others.set(below, new UnsupportedError("a vector, no object of BPCells"));
    }
  };
  await search(root, "", []);
  if (stores.length === 0) {
    const [failure] = failures.values();
    throw failure ?? new NotFoundError("no matrix or fragments of BPCells here");
  }
  return { stores, failures: new Map([...failures, ...others]) };
}

/** A name with a slash may make the path of another element: that has its position behind it. */
function distinct(path: string, key: string, position: number, taken: ReadonlySet<string>): string {
  const prefix = path === "" ? "" : `${path}/`;
  let own = key;
  for (let i = position + 1; taken.has(prefix + own); i++) own = `${key}_${i}`;
  return own;
}
