/** BPCells stores inside files of another format, read as BPCells tables. */

import type { Group } from "../containers/tree/container.js";
import type { ReadOptions } from "../io/sources/source.js";
import { withNodes } from "../jobs/plan/listed-nodes.js";
import type { TablePlan } from "../jobs/plan/plan.js";
import { type AnnarrowError, isAnnarrowError } from "../model/errors.js";
import { type FoundStore, storeVersion } from "../readers/bpcells/stores/find-stores.js";
import type { DatasetPlans, ReadPlans } from "../readers/reader.js";

/** Arrays of pointers. Every store contains one of them. */
const POINTERS = /^(.+)\/(idxptr|idxptr_data|col_ptr|chr_ptr)$/;

/**
 * Wraps a reader so that the tables of a store (`layers/x/matrix`) replace its arrays, which the reader took for
 * elements.
 */
export function withStores(read: ReadPlans): ReadPlans {
  return async (root, cx) => {
    const { options, text } = cx;
    const plans = await read(root, cx);
    const stores = await storesAmong(plans, root, options);
    if (stores.length === 0) return plans;
    const { openStores } = await import("../readers/bpcells/read.js");
    const found = await openStores(stores, { exact: false, options, text }, (path) => `${path}/`);
    const isInside = (name: string) => stores.some(({ path }) => name.startsWith(`${path}/`));
    const tables: TablePlan[] = [...plans.tables.filter(({ name }) => !isInside(name)), ...found.tables];
    const failures = new Map<string, AnnarrowError>([...plans.failures].filter(([name]) => !isInside(name)));
    for (const [name, error] of found.failures) failures.set(name, error);
    return {
      ...plans,
      tables: tables.map((table) => withNodes(table, (path) => (isInside(path) ? null : path))),
      failures,
    };
  };
}

/** Finds the groups that are stores according to their attribute, and whose arrays were taken for elements. */
async function storesAmong(
  { tables, failures }: DatasetPlans,
  root: Group,
  options: ReadOptions,
): Promise<FoundStore[]> {
  // Arrays below `layers` whose shape does not match the axes are failures.
  const names = [...tables.map(({ name }) => name), ...failures.keys()];
  const paths = new Set(names.flatMap((name) => POINTERS.exec(name)?.[1] ?? []));
  const found: FoundStore[] = [];
  for (const path of [...paths].toSorted()) {
    const group = await groupAt(root, path, options);
    if (group !== null && storeVersion(group) !== null) found.push({ path, group });
  }
  return found;
}

async function groupAt(root: Group, path: string, options: ReadOptions): Promise<Group | null> {
  let group = root;
  try {
    for (const name of path.split("/")) {
      const node = await group.open(name, options);
      if (node.kind !== "group") return null;
      group = node;
    }
    return group;
  } catch (error) {
    if (isAnnarrowError(error)) return null;
    throw error;
  }
}
