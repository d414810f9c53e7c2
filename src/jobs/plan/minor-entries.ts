/**
 * Reads a few minor positions of a sparse matrix (such as one gene of a matrix by cells) from a copy that is stored
 * along the other axis. The plan's matrix is replaced by a matrix that contains only these entries, so the plan yields
 * the same rows as before.
 */

import type { ReadOptions } from "../../io/sources/source.js";
import type { MinorMap } from "../../kernels/sparse/minor-map.js";
import type { MinorEntries, RowsPlan, SparsePlan } from "./plan.js";

/** Maximum number of positions that are looked up. For more positions, it is faster to read the matrix itself. */
export const MAX_POSITIONS = 4096;

/**
 * Returns the plan and its rows. If the plan selects few minor positions, it reads their entries from the copy.
 * @param rows the table rows that are read.
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
  if (wanted === null || wanted.positions.length > MAX_POSITIONS) return own;
  const share = Math.min(1, (wanted.majors ?? majors) / Math.max(1, majors));
  if (share === 0) return own;
  const few = await entries.at(wanted.positions, share, options);
  if (few === null) return own;
  // All remaining entries are selected.
  if (plan.kind === "selected" && plan.major === null && plan.kept === undefined) {
    return { plan: { kind: "coordinate", matrix: few }, rows: [0, few.nnz] };
  }
  return { plan: { ...plan, matrix: few }, rows };
}

export interface PlannedRows {
  readonly plan: RowsPlan;
  readonly rows: readonly [start: number, end: number];
}

interface Wanted {
  readonly positions: readonly number[];
  /** Number of major positions that are read; null for all. */
  readonly majors: number | null;
}

/** Returns the positions that a sparse matrix's plan selects; null if the plan reads all positions. */
function wantedOf(
  plan: Extract<RowsPlan, { readonly matrix: SparsePlan }>,
  [start, end]: readonly [start: number, end: number],
): Wanted | null {
  // The rows of these two plans are ranges of the stored entries.
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

/** Returns the stored positions that a map selects. Stops as soon as there are more than the maximum. */
function keptPositions({ offsets, stored }: MinorMap): readonly number[] {
  const positions: number[] = [];
  for (let i = 0; i < stored && positions.length <= MAX_POSITIONS; i++) {
    if (offsets[i + 1] > offsets[i]) positions.push(i);
  }
  return positions;
}
