/**
 * The tables of one matrix: X, the barcodes as `obs`, and the features as `var` with the same columns as scanpy's
 * `read_10x_h5`. The stored matrix is features by barcodes. Its columns are the rows of X, so X uses the stored arrays
 * directly.
 */

import type { Group, StoredArray } from "../../containers/tree/container.js";
import { getColumnRowCount, getColumnType } from "../../jobs/rows/columns.js";
import { InvalidDataError, NotFoundError, runWithLocation } from "../../model/errors.js";
import { mapConcurrently } from "../concurrency.js";
import { type ColumnElement, createDataframeTable, createSparseTable, type TableElement } from "../element.js";
import { listChildNames, openChild, type ReaderContext } from "../reader.js";
import type { FoundElements } from "../tree.js";
import type { MatrixGroup } from "./find-matrices.js";

/** The number of barcode names and the number of feature names; null if the names cannot be read. */
interface NamedCounts {
  readonly barcodes: number | null;
  readonly features: number | null;
}

const PARTS = ["data", "indices", "indptr", "shape"] as const;

/** Paths of X's arrays below the matrix's group. */
export const COUNTS: readonly string[] = PARTS;

/**
 * Opens X, of shape cells x features.
 * @throws {NotFoundError} if an array is missing.
 * @throws {InvalidDataError} if the arrays do not fit together.
 */
export async function openCountsElement(
  { group, keys }: MatrixGroup,
  lengths: NamedCounts,
  cx: ReaderContext,
): Promise<TableElement> {
  const [data, indices, indptr, stored] = await mapConcurrently(PARTS, async (name): Promise<StoredArray> => {
    if (!keys.includes(name)) throw new NotFoundError(`a matrix without ${name}`, { element: group.path });
    const node = await openChild(group, name, cx);
    if (node.kind === "array") return node;
    throw new InvalidDataError("a group, an array is needed", { element: node.path });
  });
  const [features, barcodes] = await shapeOf(stored, cx);
  const named = { barcodes, features };
  for (const axis of ["features", "barcodes"] as const) {
    const length = lengths[axis];
    if (length !== null && length !== named[axis]) {
      throw new InvalidDataError(`${named[axis]} ${axis}, there are names for ${length}`, { element: stored.path });
    }
  }
  const { kind } = data.type;
  if (kind !== "int" && kind !== "float" && kind !== "bool") {
    throw new InvalidDataError(`counts are stored as ${kind}, not as numbers`, { element: data.path });
  }
  return createSparseTable({ kind: "csr_matrix", shape: [barcodes, features], data, indices, indptr }, group.path, {});
}

/** Reads the stored shape, which is features by barcodes. */
async function shapeOf(array: StoredArray, cx: ReaderContext): Promise<readonly [number, number]> {
  const { shape, type, path } = array;
  if (shape?.length !== 1 || shape[0] !== 2 || type.kind !== "int") {
    throw new InvalidDataError(`${type.kind} of shape ${JSON.stringify(shape)}, two integers are needed`, {
      element: path,
    });
  }
  const read = await cx.concurrency.run(() => array.read(0, 2, cx.options));
  const sizes = read.kind === "fixed" ? Array.from(read.values, Number) : [];
  if (sizes.length === 2 && sizes.every((size) => Number.isSafeInteger(size) && size >= 0)) return [sizes[0], sizes[1]];
  throw new InvalidDataError(`${JSON.stringify(sizes)} is no shape of a matrix`, { element: path });
}

export interface AxisFrame {
  readonly element: TableElement;
  /** Paths of the axis's arrays below the matrix's group. */
  readonly used: readonly string[];
}

interface Column {
  readonly name: string;
  readonly array: StoredArray;
}

/**
 * Opens the barcodes.
 * @param name the table's name; failures of columns are recorded below it.
 * @throws {NotFoundError} {InvalidDataError} if the matrix has no barcodes.
 */
export async function openBarcodeAxis(
  { group, keys }: MatrixGroup,
  name: string,
  found: FoundElements,
  cx: ReaderContext,
): Promise<AxisFrame> {
  const index = await textsOf(group, keys, "barcodes", cx);
  // In a matrix of probes, this array marks the barcodes that are cells.
  const called = keys.filter((key) => key === "filtered_barcodes").map((key) => [key, key] as const);
  return axisOf(index, await columnsOf({ name, group, index }, called, found, cx), group.path);
}

/**
 * Opens the features.
 * @param name the table's name; failures of columns are recorded below it.
 * @throws {NotFoundError} {InvalidDataError} if the features have no names.
 */
