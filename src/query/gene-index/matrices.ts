/** Selects the matrices in a dataset that a companion copies: sparse matrices stored by observation. */

import { findDenseMatrix, findSparsePart } from "../../jobs/plan/matrix-plan.js";
import type { SparsePlan } from "../../jobs/plan/plan.js";
import { NotFoundError } from "../../model/errors.js";
import { findNearestNames } from "../../model/nearest.js";
import { StoredTable } from "../../tables/stored-table.js";
import { type CopiedType, findCopiedType } from "./manifest.js";

/** Returns the names of an element's axes, given the element's name. */
export interface ElementAxes {
  readonly obs: string | null;
  axesOf(name: string): readonly [row: string | null, col: string | null];
}

export interface MatrixToCopy {
  readonly name: string;
  readonly table: StoredTable;
  readonly matrix: SparsePlan;
  readonly type: CopiedType;
}

export interface ChosenMatrices {
  readonly chosen: readonly MatrixToCopy[];
  /** Matrices that are not copied, with the reasons. */
  readonly others: readonly { readonly name: string; readonly reason: string }[];
}

/**
 * Selects matrices along observations and variables: the main matrices and the layers in all modalities.
 * @param wanted names of elements; null for all such matrices.
 * @throws {NotFoundError} if no matrix has one of the names.
 */
export function selectMatricesToCopy(
  tables: ReadonlyMap<string, object>,
  axes: ElementAxes,
  wanted: readonly string[] | null,
): ChosenMatrices {
  const chosen: MatrixToCopy[] = [];
  const others: { readonly name: string; readonly reason: string }[] = [];
  const names: string[] = [];
  for (const [name, table] of tables) {
    if (!(table instanceof StoredTable) || table.derived) continue;
    const [row, col] = axes.axesOf(name);
    if (row === null || col === null || row === col || !(isObs(row, axes) || isObs(col, axes))) continue;
    names.push(name);
    if (wanted !== null && !wanted.includes(name)) continue;
    const found = matrixOf(table, isObs(row, axes) ? "row" : "column");
    if (typeof found === "string") others.push({ name, reason: found });
    else chosen.push({ name, table, ...found });
  }
  const unknown = wanted?.find((name) => !names.includes(name));
  if (unknown === undefined) return { chosen, others };
  throw new NotFoundError(
    `no matrix ${JSON.stringify(unknown)}; there are ${findNearestNames(unknown, names).join(", ")}`,
  );
}

function isObs(axis: string, { obs }: ElementAxes): boolean {
  return axis === obs || /(^|\/)obs$/.test(axis);
}

/**
 * Returns the matrix if it is sparse and stored by observation; otherwise a text that explains why it needs no copy.
 */
function matrixOf(
  { rowsPlan }: StoredTable,
  byObs: "row" | "column",
): { readonly matrix: SparsePlan; readonly type: CopiedType } | string {
  if (findDenseMatrix(rowsPlan) !== null) return "it is dense, and a gene is read where it lies";
  const matrix = findSparsePart(rowsPlan)?.matrix;
  if (matrix === undefined) return "it is no sparse matrix";
  if (matrix.order !== byObs) return "it is stored by genes already";
  const type = findCopiedType(matrix.data.type);
  return type === null ? `values of type ${matrix.data.type.kind} are not copied` : { matrix, type };
}
