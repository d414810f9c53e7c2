/** Reductions, graphs and neighbours of Seurat as obsm, varm, obsp and uns. */

import type { RReal, RValue } from "../../../containers/rds/model/value.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { sparseTable, type TableElement } from "../../element.js";
import type { RTables } from "../collect/tables.js";
import { columnTable, isMatrix } from "../matrices/forms.js";
import { matrixOf } from "../matrices/matrix.js";
import { FLOAT64, INT32, numberArray } from "../values/arrays.js";
import { called, dimnamesOf, hasSlots, shapeOf, slot, stringsOf } from "../values/value.js";
import type { AssayAxis } from "./assay.js";

/** The place of an object, and its cells, which assays may have some of. */
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
 * Adds the places of the cells as `obsm/X_<name>`, the loadings of the features as `varm/<name>`. An embedding of cells
 * that the assay lacks is added to the object instead of the assay.
 */
export async function addReduction(
  name: string,
  reduction: RValue,
  { prefix, axis, object }: Place,
  tables: RTables,
): Promise<void> {
  const cells = slot(reduction, "cell.embeddings");
  if (hasValues(cells)) {
    const isOfAll = hasOthers(cells, axis.cells);
    const embedding = `${isOfAll ? object.prefix : prefix}obsm/X_${name}`;
    await tables.add(embedding, () =>
      columnTable(embedding, expanded(cells, isOfAll ? object.cells : axis.cells, `cells of ${name}`)),
    );
  }
  for (const [from, to] of LOADINGS) {
    const features = slot(reduction, from);
    if (!hasValues(features)) continue;
    const loadings = `${prefix}varm/${name}${to}`;
    await tables.add(loadings, () => columnTable(loadings, expanded(features, axis.features, `features of ${name}`)));
  }
  const misc = slot(reduction, "misc");
  if (misc.kind === "list") await tables.mapping(`${prefix}uns/${name}/misc`, misc);
  const stdev = slot(reduction, hasSlots(reduction, "stdev") ? "stdev" : "sdev");
  if (stdev.kind === "real" && stdev.values.length > 0) {
    await tables.value(`${prefix}uns/${name}/stdev`, { ...stdev, attributes: new Map() });
  }
}

/** Loadings, those of version 2, and those of all features that `ProjectDim` computes. */
const LOADINGS = [
  ["feature.loadings", ""],
  ["gene.loadings", ""],
  ["feature.loadings.projected", "_projected"],
] as const;

function hasValues(value: RValue): value is RReal {
  return value.kind === "real" && isMatrix(value) && value.values.length > 0;
}

/** Whether a matrix has rows with names that an axis has not. */
function hasOthers(value: RReal, all: readonly string[]): boolean {
  const [names] = dimnamesOf(value, shapeOf(value));
  if (names === null) return false;
  const known = new Set(all);
  return (stringsOf(names) ?? []).some((name) => name !== null && !known.has(name));
}

/** A matrix with a row for each name of an axis; rows that it lacks are NaN. */
function expanded(value: RReal, all: readonly string[], what: string): RReal {
  const [rows, columns] = shapeOf(value);
  if (rows * columns !== value.values.length) {
    throw new InvalidDataError(`${value.values.length} values of a matrix of ${rows} x ${columns}`);
  }
  const [names] = dimnamesOf(value, [rows, columns]);
  const own = names === null ? null : stringsOf(names);
  const isSame = rows === all.length && (own === null || own.every((name, i) => name === all[i]));
  if (isSame) return withDim(value.values, rows, columns);
  if (own === null) throw new InvalidDataError(`${rows} ${what} without names, ${all.length} are expected`);
  const places = new Map(all.map((name, i) => [name, i]));
  const values = new Float64Array(all.length * columns).fill(Number.NaN);
  for (const [row, name] of own.entries()) {
    const place = name === null ? undefined : places.get(name);
    if (place === undefined) throw new InvalidDataError(`${JSON.stringify(name)} is none of the ${what}`);
    for (let column = 0; column < columns; column++) {
      values[column * all.length + place] = value.values[column * rows + row];
    }
  }
  return withDim(values, all.length, columns);
}

function withDim(values: Float64Array, rows: number, columns: number): RReal {
  const dim: RValue = { kind: "integer", values: Int32Array.of(rows, columns), attributes: new Map() };
  return { kind: "real", values, attributes: new Map([["dim", dim]]) };
}

/** Adds a graph, or the neighbours of each cell with their distances. */
export async function addGraph(path: string, graph: RValue, cells: readonly string[], tables: RTables): Promise<void> {
  await tables.add(path, async () => {
    if (hasSlots(graph, "nn.idx", "nn.dist")) return neighborsTable(path, graph, cells.length);
    if (isMatrix(graph)) return (await matrixOf(graph, path, tables.cx)).table(path, "same");
    throw new UnsupportedError(`${called(graph)}, no graph`);
  });
}

/** The number of cells of a graph, or of the cells whose neighbours are told; null for other values. */
export function graphCells(graph: RValue): number | null {
  if (hasSlots(graph, "nn.idx", "nn.dist")) return shapeOf(slot(graph, "nn.idx"))[0];
  const dim = slot(graph, "Dim");
  return dim.kind === "integer" ? dim.values[0] : null;
}

/** Neighbours as a matrix by rows: each cell has as many as all others, the nearest first. */
function neighborsTable(path: string, graph: RValue, cells: number): TableElement {
  const index = slot(graph, "nn.idx");
  const distances = slot(graph, "nn.dist");
  const [rows, count] = shapeOf(index);
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
    data: numberArray(`${path}/nn.dist`, FLOAT64, data),
    indices: numberArray(`${path}/nn.idx`, INT32, indices),
    indptr: numberArray(
      `${path}/indptr`,
      INT32,
      Int32Array.from({ length: cells + 1 }, (_, cell) => cell * count),
    ),
  };
  return sparseTable({ kind: "csr_matrix", shape: [cells, cells], ...parts }, path, {});
}