export async function openFeatureAxis(
  matrix: MatrixGroup,
  name: string,
  found: FoundElements,
  cx: ReaderContext,
): Promise<AxisFrame> {
  const { group, keys } = matrix;
  if (!keys.includes("features")) return geneAxis(matrix, name, found, cx);
  const features = await openChild(group, "features", cx);
  if (features.kind !== "group") throw new InvalidDataError("an array, a group is needed", { element: features.path });
  const names = await listChildNames(features, cx);
  const own = names.includes("name") || !names.includes("id") ? "name" : "id";
  if (own === "id") cx.warn(`${features.path}: no name: the ids are the names of features`);
  const index = await textsOf(features, names, own, cx);
  const called = columnNames(names.filter((child) => child !== own));
  return axisOf(index, await columnsOf({ name, group: features, index }, called, found, cx), group.path);
}

/** Opens the genes in a file from before Cell Ranger 3. */
async function geneAxis(
  { group, keys }: MatrixGroup,
  name: string,
  found: FoundElements,
  cx: ReaderContext,
): Promise<AxisFrame> {
  if (!keys.includes("genes") && !keys.includes("gene_names")) {
    throw new NotFoundError("a matrix without features", { element: group.path });
  }
  const own = keys.includes("gene_names") ? "gene_names" : "genes";
  if (own === "genes") cx.warn(`${group.path}: no gene_names: the ids are the names of genes`);
  const index = await textsOf(group, keys, own, cx);
  if (own === "genes" || !keys.includes("genes")) return axisOf(index, [], group.path);
  return axisOf(index, await columnsOf({ name, group, index }, [["genes", "gene_ids"]], found, cx), group.path);
}

type ColumnNames = readonly [stored: string, column: string];

/**
 * Pairs stored names with column names, in scanpy's order. In a matrix of probes, `id` is the name of the probe. If two
 * arrays have the same column name, the first becomes the column.
 */
function columnNames(names: readonly string[]): readonly ColumnNames[] {
  const first: readonly (readonly [string, string])[] = names.includes("gene_id")
    ? [
        ["gene_id", "gene_ids"],
        ["id", "probe_ids"],
        ["feature_type", "feature_types"],
      ]
    : [
        ["id", "gene_ids"],
        ["feature_type", "feature_types"],
      ];
  const taken = new Set(["_index", "_all_tag_keys", ...first.flat()]);
  return [
    ...first.filter(([stored]) => names.includes(stored)),
    ...names.filter((name) => !taken.has(name)).map((name) => [name, name] as const),
  ];
}

/** Opens the names of an axis. */
async function textsOf(group: Group, keys: readonly string[], name: string, cx: ReaderContext): Promise<StoredArray> {
  if (!keys.includes(name)) throw new NotFoundError(`a matrix without ${name}`, { element: group.path });
  const array = await openChild(group, name, cx);
  if (array.kind === "group" || array.type.kind !== "text" || array.shape?.length !== 1) {
    const found = array.kind === "group" ? "a group" : `${array.type.kind} of shape ${JSON.stringify(array.shape)}`;
    throw new InvalidDataError(`${found}, a list of texts is needed`, { element: array.path });
  }
  return array;
}

interface AxisTable {
  readonly name: string;
  readonly group: Group;
  readonly index: StoredArray;
}

/**
 * Opens columns, but skips groups and arrays that are not one-dimensional. A column that cannot be read is recorded as
 * a failure below the table's name.
 */
async function columnsOf(
  { name, group, index }: AxisTable,
  called: readonly ColumnNames[],
  found: FoundElements,
  cx: ReaderContext,
): Promise<Column[]> {
  const open = async (stored: string) => {
    const node = await openChild(group, stored, cx);
    if (node.kind === "group" || node.shape?.length !== 1) return null;
    const plan = { kind: "array", array: node } as const;
    const [rows, wanted] = [getColumnRowCount(plan), getColumnRowCount({ kind: "array", array: index })];
    if (rows !== wanted) throw new InvalidDataError(`${rows} values, ${index.path} has ${wanted}`);
    getColumnType(plan);
    return node;
  };
  const arrays = await mapConcurrently(called, ([stored, column]) =>
    found.element(`${name}/${column}`, () =>
      runWithLocation({ element: `${group.path}/${stored}` }, () => open(stored)),
    ),
  );
  return called.flatMap(([, column], i): Column[] => {
    const array = arrays[i];
    return array === null ? [] : [{ name: column, array }];
  });
}

function axisOf(index: StoredArray, columns: readonly Column[], base: string): AxisFrame {
  const all = [{ name: "_index", array: index }, ...columns];
  const names = all.map(({ name }) => name);
  return {
    element: createDataframeTable(
      base,
      names,
      all.map(({ array }) => elementOf(array)),
      { index: "_index" },
    ),
    used: all.map(({ array }) => array.path.slice(base === "" ? 0 : base.length + 1)),
  };
}

/** Makes a column. Its metadata omit the width of stored text, which AnnData does not preserve. */
function elementOf(array: StoredArray): ColumnElement {
  const kind = array.type.kind === "text" ? "string-array" : "array";
  return { plan: { kind: "array", array }, metadata: { kind } };
}
