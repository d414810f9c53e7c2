/** Stored arrays of unchanged matrices after concatenation, from which a writer can copy the chunks. */

import { type ArrowType, createField, describeArrowType } from "../arrow/type.js";
import { toWrittenForm } from "../arrow/written-type.js";
import { joinArrays } from "../containers/joined/joined-array.js";
import { JoinedPointers } from "../containers/joined/joined-pointers.js";
import type { StoredArray } from "../containers/tree/container.js";
import { areOneNumber, hasChunks } from "../containers/tree/stored-chunks.js";
import { listPlanArrays, type RowsPlan, type SparsePlan } from "../jobs/plan/plan.js";
import { type ColumnTable, findCopyableRows } from "../tables/column-table.js";
import { getMatrixEntryType, type MatrixPart, sumPartLengths } from "./matrix-part.js";

/** The matrix to create from the rows of all parts. */
interface Result {
  /** Number of columns. */
  readonly across: number;
  readonly type: ArrowType;
}

/**
 * Tells a writer which arrays' chunks it can copy as stored, or why it cannot copy any.
 * @param rows the joined arrays of the parts; null if there are no such arrays.
 */
export function describeChunkReuse(
  parts: readonly MatrixPart[],
  rows: RowsPlan | null,
  batches: ColumnTable["batches"],
): Pick<ColumnTable, "kept" | "notKept"> {
  if (rows !== null) return { kept: { rows, batches } };
  const isStored = parts.some(({ table }) => table !== null && arraysIn(table).some(hasChunks));
  const notKept =
    "the inputs differ in columns, types, storage order or chunks, or few of their chunks begin where one of the result does";
  return { notKept: isStored ? notKept : undefined };
}

function arraysIn(table: ColumnTable): readonly StoredArray[] {
  const rows = findCopyableRows(table);
  return rows === null ? [] : listPlanArrays(rows);
}

/**
 * Returns the arrays of sparse matrices, stacked by rows; null if a matrix changes (other columns, another type,
 * another order), or is not stored as a sparse matrix.
 */
export function joinSparseRows(parts: readonly MatrixPart[], result: Result): RowsPlan | null {
  if (!areUnchanged(parts, result)) return null;
  const matrices: SparsePlan[] = [];
  for (const { table, length } of parts) {
    const rows = table === null ? null : findCopyableRows(table);
    if (rows?.kind !== "coordinate" && (rows?.kind !== "entries" || rows.minor !== undefined)) return null;
    const { matrix } = rows;
    const { order, shape, indptr, data, indices, nnz } = matrix;
    if (order !== "row" || shape[0] !== length || shape[1] !== result.across) return null;
    if (indptr.shape?.join() !== String(length + 1) || data.shape?.join() !== String(nnz)) return null;
    if (indices.shape?.join() !== String(nnz)) return null;
    matrices.push(matrix);
  }
  const data = joinArrays(matrices.map((matrix) => matrix.data));
  const indices = joinArrays(matrices.map((matrix) => matrix.indices));
  if (data === null || indices === null || !isOfType(data.type, result.type)) return null;
  if (![data, indices].every(hasChunks)) return null;
  const shape = [sumPartLengths(parts), result.across] as const;
  const nnz = matrices.reduce((sum, matrix) => sum + matrix.nnz, 0);
  return {
    kind: "coordinate",
    matrix: { shape, order: "row", nnz, data, indices, indptr: new JoinedPointers(matrices) },
  };
}

/** Returns the array of vertically concatenated dense matrices; null if any matrix is changed. */
export function joinDenseRows(parts: readonly MatrixPart[], result: Result): RowsPlan | null {
  if (!areUnchanged(parts, result)) return null;
  const arrays = parts.flatMap(({ table, length }) => {
    const rows = table === null ? null : findCopyableRows(table);
    if (rows?.kind !== "columns" || rows.columns.length !== 1) return [];
    const [column] = rows.columns;
    return column.kind === "array" && column.array.shape?.[0] === length ? [column.array] : [];
  });
  if (arrays.length < parts.length) return null;
  const array = joinArrays(arrays);
  return array !== null && isOfType(array.type, result.type) && hasChunks(array)
    ? { kind: "columns", columns: [{ kind: "array", array }] }
    : null;
}

function areUnchanged(parts: readonly MatrixPart[], { across, type }: Result): boolean {
  return parts.every(
    ({ table, places, across: own }) =>
      table !== null &&
      places === null &&
      own === across &&
      describeArrowType(getMatrixEntryType(table)) === describeArrowType(type),
  );
}

function isOfType(stored: Parameters<typeof areOneNumber>[1], type: ArrowType): boolean {
  return areOneNumber(toWrittenForm(createField("value", type, false)).type, stored);
}
