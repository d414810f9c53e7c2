/** Opens a node as an element, according to its encoding. */

import type { Group, Node } from "../../containers/tree/container.js";
import { getColumnRowCount, getColumnType } from "../../jobs/rows/columns.js";
import { type AnnarrowError, InvalidDataError, isAnnarrowError, runWithLocation } from "../../model/errors.js";
import { getShapeAttribute, getTextAttribute, getTextListAttribute } from "../attributes.js";
import { mapConcurrently } from "../concurrency.js";
import {
  ABSENT,
  createDataframeTable,
  createSparseTable,
  type Element,
  type SparseKind,
  type TableElement,
} from "../element.js";
import { listChildNames, openPath, type ReaderContext } from "../reader.js";
import type { MappingKey } from "../tree.js";
import { createArrayElement, isNull, openArray, openColumn } from "./column.js";
import { getEncodingMetadata, getKnownEncoding } from "./encoding.js";

/** @throws {UnsupportedError} for an unknown encoding. */
export async function openElement(node: Node, cx: ReaderContext): Promise<Element> {
  const { type } = getKnownEncoding(node);
  if (node.kind === "array") return createArrayElement(node);
  switch (type) {
    case "":
      return untagged(node, cx);
    case "anndata":
    case "raw":
      return { kind: "mapping", type, group: node };
    case "dict":
    case "mapping":
      return { kind: "mapping", type: "dict", group: node };
    case "csr_matrix":
    case "csc_matrix":
      return sparseElement(node, type, cx);
    case "dataframe":
      return dataframeElement(node, cx);
    default: {
      const { plan, metadata } = await openColumn(node, cx, null);
      const rows = getColumnRowCount(plan);
      return {
        kind: "table",
        fields: [{ name: "value", type: getColumnType(plan), nullable: true }],
        metadata: { ...metadata, shape: [rows], ...getEncodingMetadata(node) },
        rows,
        plan: { kind: "columns", columns: [plan] },
        shape: [rows],
      };
    }
  }
}

/**
 * Opens a group without a tag. It is a sparse matrix from anndata before 0.7 if it has `h5sparse_format`, otherwise a
 * mapping.
 */
async function untagged(group: Extract<Node, { kind: "group" }>, cx: ReaderContext): Promise<Element> {
  if (!group.attributes.has("h5sparse_format")) return { kind: "mapping", type: "dict", group };
  const format = getTextAttribute(group, "h5sparse_format");
  if (format === "csr" || format === "csc") return sparseElement(group, `${format}_matrix`, cx);
  throw new InvalidDataError(`h5sparse_format ${JSON.stringify(format)}`, { element: group.path });
}

/** Opens a node below a mapping. If X or raw is missing in a nested AnnData, anndata 0.12 writes null. */
export async function openMappingChild(node: Node, cx: ReaderContext, { key, type }: MappingKey): Promise<Element> {
  if (type === "anndata" && (key === "X" || key === "raw") && node.kind === "array" && isNull(node)) return ABSENT;
  return openElement(node, cx);
}

/** Maximum number of columns that cannot be opened. If there are more, the whole dataframe fails, to save memory. */
const MAX_LOST = 1000;

/**
 * Opens a dataframe 0.2.0 or 0.1.0: the index first, then the columns in the order of `column-order`. A column that
 * cannot be opened becomes a failure; the table contains the other columns.
 */
async function dataframeElement(group: Group, cx: ReaderContext): Promise<TableElement> {
  const index = getTextAttribute(group, "_index");
  const order = await columnOrder(group, index, cx);
  const names = distinctColumns(index ?? "_index", order, group, cx);
  const lost = new Map<string, AnnarrowError>();
  const columns = await mapConcurrently(names, async (name) => {
    try {
      if (index === undefined && name === "_index") throw new InvalidDataError("a dataframe without _index");
      const node = await runWithLocation({ element: `${group.path}/${name}` }, () => openPath(group, name, cx));
      return await runWithLocation({ element: node.path }, () => openColumn(node, cx, group));
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
      lost.set(name, error);
      if (lost.size > MAX_LOST) throw manyLost(group, names, lost);
      return error;
    }
  });
  const place = index === undefined ? -1 : order.indexOf(index);
  return createDataframeTable(group.path, names, columns, {
    ...getEncodingMetadata(group),
    index: index ?? "_index",
    // The index may also be a column, in which case this is its position.
    ...(place < 0 ? {} : { indexColumn: place }),
  });
}

function manyLost(group: Group, names: readonly string[], lost: ReadonlyMap<string, AnnarrowError>): InvalidDataError {
  const first = names.find((name) => lost.has(name)) ?? "";
  const reason = `the first is ${JSON.stringify(first)}: ${lost.get(first)?.problem}`;
  const problem = `more than ${MAX_LOST} of its ${names.length} columns cannot be opened; ${reason}`;
  return new InvalidDataError(problem, { element: group.path });
}

/**
 * Returns the names of the index and the columns without repetitions. anndata 0.8 could list a column twice although
 * there was only one child for both.
 */
function distinctColumns(index: string, order: readonly string[], group: Group, cx: ReaderContext): readonly string[] {
  const names = new Set([index]);
  let repeated = false;
  for (const name of order) {
    // The index may also be a column.
    repeated ||= name !== index && names.has(name);
    names.add(name);
  }
  if (repeated) cx.warn(`${group.path}: column-order names a column twice; it is kept once`);
  return [...names];
}

/**
 * Returns the column names in `column-order`, or the names of all children if `column-order` is not a list of names.
 */
async function columnOrder(group: Group, index: string | undefined, cx: ReaderContext): Promise<readonly string[]> {
  try {
    const order = getTextListAttribute(group, "column-order");
    if (order !== undefined) return order;
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
  }
  const keys = await listChildNames(group, cx);
  const names = keys.filter((key) => key !== index && key !== "__categories");
  if (names.length > 0) cx.warn(`${group.path}: no column-order; the columns follow in the order of the group`);
  return names;
}

/** Opens a csr_matrix or csc_matrix 0.1.0, or an `h5sparse` group from anndata before 0.7, as a coordinate table. */
async function sparseElement(group: Group, kind: SparseKind, cx: ReaderContext): Promise<TableElement> {
  const shape = getShapeAttribute(group, "shape") ?? getShapeAttribute(group, "h5sparse_shape");
  if (shape === undefined) throw new InvalidDataError("a sparse matrix without shape", { element: group.path });
  const parts = ["data", "indices", "indptr"] as const;
  const [data, indices, indptr] = await mapConcurrently(parts, (name) => openArray(group, name, cx));
  return createSparseTable({ kind, shape, data, indices, indptr }, group.path, getEncodingMetadata(group));
}
