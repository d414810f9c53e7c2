/** The objects in an R file: the only value, or elements of lists. */

import type { Group } from "../../containers/container.js";
import { type AnnarrowError, isAnnarrowError, NotFoundError, UnsupportedError } from "../../errors.js";
import type { FoundStore } from "./find-stores.js";
import { classOf, type ObjectOptions, openObject } from "./rds-object.js";
import { versionOf } from "./slot-group.js";

export interface FoundObjects {
  readonly stores: readonly FoundStore[];
  /** Objects that cannot be read, by their paths. */
  readonly failures: ReadonlyMap<string, AnnarrowError>;
}

/** More lists and objects than any real file has. */
const MAX_GROUPS = 2 ** 16;
const MAX_DEPTH = 64;

/**
 * All objects at and below `root`, by the names of the lists' elements. No slot of an object is looked into: its class
 * says what it stands for.
 * @throws {NotFoundError} where there is none.
 * @throws what is wrong with the first object, where none can be read.
 */
export async function findObjects(root: Group, options: ObjectOptions): Promise<FoundObjects> {
  const stores: FoundStore[] = [];
  const failures = new Map<string, AnnarrowError>();
  let groups = 0;
  const search = async (group: Group, path: string, depth: number): Promise<void> => {
    if (++groups > MAX_GROUPS) throw new UnsupportedError(`more than ${MAX_GROUPS} lists and objects in one file`);
    if (classOf(group) !== null || (await versionOf(group, options)) !== null) {
      try {
        stores.push({ path, group: await openObject(group, options) });
      } catch (error) {
        if (path === "" || !isAnnarrowError(error)) throw error;
        failures.set(path, error);
      }
      return;
    }
    if (depth === MAX_DEPTH) return;
    for (const name of await group.keys(options)) {
      const node = await group.open(name, options).catch((error: unknown) => {
        if (isAnnarrowError(error)) return null;
        throw error;
      });
      if (node?.kind === "group") await search(node, path === "" ? name : `${path}/${name}`, depth + 1);
    }
  };
  await search(root, "", 0);
  if (stores.length === 0) {
    const [failure] = failures.values();
    throw failure ?? new NotFoundError("no matrix or fragments of BPCells here");
  }
  return { stores, failures };
}
