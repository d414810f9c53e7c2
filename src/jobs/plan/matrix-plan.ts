/** Changes a matrix plan from one layout to another (docs/mapping.md, "Layout options"). */

import { createEntriesField } from "../../arrow/sparse.js";
import { getStoredArrowType } from "../../arrow/stored.js";
import {
  type ArrowField,
  type ArrowType,
  createField,
  estimateValueSize,
  getCoordinateType,
  mayBeNull,
  nestType,
} from "../../arrow/type.js";
import type { StoredArray } from "../../containers/tree/container.js";
import { computeStoredPositions, createPositionMap, type MinorMap, withOnly } from "../../kernels/sparse/minor-map.js";
import type { Layout } from "../../model/dataset.js";
import { InvalidInputError, UnsupportedError } from "../../model/errors.js";
import type { RowsPlan, SparsePlan, TablePlan } from "./plan.js";

/** Maximum number of columns in a schema. A file can declare an arbitrarily large shape. */
const MAX_COLUMNS = 2 ** 18;

/**
 * Maximum axis length of a sparse matrix for selecting minor positions, because the map of positions is held in memory.
 */
export const MAX_MINOR = 2 ** 28;

/** Returns an element's layouts, with the current layout first, or an empty list if there is only one layout. */
export function listLayouts({ plan }: TablePlan): readonly Layout[] {
  switch (plan.kind) {
    case "coordinate":
    case "subset":
      return ["coordinate", "list", "dense"];
    case "entries":
      return ["list", "coordinate", "dense"];
    case "dense-rows":
      return ["dense", "coordinate", "list"];
    case "columns":
      return findDenseMatrix(plan) === null ? [] : ["dense", "columns", "coordinate"];
    case "matrix-columns":
      return ["columns", "dense", "coordinate"];
    case "nonzeros":
      return plan.row === null && plan.col === null ? ["coordinate", "dense", "columns"] : [];
    case "edges":
    case "placed":
    case "selected":
    case "fragments":
    case "fragment-lines":
    case "mapping-nodes":
      return [];
    default:
      return plan satisfies never;
  }
}

/**
 * Changes the plan of an element to another layout.
 * @throws {InvalidInputError} if the element has no such layout.
 * @throws {UnsupportedError} if there would be more than `MAX_COLUMNS` columns.
 */
export async function changePlanLayout(table: TablePlan, layout: Layout): Promise<TablePlan> {
  const layouts = listLayouts(table);
  if (!layouts.includes(layout)) {
    const others = layouts.length === 0 ? "it has no other layout" : `it can be ${layouts.join(", ")}`;
    throw new InvalidInputError(`no layout ${layout}: ${others}`, { element: table.name });
  }
  if (layouts[0] === layout) return table;
  const { plan } = table;
  const part = findSparsePart(plan);
  if (part !== null) {
    return { ...table, ...createSparseRows(part.matrix, layout, part.minor), metadata: { ...table.metadata, layout } };
  }
  const array = findDenseMatrix(plan);
  if (array === null) throw new TypeError("only matrices have layouts");
  return { ...table, ...(await denseRows(array, layout, table)), metadata: { ...table.metadata, layout } };
}

type Rows = Pick<TablePlan, "fields" | "rows" | "plan">;

function coordinateFields(height: number, width: number, value: ArrowType): readonly ArrowField[] {
  return [
    createField("row", getCoordinateType(height), false),
    createField("col", getCoordinateType(width), false),
    createField("value", value, mayBeNull(value)),
  ];
}

/** Returns a plan's sparse matrix and its selected minor positions, or null for other kinds of plans. */
export function findSparsePart(plan: RowsPlan): { readonly matrix: SparsePlan; readonly minor?: MinorMap } | null {
  switch (plan.kind) {
    case "coordinate":
    case "entries":
    case "dense-rows":
    case "subset":
      return plan;
    default:
      return null;
  }
}

/** Returns the shape of a sparse matrix restricted to the selected minor positions. */
export function getPartShape({ shape, order }: SparsePlan, minor?: MinorMap): readonly [rows: number, columns: number] {
  if (minor === undefined) return shape;
  return order === "row" ? [shape[0], minor.kept] : [minor.kept, shape[1]];
}

/**
 * Returns a sparse matrix's fields and rows in the given layout.
 * @param minor the selected minor positions; if absent, all positions.
 */
export function createSparseRows(matrix: SparsePlan, layout: Layout, minor?: MinorMap): Rows {
  const value = getStoredArrowType(matrix.data.type);
  const [height, width] = getPartShape(matrix, minor);
  switch (layout) {
    case "coordinate": {
      const fields = coordinateFields(height, width, value);
      if (minor === undefined) return { fields, rows: matrix.nnz, plan: { kind: "coordinate", matrix } };
      return { fields, rows: null, plan: { kind: "subset", matrix, minor } };
    }
    case "list":
      return {
        fields: [createEntriesField(matrix.order === "row" ? width : height, value)],
        rows: matrix.order === "row" ? height : width,
        plan: { kind: "entries", matrix, minor },
      };
    case "dense":
      return {
        fields: [createField("value", nestType(value, [width]), false)],
        rows: height,
        plan: { kind: "dense-rows", matrix, minor },
      };
    case "columns":
      throw new TypeError("a sparse matrix has no layout columns");
    default:
      return layout satisfies never;
  }
}

