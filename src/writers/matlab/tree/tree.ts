/** Tables by their names -> the tree of variables, fields and elements that they are. */

import { textValues } from "../../../arrow/text.js";
import type { KeptObjects } from "../../../containers/tree/kept-objects.js";
import { InvalidInputError, RefusedError } from "../../../model/errors.js";
import type { ColumnTable } from "../../../tables/column-table.js";
import { type RowsContext, rowsOf } from "../../../tables/rows.js";
import { isObject, type Metadata } from "./metadata.js";

export interface TreeNode {
  readonly path: string;
  /** null for what only holds others. */
  table: ColumnTable | null;
  /** What was read of a struct or a cell itself; null where nothing is known of it. */
  metadata: Metadata | null;
  /** What it is in AnnData, where that is more than a mapping. */
  mapping: string | null;
  /** The objects of the file whose derived table lists it; null where none does. */
  listed: KeptObjects | null;
  readonly children: Map<string, TreeNode>;
}

/**
 * The variables by their names.
 * @throws {InvalidInputError} where a table has the name of what holds others.
 */
export async function treeOf(
  tables: ReadonlyMap<string, ColumnTable>,
  cx: RowsContext,
): Promise<ReadonlyMap<string, TreeNode>> {
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

function newNode(path: string): TreeNode {
  return { path, table: null, metadata: null, mapping: null, listed: null, children: new Map() };
}

function nodeAt(root: TreeNode, path: string): TreeNode {
  let node = root;
  for (const key of path.split("/")) {
    if (key === "") {
      throw new RefusedError("an empty name, which no variable or field has", { element: path, table: path });
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

/** Kinds of mappings in AnnData. */
const MAPPINGS: ReadonlySet<string> = new Set(["dict", "anndata", "raw"]);

/** What a derived table says of the structs and cells, of which empty ones have no table. */
async function addListed(root: TreeNode, table: ColumnTable, cx: RowsContext): Promise<void> {
  const { metadata, name } = table;
  const mappings = isObject(metadata?.mappings) ? metadata.mappings : {};
  const own = nodeAt(root, name);
  const kept = table.asRead?.name === name ? table.asRead.kept : null;
  own.listed = kept;
  if (metadata !== null && "size" in metadata) own.metadata = metadata;
  for (const [path, one] of Object.entries(mappings)) {
    if (!path.startsWith(`${name}/`) || !isObject(one)) continue;
    const node = nodeAt(root, path);
    node.metadata = one;
    node.listed = kept;
  }
  const [path, kind] = ["path", "kind"].map((column) => table.fields.findIndex((field) => field.name === column));
  if (path < 0 || kind < 0) {
    throw new InvalidInputError("a derived table has the columns path and kind", { element: name });
  }
  for await (const { columns } of rowsOf(table, cx)) {
    const [paths, kinds] = [columns[path], columns[kind]];
    if (paths.layout !== "variable" || kinds.layout !== "variable") {
      throw new InvalidInputError("the columns path and kind of a derived table are text", { element: name });
    }
    const names = textValues(paths);
    for (const [i, one] of textValues(kinds).entries()) {
      const listed = names[i];
      if (one === null || !MAPPINGS.has(one) || !listed?.startsWith(`${name}/`)) continue;
      const node = nodeAt(root, listed);
      if (one !== "dict") node.mapping = one;
    }
  }
}

function checkTables(root: TreeNode): void {
  for (const open = [root]; open.length > 0; ) {
    const node = open.pop();
    if (node === undefined) return;
    if (node.table !== null && node.children.size > 0) {
      const below = [...node.children.values()][0]?.path;
      throw new RefusedError(`a table, and ${below} lies below it: rename one`, {
        element: node.path,
        table: below ?? node.path,
      });
    }
    open.push(...node.children.values());
  }
}

const POSITION = /^\{([1-9]\d*(?:,[1-9]\d*)*)\}$/;

/** The indices in `{2,1}`; null for other names. */
export function indicesOf(key: string): readonly number[] | null {
  const found = POSITION.exec(key)?.[1];
  return found === undefined ? null : found.split(",").map(Number);
}

/** `{3}` in a vector, `{2,1}` in a matrix: the name of an element, counted in column-major order. */
export function positionName(index: number, size: readonly number[]): string {
  if (size.length < 2 || (size.length === 2 && size.includes(1))) return `{${index + 1}}`;
  const indices: number[] = [];
  let rest = index;
  for (const length of size) {
    indices.push((rest % length) + 1);
    rest = Math.floor(rest / length);
  }
  return `{${indices.join(",")}}`;
}
