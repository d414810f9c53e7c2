/**
 * R lists as trees of elements. Vectors, factors, dataframes and matrices become tables, and other groups are lists.
 */

import { UnsupportedError } from "annarrow";
import type { Node } from "annarrow/core/containers";
import { getColumnRowCount, getColumnType } from "annarrow/core/jobs";
import type { ColumnElement, Element } from "annarrow/core/readers";
import { getTextAttribute, getTextListAttribute, walkMapping } from "annarrow/core/readers";
import type { Group, StoredArray } from "annarrow/format";
import { createArrayTable, listChildNames, openChild, type ReaderContext, type TableElement } from "annarrow/format";
import { createVectorColumn, isLogical, openColumn } from "./column.js";
import type { H5SeuratContext } from "./context.js";
import { createFrameTable, openFrame } from "./frame.js";
import { isSparse, openMatrix, reverseDimensions } from "./matrix.js";

/** Adds the children of a group as a tree with a table of its nodes, if the group has children. */
export async function addMapping(cx: H5SeuratContext, path: string, node: Node): Promise<void> {
  if (node.kind !== "group") return;
  const list = listOf(node);
  if ((await cx.found.keys(path, list, cx.reading)).length === 0) return;
  const open = (child: Node, own: ReaderContext) => openElement(child, own);
  cx.listed.set(path, await walkMapping(path, list, cx.found, cx.reading, open));
}

/** Adds a child of a group as a table or as a tree. */
export async function addAny(cx: H5SeuratContext, path: string, parent: Group, key: string): Promise<void> {
  const element = await cx.found.element(path, async () =>
    openElement(await openChild(listOf(parent), key, cx.reading), cx.reading),
  );
  if (element?.kind === "table") cx.found.tables.set(path, element);
  else if (element?.kind === "mapping") await addMapping(cx, path, element.group);
}

async function openElement(node: Node, cx: ReaderContext): Promise<Element> {
  if (node.kind === "array") return arrayElement(node, cx);
  const keys = await listChildNames(node, cx);
  if (isSparse(keys)) return (await openMatrix(node, null, cx)).table(node.path, "same");
  if (["colnames", "_index"].some((name) => node.attributes.has(name)) || keys.includes("row.names")) {
    return openTable(node, cx);
  }
  if (keys.length === 2 && keys.includes("levels") && keys.includes("values")) {
    return columnTable(await openColumn(node, keys, cx));
  }
  return { kind: "mapping", type: "dict", group: listOf(node) };
}

async function openTable(node: Node, cx: ReaderContext): Promise<TableElement> {
  const { columns, names } = await openFrame(node, cx, (_, error) => {
    throw error;
  });
  // Our writer marks record arrays. They were not dataframes, so they had no row names.
  if (getTextAttribute(node, "annarrow") !== "rec-array") return createFrameTable(node.path, columns, names);
  const table = createFrameTable(node.path, columns, null);
  return { ...table, metadata: { kind: "rec-array", shape: table.shape } };
}

async function arrayElement(array: StoredArray, cx: ReaderContext): Promise<TableElement> {
  const { type, shape } = array;
  if (type.kind === "record") return openTable(array, cx);
  if (shape === null) throw new UnsupportedError("no value");
  if (shape.length > 1) {
    if (type.kind === "text") throw new UnsupportedError("a matrix of text");
    return columnTable(createVectorColumn(reverseDimensions(array), isLogical(array)));
  }
  if (shape.length === 1 && shape[0] !== 1) return columnTable(createVectorColumn(array, isLogical(array)));
  const column = createVectorColumn(scalarOf(array), isLogical(array));
  const kind = type.kind === "text" ? "string" : "numeric-scalar";
  return columnTable({ ...column, metadata: { kind } });
}

function columnTable({ plan, metadata }: ColumnElement): TableElement {
  const shape = shapeOf(plan);
  if (plan.kind === "array") return createArrayTable(plan.array, { ...metadata, shape });
  return {
    kind: "table",
    fields: [{ name: "value", type: getColumnType(plan), nullable: shape.length <= 1 }],
    metadata: { ...metadata, shape },
    rows: getColumnRowCount(plan),
    plan: { kind: "columns", columns: [plan] },
    shape,
  };
}

function shapeOf(plan: ColumnElement["plan"]): readonly number[] {
  const array = plan.kind === "nullable" ? plan.values : plan.kind === "array" ? plan.array : null;
  return array?.shape ?? [getColumnRowCount(plan)];
}

/** Makes a scalar from a vector with one value, because R has no scalars. */
function scalarOf({ path, id, attributes, type, read }: StoredArray): StoredArray {
  return {
    ...{ kind: "array", path, id, attributes, type, shape: [], chunks: null },
    read: (start, end, options) => read(start, end, options),
  };
}

/** Name suffix of the dataset that is stored beside a vector and contains the vector's names. */
const NAMES = "__names__";

/**
 * Returns a list as a group whose children have the list's order. A vector with names is stored as a dataframe with two
 * columns; its row names mark it as a vector.
 */
function listOf(group: Group): Group {
  return {
    ...group,
    async keys(options) {
      const all = await group.keys(options);
      const keys = all.filter((key) => !(key.endsWith(NAMES) && all.includes(key.slice(0, -NAMES.length))));
      const order = new Set(getTextListAttribute(group, "names") ?? []);
      return [...[...order].filter((key) => keys.includes(key)), ...keys.filter((key) => !order.has(key))];
    },
    async open(name, options) {
      const node = await group.open(name, options);
      if (node.kind === "group" || !(await group.keys(options)).includes(`${name}${NAMES}`)) return node;
      const names = await group.open(`${name}${NAMES}`, options);
      return names.kind === "group" ? node : namedVector(node, names);
    },
  };
}

function namedVector(values: StoredArray, names: StoredArray): Group {
  const children: ReadonlyMap<string, StoredArray> = new Map([
    ["_index", names],
    ["value", values],
  ]);
  return {
    kind: "group",
    path: values.path,
    id: `${values.id} with names`,
    attributes: new Map([["_index", "_index"]]),
    keys: async () => [...children.keys()],
    async open(name) {
      const child = children.get(name);
      if (child === undefined) throw new UnsupportedError(`no ${name} in a vector with names`);
      return child;
    },
  };
}
