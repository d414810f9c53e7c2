/** Reductions, graphs and neighbours of Seurat as obsm, varm, obsp and uns. */

import { InvalidDataError, UnsupportedError } from "annarrow";
import { createSparseTable, type TableElement } from "annarrow/format";
import {
  NA_INTEGER,
  type RAttributes,
  type RInteger,
  type RLogical,
  type RReal,
  type RValue,
} from "../../../containers/rds/model/value.js";
import type { RTables } from "../collect/tables.js";
import { createColumnTable, isMatrix } from "../matrices/forms.js";
import { openRMatrix } from "../matrices/matrix.js";
import { createRNumberVector, FLOAT64, INT32 } from "../values/arrays.js";
import { isEmpty } from "../values/empty.js";
import {
  describeRValue,
  findRStrings,
  getOrigins,
  getRDimnames,
  getRMatrixShape,
  getRSlot,
  hasSlots,
  listRTexts,
} from "../values/value.js";
import type { AssayAxis } from "./assay.js";
import { addAny, addOtherSlots } from "./slots.js";

/** An object's path prefix and cells. An assay may have only some of the object's cells. */
export interface ObjectCells {
  readonly prefix: string;
  readonly cells: readonly string[];
}

interface Place {
  readonly prefix: string;
  readonly axis: AssayAxis;
  readonly object: ObjectCells;
}

/**
 * Adds the embedding of the cells as `obsm/X_<name>`, and the loadings of the features as `varm/<name>`. An embedding
 * of cells that the assay lacks is added to the object instead of the assay.
 */
export async function addReduction(
  name: string,
  reduction: RValue,
  { prefix, axis, object }: Place,
  tables: RTables,
): Promise<void> {
  const cells = getRSlot(reduction, "cell.embeddings");
  const origin = getOrigins(getRSlot(reduction, "misc"));
  const places = origin.find((one) => one.startsWith("obsm/")) ?? `obsm/X_${name}`;
  if (!isEmpty(cells)) {
    await tables.attempt(`${prefix}${places}`, async () => {
      const isOfAll = hasOthers(cells, axis.cells);
      const embedding = `${isOfAll ? object.prefix : prefix}${places}`;
      await tables.add(embedding, () =>
        createColumnTable(embedding, expanded(cells, isOfAll ? object.cells : axis.cells, `cells of ${name}`)),
      );
    });
  }
  for (const [from, to] of LOADINGS) {
    const features = getRSlot(reduction, from);
    if (isEmpty(features)) continue;
    const own = to === "" ? origin.find((one) => one.startsWith("varm/")) : undefined;
    const loadings = `${prefix}${own ?? `varm/${name}${to}`}`;
    await tables.add(loadings, () =>
      createColumnTable(loadings, expanded(features, axis.features, `features of ${name}`)),
    );
  }
  for (const from of ["cell.embeddings", ...LOADINGS.map(([name]) => name)]) {
    await tables.beside(`${prefix}uns/${name}.${from}`, getRSlot(reduction, from));
  }
  const stdev = getRSlot(reduction, hasSlots(reduction, "stdev") ? "stdev" : "sdev");
  const plain = "attributes" in stdev ? { ...stdev, attributes: new Map() } : stdev;
  await addAny(`${prefix}uns/${name}/stdev`, plain, tables);
  await tables.beside(`${prefix}uns/${name}.stdev`, stdev);
  await addOtherSlots(reduction, KNOWN, (own) => `${prefix}uns/${name}/${own}`, tables);
}

/** Loadings, and projected loadings of all features from `ProjectDim`, each with their slot names in version 2. */
const LOADINGS = [
  ["feature.loadings", ""],
  ["gene.loadings", ""],
  ["feature.loadings.projected", "_projected"],
  ["gene.loadings.full", "_projected"],
] as const;

/** Slots that are read, and slots that are only useful in Seurat. */
const KNOWN = new Set([
  ...["cell.embeddings", "stdev", "sdev", ...LOADINGS.map(([name]) => name)],
  ...["assay.used", "global", "key"],
]);

type RNumbers = RReal | RInteger | RLogical;

/** Checks for a matrix of numbers. @throws {UnsupportedError} for other values. */
function numbersOf(value: RValue): RNumbers {
  const isNumbers = value.kind === "real" || value.kind === "integer" || value.kind === "logical";
  if (isNumbers && isMatrix(value)) return value;
  throw new UnsupportedError(`${describeRValue(value)}, no matrix of numbers`);
}

/** Whether a matrix has row names that do not occur on the axis. */
function hasOthers(given: RValue, all: readonly string[]): boolean {
  const value = numbersOf(given);
  const [names] = getRDimnames(value, getRMatrixShape(value));
  if (names === null) return false;
  const known = new Set(all);
  return (findRStrings(names) ?? []).some((name) => name !== null && !known.has(name));
}

