/**
 * Columns from R vectors: integers and reals in which one value means NA, logicals stored as 0, 1 and 2, and factors
 * stored as groups of `levels` and `values`.
 */

import { InvalidDataError, UnsupportedError } from "annarrow";
import type { Node } from "annarrow/core/containers";
import { createMappedArray } from "annarrow/core/containers";
import { findMissingInR, NA_INTEGER } from "annarrow/core/kernels";
import type { IntArray, NumberArray } from "annarrow/core/model";
import type { ColumnElement } from "annarrow/core/readers";
import { getFlagAttribute, getTextAttribute, getTextListAttribute, waitForBoth } from "annarrow/core/readers";
import type { Group, StoredArray } from "annarrow/format";
import { openChild, type ReaderContext } from "annarrow/format";

/** Opens a dataset of a group. @throws {InvalidDataError} for a group. */
export async function openArray(group: Group, name: string, cx: ReaderContext): Promise<StoredArray> {
  const node = await openChild(group, name, cx);
  if (node.kind === "array") return node;
  throw new InvalidDataError(`${name} is a group, a dataset is needed`, { element: node.path });
}

/** Opens a vector or a factor as a column. @param keys names of the children if the node is a group. */
export async function openColumn(node: Node, keys: readonly string[], cx: ReaderContext): Promise<ColumnElement> {
  if (node.kind === "array") return createVectorColumn(node, isLogical(node));
  if (keys.includes("levels") && keys.includes("values")) return factorColumn(node, cx);
  // SeuratDisk copies the columns of newer .h5ad files unchanged, but cannot read them itself.
  if (keys.includes("categories") && keys.includes("codes")) return copiedCategories(node, cx);
  if (keys.includes("mask") && keys.includes("values")) {
    const [values, mask] = await waitForBoth(openArray(node, "values", cx), openArray(node, "mask", cx));
    return { plan: { kind: "nullable", values, mask }, metadata: { kind: vectorKind(values) } };
  }
  throw new UnsupportedError("a group that is no factor, where a column is expected", { element: node.path });
}

/** Whether an attribute of the dataset declares logical values. */
export function isLogical(array: StoredArray): boolean {
  return getTextAttribute(array, "s3class") === "logical" && array.type.kind === "int";
}

/** Makes a column from a dataset of any rank. Missing values are detected when the column is read. */
export function createVectorColumn(array: StoredArray, logical: boolean): ColumnElement {
  const { type } = array;
  if (logical && type.kind === "int") {
    const values = createMappedArray(array, { kind: "bool" }, (own) => logicals(own, array.path));
    const mask = createMappedArray(array, { kind: "bool" }, (own) => flags(own, (one) => Number(one) === 2));
    return { plan: { kind: "nullable", values, mask }, metadata: { kind: "array" } };
  }
  if ((type.kind === "int" && type.bits === 32 && type.signed) || (type.kind === "float" && type.bits === 64)) {
    const mask = createMappedArray(array, { kind: "bool" }, (own) => findMissingInR(own) ?? new Uint8Array(own.length));
    return { plan: { kind: "nullable", values: array, mask }, metadata: { kind: "array" } };
  }
  return { plan: { kind: "array", array }, metadata: { kind: vectorKind(array) } };
}

function vectorKind({ type }: StoredArray): string {
  return type.kind === "text" ? "string-array" : "array";
}

function flags(values: NumberArray, isSet: (one: number | bigint) => boolean): Uint8Array {
  const to = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) if (isSet(values[i])) to[i] = 1;
  return to;
}

function logicals(values: NumberArray, element: string): Uint8Array {
  return flags(values, (one) => {
    const value = Number(one);
    if (value === 0 || value === 1 || value === 2) return value === 1;
    throw new InvalidDataError(`a logical of ${value}; there are 0, 1, and 2 for NA`, { element });
  });
}

async function factorColumn(group: Group, cx: ReaderContext): Promise<ColumnElement> {
  const [values, levels] = await waitForBoth(openArray(group, "values", cx), openArray(group, "levels", cx));
  if (values.type.kind !== "int")
    throw new InvalidDataError("values of a factor are integers", { element: group.path });
  // hdf5r stores NA as R does. SeuratDisk's copies of codes store a missing code as 0.
  const codes = createMappedArray(values, { kind: "int", bits: 32, signed: true }, (own) => codesOf(own));
  const ordered = getTextListAttribute(group, "s3class")?.includes("ordered") ?? false;
  return categorical(codes, levels, ordered);
}

function codesOf(values: NumberArray): IntArray {
  const codes = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = Number(values[i]);
    codes[i] = value === NA_INTEGER ? -1 : value - 1;
  }
  return codes;
}

async function copiedCategories(group: Group, cx: ReaderContext): Promise<ColumnElement> {
  const [codes, categories] = await waitForBoth(openArray(group, "codes", cx), openArray(group, "categories", cx));
  return categorical(codes, categories, getFlagAttribute(group, "ordered"));
}

function categorical(codes: StoredArray, categories: StoredArray, ordered: boolean): ColumnElement {
  return {
    plan: {
      kind: "categorical",
      codes: { kind: "array", array: codes },
      categories: { kind: "array", array: categories },
      ordered,
    },
    metadata: { kind: "categorical", categories: { kind: vectorKind(categories) } },
  };
}
