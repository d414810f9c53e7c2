/** Finds MATLAB objects among the given tables. They are written back in their stored form. */

import type { Node as StoredNode } from "../../containers/tree/container.js";
import type { PassthroughObjects } from "../../containers/tree/passthrough-objects.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { type LossyContext, reportLoss } from "../context.js";
import type { ValueNode } from "./tree.js";

/** Texts in error messages: the condition for writing objects, and the remedy. */
export const ONLY_AS_READ =
  "which are written back only from the open file that they were read from, all and unchanged";
export const REMEDY = "convert that file, write its dataset, or leave them out";

export interface WrittenObjects {
  /** Objects in the file; null if no object is written back. */
  readonly objects: PassthroughObjects | null;
  /** The stored nodes of those variables, fields and elements that are objects. */
  readonly nodes: ReadonlyMap<ValueNode, StoredNode>;
}

const NOTHING: WrittenObjects = { objects: null, nodes: new Map() };

/**
 * Returns the objects among `variables` whose tables are all given and unchanged. All objects in a file share one
 * store, which is copied as a whole, so no object may be left out.
 * @throws {InvalidInputError} for objects from several files, and if some of a file's objects are left out. If losses
 * are allowed, no object is written back instead.
 */
export function selectWrittenObjects(
  variables: ReadonlyMap<string, ValueNode>,
  tables: ReadonlyMap<string, ColumnTable>,
  cx: LossyContext,
): WrittenObjects {
  const nodes = new Map<ValueNode, StoredNode>();
  const names = new Map<PassthroughObjects, Map<string, ValueNode>>();
  const sorted = new Sorted();
  for (const open = [...variables.values()].reverse(); open.length > 0; ) {
    const node = open.pop();
    if (node === undefined) break;
    const found = node.table === null ? treeObject(node, sorted) : tableObject(node.table);
    if (found === null) {
      for (const child of [...node.children.values()].reverse()) open.push(child);
      continue;
    }
    nodes.set(node, found.stored);
    const known = names.get(found.objects) ?? new Map<string, ValueNode>();
    names.set(found.objects, known.set(found.name, node));
  }
  const [first, second] = names;
  if (second !== undefined) {
    const [[{ path }], [{ path: other }]] = [[...second[1].values()], [...first[1].values()]];
    const problem = `objects of another file than those of ${other}, and a file has one store of objects`;
    reportLoss(cx, path, {
      problem,
      instead: "none of them is written as an object",
      remedy: "write each into a file of its own",
    });
    return NOTHING;
  }
  if (first === undefined) return { objects: wholeFile(tables), nodes };
  const [objects, given] = first;
  const missing = [...objects.nodes.keys()].find((name) => !given.has(name));
  if (missing !== undefined) {
    const [[, { path }]] = given;
    const problem = `objects that share their store with those of ${missing}, which is left out or not as it was read`;
    reportLoss(cx, path, {
      problem,
      instead: "none of them is written as an object",
      remedy: `write ${missing} as well, or no object at all`,
    });
    return NOTHING;
  }
  return { objects, nodes };
}

interface Found {
  readonly objects: PassthroughObjects;
  readonly name: string;
  readonly stored: StoredNode;
}

function tableObject({ asRead }: ColumnTable): Found | null {
  if (!asRead) return null;
  const { kept, name } = asRead;
  const stored = kept.nodes.get(name);
  return stored === undefined ? null : { objects: kept, name, stored };
}

/** Finds an object whose properties are tables or trees. All properties must be given, under their original names. */
function treeObject({ path, listed, children }: ValueNode, sorted: Sorted): Found | null {
  const stored = listed?.nodes.get(path);
  if (!listed || stored === undefined) return null;
  let count = 0;
  for (const open = [...children.values()]; open.length > 0; ) {
    const node = open.pop();
    if (node === undefined) break;
    for (const child of node.children.values()) open.push(child);
    if (node.table === null) continue;
    const { asRead } = node.table;
    if (asRead?.kept !== listed || asRead.name !== node.path) return null;
    count++;
  }
  return count === sorted.below(path, listed) ? { objects: listed, name: path, stored } : null;
}

/**
 * Returns a file's objects if all of its tables are given, because a file may have an object store without object
 * variables.
 */
function wholeFile(tables: ReadonlyMap<string, ColumnTable>): PassthroughObjects | null {
  const all = [...tables.values()].filter(({ derived }) => !derived);
  const kept = all[0]?.asRead?.kept;
  if (kept === undefined || all.length !== kept.tables.size) return null;
  return all.every(({ asRead, name }) => asRead?.kept === kept && asRead.name === name) ? kept : null;
}

/** Sorted table names, among which the names below a path are adjacent. */
class Sorted {
  readonly #names = new Map<PassthroughObjects, readonly string[]>();

  /** Number of tables below a path. */
  below(path: string, objects: PassthroughObjects): number {
    const names = this.#names.get(objects) ?? [...objects.tables].sort();
    this.#names.set(objects, names);
    // `0` is the character after `/`.
    return position(names, `${path}0`) - position(names, `${path}/`);
  }
}

/** Returns the number of names before `wanted`. */
function position(names: readonly string[], wanted: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (names[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
