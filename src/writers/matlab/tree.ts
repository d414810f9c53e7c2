/** Builds the tree of variables, fields and elements from the tables' names, and makes names that MATLAB allows. */

import type { PassthroughObjects } from "../../containers/tree/passthrough-objects.js";
import { UnsupportedElementError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import type { RowsContext } from "../../tables/rows.js";
import { readListedPaths } from "../groups.js";
import { isObject, type MatlabMetadata } from "./metadata.js";

export interface ValueNode {
  readonly path: string;
  /** Table at this node; null if the node only contains other nodes. */
  table: ColumnTable | null;
  /** Metadata of the struct or cell itself; null if it was not read from a file. */
  metadata: MatlabMetadata | null;
  /** AnnData encoding of the mapping, if it is not `dict`. */
  mapping: string | null;
  /** Objects in the file whose derived table lists the node; null if there is no such file. */
  listed: PassthroughObjects | null;
  readonly children: Map<string, ValueNode>;
}

/**
 * Returns the variables by name.
 * @throws {InvalidInputError} if a table has the name of a node that contains other nodes.
 */
export async function createValueTree(
  tables: ReadonlyMap<string, ColumnTable>,
  cx: RowsContext,
): Promise<ReadonlyMap<string, ValueNode>> {
  const root = newNode("");
  for (const [name, table] of tables) {
    if (table.derived) continue;
    const node = nodeAt(root, name);
    node.table = table;
  }
  for (const table of tables.values()) if (table.derived) await addListed(root, table, cx);
  checkTables(root);
  return root.children;
}

function newNode(path: string): ValueNode {
  return { path, table: null, metadata: null, mapping: null, listed: null, children: new Map() };
}

function nodeAt(root: ValueNode, path: string): ValueNode {
  let node = root;
  for (const key of path.split("/")) {
    if (key === "") {
      throw new UnsupportedElementError("an empty name, which no variable or field has", {
        element: path,
        table: path,
      });
    }
    let child = node.children.get(key);
    if (child === undefined) {
      child = newNode(node === root ? key : `${node.path}/${key}`);
      node.children.set(key, child);
    }
    node = child;
  }
  return node;
}

const MAPPINGS: ReadonlySet<string> = new Set(["dict", "anndata", "raw"]);

/** Adds the structs and cells that a derived table lists, because an empty struct or cell has no table. */
async function addListed(root: ValueNode, table: ColumnTable, cx: RowsContext): Promise<void> {
  const { metadata, name } = table;
  const mappings = isObject(metadata?.mappings) ? metadata.mappings : {};
  const own = nodeAt(root, name);
  const kept = table.asRead?.name === name ? table.asRead.kept : null;
  own.listed = kept;
  if (metadata?.size !== undefined) own.metadata = metadata;
  for (const [path, one] of Object.entries(mappings)) {
    if (!path.startsWith(`${name}/`) || !isObject(one)) continue;
    const node = nodeAt(root, path);
    node.metadata = one;
    node.listed = kept;
  }
  for await (const { path, kind } of readListedPaths(table, cx)) {
    if (!MAPPINGS.has(kind) || !path.startsWith(`${name}/`)) continue;
    const node = nodeAt(root, path);
    if (kind !== "dict") node.mapping = kind;
  }
}

function checkTables(root: ValueNode): void {
  for (const open = [root]; open.length > 0; ) {
    const node = open.pop();
    if (node === undefined) return;
    if (node.table !== null && node.children.size > 0) {
      const below = [...node.children.values()][0]?.path;
      throw new UnsupportedElementError(`a table, and ${below} lies below it: rename one`, {
        element: node.path,
        table: below ?? node.path,
      });
    }
    for (const child of node.children.values()) open.push(child);
  }
}

const POSITION = /^\{([1-9]\d*(?:,[1-9]\d*)*)\}$/;

/** Returns the indices in a name such as `{2,1}`; null for other names. */
export function parseElementIndices(key: string): readonly number[] | null {
  const found = POSITION.exec(key)?.[1];
  return found === undefined ? null : found.split(",").map(Number);
}

/** Returns an element's name for a column-major index: `{3}` in a vector, `{2,1}` in a matrix. */
export function formatElementIndices(index: number, size: readonly number[]): string {
  if (size.length < 2 || (size.length === 2 && size.includes(1))) return `{${index + 1}}`;
  const indices: number[] = [];
  let rest = index;
  for (const length of size) {
    indices.push((rest % length) + 1);
    rest = Math.floor(rest / length);
  }
  return `{${indices.join(",")}}`;
}

const VALID = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;
const MOST = 63;

/** MATLAB keywords, which cannot be variable names. */
const KEYWORDS = new Set(
  (
    "break case catch classdef continue else elseif end for function global if otherwise parfor persistent return " +
    "spmd switch try while"
  ).split(" "),
);

export function isValidName(name: string): boolean {
  return VALID.test(name) && !KEYWORDS.has(name);
}

/** Makes all names valid and distinct. Valid names remain unchanged. */
export function makeValidNames(names: readonly string[]): readonly string[] {
  const taken = new Set(names.filter(isValidName));
  return names.map((name) => (isValidName(name) ? name : makeDistinctName(makeValidName(name), taken)));
}

/**
 * Converts a name to a valid one according to the rules of `matlab.lang.makeValidName`: prepends `x` if the first
 * character is not a letter, and replaces other characters with `_`.
 */
export function makeValidName(name: string): string {
  if (KEYWORDS.has(name)) return `x${name[0].toUpperCase()}${name.slice(1)}`;
  const plain = name.replace(/[^A-Za-z0-9_]/g, "_");
  return (/^[A-Za-z]/.test(plain) ? plain : `x${plain}`).slice(0, MOST);
}

/** Returns `name`, or `name` with a number if it is taken. */
export function makeDistinctName(name: string, taken: Set<string>): string {
  let own = name;
  for (let i = 1; taken.has(own); i++) {
    const suffix = `_${i}`;
    own = `${name.slice(0, MOST - suffix.length)}${suffix}`;
  }
  taken.add(own);
  return own;
}
