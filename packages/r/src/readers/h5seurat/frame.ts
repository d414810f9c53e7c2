/** Data frames: groups with a child for each column, or compound datasets. */

import { type AnnarrowError, InvalidDataError, isAnnarrowError } from "annarrow";
import type { Node } from "annarrow/core/containers";
import { createFieldArrays } from "annarrow/core/containers";
import { runWithLocation } from "annarrow/core/model";
import type { ColumnElement } from "annarrow/core/readers";
import { getTextAttribute, getTextListAttribute, mapConcurrently } from "annarrow/core/readers";
import type { Group, StoredArray } from "annarrow/format";
import {
  createDataframeTable,
  listChildNames,
  openChild,
  type ReaderContext,
  type TableElement,
} from "annarrow/format";
import { createVectorColumn, openArray, openColumn } from "./column.js";

/** Name of the column that contains the row names. */
const INDEX = "_index";

export type NamedColumn = readonly [name: string, column: ColumnElement];

/** Called for each column that cannot be represented. */
export type OnLostColumn = (column: string, error: AnnarrowError) => void;

export interface StoredFrame {
  readonly columns: readonly NamedColumn[];
  readonly names: StoredArray | null;
}

/**
 * Opens the columns of a dataframe in their order.
 * @param onFailure called for columns that cannot be read.
 * @throws {InvalidDataError} for a dataset that is not a compound.
 */
export async function openFrame(node: Node, cx: ReaderContext, onFailure: OnLostColumn): Promise<StoredFrame> {
  if (node.kind === "array") return { columns: compoundColumns(node), names: null };
  const index = getTextAttribute(node, INDEX) ?? "row.names";
  const keys = await listChildNames(node, cx);
  const logicals = new Set(getTextListAttribute(node, "logicals") ?? []);
  const wanted = orderedKeys(node, keys, cx).filter((key) => key !== index);
  const opened = await mapConcurrently(wanted, async (key): Promise<NamedColumn | null> => {
    try {
      return [
        key,
        await runWithLocation({ element: `${node.path}/${key}` }, () => groupColumn(node, key, logicals, cx)),
      ];
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
      onFailure(key, error);
      return null;
    }
  });
  const columns = opened.filter((column) => column !== null);
  return { columns, names: keys.includes(index) ? await openArray(node, index, cx) : null };
}

async function groupColumn(
  group: Group,
  key: string,
  logicals: ReadonlySet<string>,
  cx: ReaderContext,
): Promise<ColumnElement> {
  const child = await openChild(group, key, cx);
  if (child.kind === "array" && logicals.has(key)) return createVectorColumn(child, true);
  return openColumn(child, child.kind === "group" ? await listChildNames(child, cx) : [], cx);
}

/** Returns the children in the order of `colnames`, followed by the children that it omits, as in SeuratDisk. */
function orderedKeys(group: Group, keys: readonly string[], cx: ReaderContext): readonly string[] {
  const order = new Set(getTextListAttribute(group, "colnames") ?? []);
  const missing = [...order].filter((name) => !keys.includes(name));
  if (missing.length > 0 && missing.length < order.size) {
    cx.warn(`${group.path}: colnames names ${missing.slice(0, 5).join(", ")}, which the group lacks`);
  }
  return [...[...order].filter((name) => keys.includes(name)), ...keys.filter((key) => !order.has(key))];
}

function compoundColumns(array: StoredArray): readonly NamedColumn[] {
  const { type, shape } = array;
  if (type.kind !== "record" || shape?.length !== 1) {
    throw new InvalidDataError("neither a group nor a compound dataset of one dimension", { element: array.path });
  }
  const logicals = new Set(getTextListAttribute(array, "logicals") ?? []);
  const arrays = createFieldArrays(array);
  return type.fields.map(({ name }, i) => [name, createVectorColumn(arrays[i], logicals.has(name))]);
}

/**
 * Creates the table of a dataframe.
 * @param names of the rows, which become the index; null for a dataframe without names.
 * @throws {InvalidDataError} for columns of different lengths, and for a dataframe without names and columns.
 */
export function createFrameTable(
  path: string,
  columns: readonly NamedColumn[],
  names: StoredArray | null,
): TableElement {
  if (names !== null) {
    const index: NamedColumn = [INDEX, { plan: { kind: "array", array: names }, metadata: { kind: "string-array" } }];
    const all = [index, ...columns.filter(([name]) => name !== INDEX)];
    return createDataframeTable(
      path,
      all.map(([name]) => name),
      all.map(([, column]) => column),
      { index: INDEX },
    );
  }
  if (columns.length === 0) throw new InvalidDataError("a frame without names and columns", { element: path });
  const table = createDataframeTable(
    path,
    columns.map(([name]) => name),
    columns.map(([, column]) => column),
    {},
  );
  return { ...table, schemaMetadata: new Map() };
}
