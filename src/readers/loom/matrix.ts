/** `/matrix` and `/layers`, which are dense matrices of genes x cells, and the lengths and names of their axes. */

import { decodeTextValues } from "../../arrow/text.js";
import type { Group, Node, StoredArray } from "../../containers/tree/container.js";
import type { ColumnPlan } from "../../jobs/plan/plan.js";
import { getColumnRowCount, readColumn, ScanState } from "../../jobs/rows/columns.js";
import { InvalidDataError } from "../../model/errors.js";
import type { TableElement } from "../element.js";
import { listChildNames, openChild, type ReaderContext, readOrNull } from "../reader.js";
import { createLoomArrayElement, type LoomContext } from "./array.js";

export type MatrixShape = readonly [rows: number, cols: number];

/** Makes the table for `/matrix`. @throws {InvalidDataError} if the node is not a matrix of numbers. */
export function createMatrixElement(node: Node, cx: LoomContext): TableElement {
  return createLoomArrayElement(numbersOf(node), cx);
}

/**
 * Creates the table for a layer.
 * @throws {InvalidDataError} if the layer is not a matrix of numbers, or its shape is not `shape`.
 */
export function createLayerElement(node: Node, shape: MatrixShape | null, cx: LoomContext): TableElement {
  const array = numbersOf(node);
  const found = JSON.stringify(array.shape);
  if (shape !== null && found !== JSON.stringify(shape)) {
    throw new InvalidDataError(`shape ${found}, the matrix has ${JSON.stringify(shape)}`);
  }
  return createLoomArrayElement(array, cx);
}

/** Returns the shape of a matrix of numbers; null for other nodes. */
export function findLoomMatrixShape(node: Node | null): MatrixShape | null {
  if (node?.kind !== "array" || node.shape?.length !== 2 || !isNumeric(node)) return null;
  return [node.shape[0], node.shape[1]];
}

function numbersOf(node: Node): StoredArray {
  if (node.kind === "group") throw new InvalidDataError("a group, a matrix is needed");
  if (!isNumeric(node)) throw new InvalidDataError(`a matrix of ${node.type.kind} values, numbers are needed`);
  if (node.shape?.length !== 2) {
    throw new InvalidDataError(`shape ${JSON.stringify(node.shape)}, a matrix has two dimensions`);
  }
  return node;
}

/** The specification does not define booleans, but h5py writes them. */
function isNumeric({ type }: StoredArray): boolean {
  return type.kind === "int" || type.kind === "float" || type.kind === "bool";
}

export type Lengths = readonly [rows: number | null, cols: number | null];

/**
 * Infers the numbers of rows and columns from the first layer, or from the first attribute of each axis, if the matrix
 * of a file cannot be read; null if there is neither.
 */
export async function inferAxisLengths(root: Group, keys: readonly string[], cx: LoomContext): Promise<Lengths> {
  for await (const node of childrenOf(root, "layers", keys, cx)) {
    const shape: MatrixShape | null = findLoomMatrixShape(node);
    if (shape !== null) return shape;
  }
  return [await attributeLength(root, "row_attrs", keys, cx), await attributeLength(root, "col_attrs", keys, cx)];
}

async function attributeLength(
  root: Group,
  name: string,
  keys: readonly string[],
  cx: LoomContext,
): Promise<number | null> {
  for await (const node of childrenOf(root, name, keys, cx)) {
    if (node?.kind === "array" && node.shape !== null && node.shape.length > 0) return node.shape[0];
  }
  return null;
}

async function* childrenOf(root: Group, name: string, keys: readonly string[], cx: LoomContext) {
  if (!keys.includes(name)) return;
  const group = await readOrNull(openChild(root, name, cx));
  if (group?.kind !== "group") return;
  for (const key of (await readOrNull(listChildNames(group, cx))) ?? [])
    yield await readOrNull(openChild(group, key, cx));
}

/** The attributes in which loompy, anndata and loomR store the names of cells. */
const COLUMN_NAMES = ["CellID", "obs_names", "cell_names"];

/** Returns a function that reads the names of the matrix's columns on demand; null if the file has no names. */
export function createColumnNameReader(
  colAttrs: TableElement | undefined,
  cx: ReaderContext,
): (() => Promise<readonly string[]>) | null {
  const plan = COLUMN_NAMES.map((name) => textColumn(colAttrs, name)).find((found) => found !== null);
  if (plan === undefined) return null;
  return async () => {
    const column = await readColumn(
      plan,
      { start: 0, end: getColumnRowCount(plan) },
      new ScanState(cx.text, cx.options),
    );
    return column.layout === "variable" ? decodeTextValues(column).map((text) => text ?? "") : [];
  };
}

function textColumn(element: TableElement | undefined, name: string): ColumnPlan | null {
  if (element?.plan.kind !== "columns") return null;
  const at = element.fields.findIndex((field) => field.name === name);
  const plan = element.plan.columns[at];
  return plan?.kind === "array" && isTextList(plan.array) ? plan : null;
}

function isTextList({ type, shape }: StoredArray): boolean {
  return type.kind === "text" && shape?.length === 1;
}
