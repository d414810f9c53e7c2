/**
 * Reads few minor positions of a sparse matrix (one gene of a matrix by cells) from a copy that is stored by them: the
 * matrix of a plan is replaced by one that has no other entries, so that the plan gives the rows that it gave before.
 */

import type { MinorMap } from "../../kernels/sparse/minor-map.js";
import type { ReadOptions } from "../../sources/source.js";
import type { MinorEntries, RowsPlan, SparsePlan } from "./plan.js";

/** Most positions that are looked up: more of them are read sooner from the matrix itself. */
export const MOST_POSITIONS = 4096;

/**
 * The plan with the entries of the copy, where it chooses few minor positions, and its rows.
 * @param rows the rows of the table that are read.
 */
export async function withMinorEntries(
  plan: RowsPlan,
  entries: MinorEntries | undefined,
  rows: readonly [start: number, end: number],
  options: ReadOptions,
): Promise<PlannedRows> {
  const own = { plan, rows };
  if (entries === undefined || !("matrix" in plan) || plan.matrix !== entries.of) return own;
  const { matrix } = plan;
  const majors = matrix.shape[matrix.order === "row" ? 0 : 1];
  const wanted = wantedOf(plan, rows);
  if (wanted === null || wanted.positions.length > MOST_POSITIONS) return own;
  const share = Math.min(1, (wanted.majors ?? majors) / Math.max(1, majors));
  if (share === 0) return own;
  const few = await entries.at(wanted.positions, share, options);
  if (few === null) return own;
  // All entries that are left are wanted.
  if (plan.kind === "selected" && plan.major === null && plan.kept === undefined) {
    return { plan: { kind: "coordinate", matrix: few }, rows: [0, few.nnz] };
  }
  return { plan: { ...plan, matrix: few }, rows };
}

/** A plan, and the rows of it that are read. */
export interface PlannedRows {
  readonly plan: RowsPlan;
  readonly rows: readonly [start: number, end: number];
}

interface Wanted {
  readonly positions: readonly number[];
  /** Number of major positions that are read; null for all. */
  readonly majors: number | null;
}

/** The positions that a plan of a sparse matrix chooses; null where it reads all. */
function wantedOf(
  plan: Extract<RowsPlan, { readonly matrix: SparsePlan }>,
  [start, end]: readonly [start: number, end: number],
): Wanted | null {
  // The rows of these two are counted among the stored entries.
  const isWhole = start === 0 && end >= plan.matrix.nnz;
  switch (plan.kind) {
    case "selected":
      if (plan.minor === null || !isWhole) return null;
      return { positions: plan.minor, majors: plan.major?.length ?? null };
    case "subset":
      return isWhole ? { positions: keptPositions(plan.minor), majors: null } : null;
    case "entries":
    case "dense-rows":
      return plan.minor === undefined ? null : { positions: keptPositions(plan.minor), majors: end - start };
    case "coordinate":
    case "placed":
      return null;
    default:
      return plan satisfies never;
  }
}

/** The stored positions that a map keeps, at most one above the limit. */
function keptPositions({ offsets, stored }: MinorMap): readonly number[] {
  const positions: number[] = [];
  for (let i = 0; i < stored && positions.length <= MOST_POSITIONS; i++) {
    if (offsets[i + 1] > offsets[i]) positions.push(i);
  }
  return positions;
}