/** Expands a matrix to a row for each name of an axis. Missing rows are NaN. */
function expanded(given: RValue, all: readonly string[], what: string): RNumbers {
  const value = numbersOf(given);
  const [rows, columns] = getRMatrixShape(value);
  if (rows * columns !== value.values.length) {
    throw new InvalidDataError(`${value.values.length} values of a matrix of ${rows} x ${columns}`);
  }
  const [names] = getRDimnames(value, [rows, columns]);
  const own = names === null ? null : findRStrings(names);
  const isSame = rows === all.length && (own === null || own.every((name, i) => name === all[i]));
  if (isSame) return { ...value, attributes: dimensions(rows, columns) };
  if (own === null) throw new InvalidDataError(`${rows} ${what} without names, ${all.length} are expected`);
  const places = new Map(all.map((name, i) => [name, i]));
  const values = new Float64Array(all.length * columns).fill(Number.NaN);
  for (const [row, name] of own.entries()) {
    const place = name === null ? undefined : places.get(name);
    if (place === undefined) throw new InvalidDataError(`${JSON.stringify(name)} is none of the ${what}`);
    for (let column = 0; column < columns; column++) {
      const own = value.values[column * rows + row];
      const isMissing = value.kind !== "real" && own === NA_INTEGER;
      values[column * all.length + place] = isMissing ? Number.NaN : own;
    }
  }
  return { kind: "real", values, attributes: dimensions(all.length, columns) };
}

function dimensions(rows: number, columns: number): RAttributes {
  return new Map([["dim", { kind: "integer", values: Int32Array.of(rows, columns), attributes: new Map() }]]);
}

/**
 * Adds a graph, or the neighbours of each cell with their distances. The names in it must be in the order of the cells.
 * If the names are different ones, cells are matched by position, and a warning is given.
 */
export async function addGraph(
  name: string,
  graph: RValue,
  { prefix, cells }: ObjectCells,
  tables: RTables,
): Promise<void> {
  const path = `${prefix}obsp/${name}`;
  const isNeighbors = hasSlots(graph, "nn.idx", "nn.dist");
  await tables.add(path, async () => {
    if (isNeighbors) {
      checkCells(path, findRStrings(getRSlot(graph, "cell.names")), cells, tables);
      return neighborsTable(path, graph, cells.length);
    }
    if (!isMatrix(graph)) throw new UnsupportedError(`${describeRValue(graph)}, no graph`);
    const matrix = await openRMatrix(graph, path, tables.cx);
    for (const names of matrix.names) checkCells(path, names === null ? null : listRTexts(names.text), cells, tables);
    return matrix.table(path, "same");
  });
  if (!isNeighbors) return tables.beside(`${prefix}uns/${name}`, graph);
  await addOtherSlots(graph, NEIGHBOR, (own) => `${prefix}uns/${name}/${own}`, tables);
  for (const own of ["nn.idx", "nn.dist", "cell.names"]) {
    await tables.beside(`${prefix}uns/${name}.${own}`, getRSlot(graph, own));
  }
}

/** Slots of neighbours that are read, and the index, which is only a pointer into R's memory. */
const NEIGHBOR = new Set(["nn.idx", "nn.dist", "cell.names", "alg.idx"]);

/** @throws {InvalidDataError} if the cell names are in another order. */
function checkCells(
  path: string,
  names: readonly (string | null)[] | null,
  cells: readonly string[],
  tables: RTables,
): void {
  if (names === null || names.length !== cells.length || names.every((name, i) => name === cells[i])) return;
  const all = new Set(cells);
  if (names.every((name) => name !== null && all.has(name))) {
    throw new InvalidDataError("cells in another order than those of the object");
  }
  tables.warn(`${path}: other names of cells than the object has, so that they are taken by their places`);
}

/** Returns the number of cells in a graph or in neighbours; null for other values. */
export function countGraphCells(graph: RValue): number | null {
  if (hasSlots(graph, "nn.idx", "nn.dist")) return getRMatrixShape(getRSlot(graph, "nn.idx"))[0];
  const dim = getRSlot(graph, "Dim");
  return dim.kind === "integer" ? dim.values[0] : null;
}

/** Makes a CSR matrix of neighbours. Every cell has the same number of neighbours, nearest first. */
function neighborsTable(path: string, graph: RValue, cells: number): TableElement {
  const index = getRSlot(graph, "nn.idx");
  const distances = getRSlot(graph, "nn.dist");
  const [rows, count] = getRMatrixShape(index);
  if ((index.kind !== "integer" && index.kind !== "real") || distances.kind !== "real") {
    throw new InvalidDataError("neighbours without numbers");
  }
  const size = rows * count;
  if (rows !== cells || index.values.length !== size || distances.values.length !== size) {
    throw new InvalidDataError(`${count} neighbours of ${rows} cells, there are ${cells}`);
  }
  const indices = new Int32Array(size);
  const data = new Float64Array(size);
  for (let cell = 0; cell < rows; cell++) {
    for (let i = 0; i < count; i++) {
      const neighbor = index.values[i * rows + cell] - 1;
      if (!Number.isInteger(neighbor) || neighbor < 0 || neighbor >= cells) {
        throw new InvalidDataError(`neighbour ${neighbor + 1} of ${cells} cells`);
      }
      indices[cell * count + i] = neighbor;
      data[cell * count + i] = distances.values[i * rows + cell];
    }
  }
  const parts = {
    data: createRNumberVector(`${path}/nn.dist`, FLOAT64, data),
    indices: createRNumberVector(`${path}/nn.idx`, INT32, indices),
    indptr: createRNumberVector(
      `${path}/indptr`,
      INT32,
      Int32Array.from({ length: cells + 1 }, (_, cell) => cell * count),
    ),
  };
  return createSparseTable({ kind: "csr_matrix", shape: [cells, cells], ...parts }, path, {});
}