async function denseRows(array: StoredArray, layout: Layout, table: TablePlan): Promise<Rows> {
  const value = getStoredArrowType(array.type);
  const [height, width] = array.shape ?? [];
  switch (layout) {
    case "coordinate":
      return {
        fields: coordinateFields(height, width, value),
        rows: null,
        plan: { kind: "nonzeros", array, row: null, col: null },
      };
    case "columns": {
      if (width > MAX_COLUMNS) {
        throw new UnsupportedError(`${width} columns of a matrix as columns of a table; at most ${MAX_COLUMNS}`, {
          element: table.name,
        });
      }
      const names = (await table.columnNames?.()) ?? Array.from({ length: width }, (_, i) => String(i));
      if (names.length !== width) {
        throw new InvalidInputError(`${names.length} names for ${width} columns`, { element: table.name });
      }
      return {
        fields: names.map((name) => createField(name, value, mayBeNull(value))),
        rows: height,
        plan: { kind: "matrix-columns", array },
      };
    }
    case "dense":
      return {
        fields: [createField("value", nestType(value, [width]), false)],
        rows: height,
        plan: { kind: "columns", columns: [{ kind: "array", array }] },
      };
    case "list":
      throw new TypeError("a dense matrix has no layout list");
    default:
      return layout satisfies never;
  }
}

/** Returns the array in a plan that consists of a single dense matrix of numbers; null for other plans. */
export function findDenseMatrix(plan: RowsPlan): StoredArray | null {
  if (plan.kind === "matrix-columns" || plan.kind === "nonzeros") return plan.array;
  if (plan.kind !== "columns" || plan.columns.length !== 1) return null;
  const [column] = plan.columns;
  if (column.kind !== "array" || column.array.shape?.length !== 2) return null;
  const { kind } = column.array.type;
  return kind === "bool" || kind === "int" || kind === "float" ? column.array : null;
}

/** Positions along the two axes of a matrix. An absent axis selects all positions. */
export interface MatrixPositions {
  readonly row?: Iterable<number>;
  readonly col?: Iterable<number>;
}

/**
 * Limits a matrix's coordinate table to the entries whose `row` and `col` are among the given positions. The order and
 * repetition of positions are ignored. The number of entries is known only after a scan.
 * @throws {InvalidInputError} if the table is not the coordinate table of a matrix, or a position is outside its shape.
 */
export function selectEntries(table: TablePlan, { row, col }: MatrixPositions): TablePlan {
  const { plan, name } = table;
  if (plan.kind === "nonzeros" && plan.row === null && plan.col === null) {
    const [height = 0, width = 0] = plan.array.shape ?? [];
    const rows = row === undefined ? null : sortUniquePositions(row, height, "row", name);
    const cols = col === undefined ? null : sortUniquePositions(col, width, "col", name);
    return { ...table, rows: null, plan: { ...plan, row: rows, col: cols } };
  }
  if (plan.kind !== "coordinate" && plan.kind !== "subset") {
    throw new InvalidInputError("positions can be selected in the coordinate layout of a matrix", { element: name });
  }
  const { matrix } = plan;
  const shape = getPartShape(matrix, plan.kind === "subset" ? plan.minor : undefined);
  const rows = row === undefined ? null : sortUniquePositions(row, shape[0], "row", name);
  const cols = col === undefined ? null : sortUniquePositions(col, shape[1], "col", name);
  const [major, minor] = matrix.order === "row" ? [rows, cols] : [cols, rows];
  if (plan.kind === "coordinate") return { ...table, rows: null, plan: { kind: "selected", matrix, major, minor } };
  if (minor === null) return { ...table, plan: { kind: "selected", matrix, major, minor, kept: plan.minor } };
  const before = computeStoredPositions(plan.minor);
  const stored = [...new Set(minor.map((position) => before[position]))].sort((a, b) => a - b);
  const kept = withOnly(plan.minor, minor);
  return { ...table, plan: { kind: "selected", matrix, major, minor: stored, kept } };
}

/** Restricts lists of entries to some minor positions. The entries keep their minor positions. */
export function keepEntries(table: TablePlan, positions: readonly number[]): TablePlan {
  const { plan } = table;
  if (plan.kind !== "entries") throw new TypeError("lists of entries expected");
  const { matrix, minor } = plan;
  const size = matrix.shape[matrix.order === "row" ? 1 : 0];
  if (size > MAX_MINOR) {
    throw new UnsupportedError(`positions along an axis of ${size}, at most ${MAX_MINOR} of this axis`, {
      element: table.name,
    });
  }
  const all =
    minor ??
    createPositionMap(
      Int32Array.from({ length: size }, (_, i) => i),
      size,
    );
  return { ...table, plan: { ...plan, minor: withOnly(all, positions) } };
}

/**
 * Returns the positions, sorted and without duplicates.
 * @throws {InvalidInputError} if a position is outside [0, size).
 */
export function sortUniquePositions(asked: Iterable<number>, size: number, axis: string, element: string): number[] {
  const sorted = [...new Set(asked)].sort((a, b) => a - b);
  const wrong = sorted.find((position) => !(Number.isInteger(position) && position >= 0 && position < size));
  if (wrong === undefined) return sorted;
  throw new InvalidInputError(`${axis} ${wrong} was asked for, there are 0 … ${size - 1}`, { element });
}

/** Bytes per value in a field of the coordinate table. Fields: 0 rows, 1 columns, 2 values. */
export function getEntryFieldBytes(matrix: SparsePlan, field: number): number {
  return field === 2
    ? estimateValueSize(getStoredArrowType(matrix.data.type))
    : getCoordinateType(matrix.shape[field]).bits / 8;
}
