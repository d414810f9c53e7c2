/** The matrix itself: columns of features per barcode, which are rows of cells. Nothing moves. */

import type { Group, StoredArray } from "../../containers/tree/container.js";
import { columnRows, columnType } from "../../jobs/rows/columns.js";
import { InvalidDataError, located, NotFoundError } from "../../model/errors.js";
import { mapConcurrently } from "../concurrency.js";
import { type ColumnElement, dataframeTable, sparseTable, type TableElement } from "../element.js";
import { childNames, openChild, type ReaderContext } from "../reader.js";
import type { FoundElements } from "../tree.js";
import type { MatrixGroup } from "./find-matrices.js";

/** How many barcodes and features are named; null where that cannot be told. */
interface NamedCounts {
  readonly barcodes: number | null;
  readonly features: number | null;
}

/** The arrays of a matrix, in the order in which they are asked for. */
const PARTS = ["data", "indices", "indptr", "shape"] as const;

/** Their paths below the matrix's group. */
export const COUNTS: readonly string[] = PARTS;

/**
 * Cells x features.
 * @throws {NotFoundError} {InvalidDataError} where an array is missing, or does not fit to the others.
 */
export async function countsElement(
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
  return sparseTable({ kind: "csr_matrix", shape: [barcodes, features], data, indices, indptr }, group.path, {});
}

/** Features x barcodes. */
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

/** A dataframe of one of the axes. */
export interface AxisFrame {
  readonly element: TableElement;
  /** Paths below the matrix's group of the arrays that it is made of. */
  readonly used: readonly string[];
}

interface Column {
  readonly name: string;
  readonly array: StoredArray;
}

/**
 * @param name of the table, for failures of columns.
 * @throws {NotFoundError} {InvalidDataError} where there are no barcodes.
 */
export async function barcodeAxis(
  { group, keys }: MatrixGroup,
  name: string,
  found: FoundElements,
  cx: ReaderContext,
): Promise<AxisFrame> {
  const index = await textsOf(group, keys, "barcodes", cx);
  const columns: Column[] = [];
  // Matrices of probes: which barcodes are those of cells.
  if (keys.includes("filtered_barcodes")) {
    const array = await columnOf(group, "filtered_barcodes", `${name}/filtered_barcodes`, index, found, cx);
    if (array !== null) columns.push({ name: "filtered_barcodes", array });
  }
  return axisOf(index, columns, group.path);
}

/**
 * @param name of the table, for failures of columns.
 * @throws {NotFoundError} {InvalidDataError} where the features have no names.
 */
export async function featureAxis(
  matrix: MatrixGroup,
  name: string,
  found: FoundElements,
  cx: ReaderContext,
): Promise<AxisFrame> {
  const { group, keys } = matrix;
  if (!keys.includes("features")) return geneAxis(matrix, name, found, cx);
  const features = await openChild(group, "features", cx);
  if (features.kind !== "group") throw new InvalidDataError("an array, a group is needed", { element: features.path });
  const names = await childNames(features, cx);
  const own = names.includes("name") || !names.includes("id") ? "name" : "id";
  if (own === "id") cx.warn(`${features.path}: no name: the ids are the names of features`);
  const index = await textsOf(features, names, own, cx);
  const called = columnNames(names.filter((child) => child !== own));
  const arrays = await mapConcurrently(called, ([stored, column]) =>
    columnOf(features, stored, `${name}/${column}`, index, found, cx),
  );
  const columns = called.flatMap(([, column], i): Column[] => {
    const array = arrays[i];
    return array === null ? [] : [{ name: column, array }];
  });
  return axisOf(index, columns, group.path);
}

/** Before Cell Ranger 3. */
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
  const array = await columnOf(group, "genes", `${name}/gene_ids`, index, found, cx);
  return axisOf(index, array === null ? [] : [{ name: "gene_ids", array }], group.path);
}

/**
 * Stored names with those of their columns, in the order of scanpy. In matrices of probes `id` is that of the probe.
 * Two of a name cannot both be columns.
 */
function columnNames(names: readonly string[]): readonly (readonly [stored: string, column: string])[] {
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

/** The texts that name an axis. */
async function textsOf(group: Group, keys: readonly string[], name: string, cx: ReaderContext): Promise<StoredArray> {
  if (!keys.includes(name)) throw new NotFoundError(`a matrix without ${name}`, { element: group.path });
  const array = await openChild(group, name, cx);
  if (array.kind === "group" || array.type.kind !== "text" || array.shape?.length !== 1) {
    const found = array.kind === "group" ? "a group" : `${array.type.kind} of shape ${JSON.stringify(array.shape)}`;
    throw new InvalidDataError(`${found}, a list of texts is needed`, { element: array.path });
  }
  return array;
}

/**
 * A column beside the index; null where it is none: a group, or an array that is no list. One that cannot be a column
 * though it should is a failure of the name `path`.
 */
async function columnOf(
  group: Group,
  name: string,
  path: string,
  index: StoredArray,
  found: FoundElements,
  cx: ReaderContext,
): Promise<StoredArray | null> {
  const open = async () => {
    const node = await openChild(group, name, cx);
    if (node.kind === "group" || node.shape?.length !== 1) return null;
    const plan = { kind: "array", array: node } as const;
    const [rows, wanted] = [columnRows(plan), columnRows({ kind: "array", array: index })];
    if (rows !== wanted) throw new InvalidDataError(`${rows} values, ${index.path} has ${wanted}`);
    columnType(plan);
    return node;
  };
  return found.element(path, () => located({ element: `${group.path}/${name}` }, open));
}

function axisOf(index: StoredArray, columns: readonly Column[], base: string): AxisFrame {
  const all = [{ name: "_index", array: index }, ...columns];
  const names = all.map(({ name }) => name);
  return {
    element: dataframeTable(
      base,
      names,
      all.map(({ array }) => elementOf(array)),
      { index: "_index" },
    ),
    used: all.map(({ array }) => array.path.slice(base === "" ? 0 : base.length + 1)),
  };
}

/** As AnnData has it: how wide the text is that it was stored in, is of no concern there. */
function elementOf(array: StoredArray): ColumnElement {
  const kind = array.type.kind === "text" ? "string-array" : "array";
  return { plan: { kind: "array", array }, metadata: { kind } };
}
