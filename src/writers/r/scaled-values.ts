/** Scaled values of some features, which stand in `obsm/scale.data` beside the features' names. */

import type { RValue } from "../../containers/rds/model/value.js";
import { RefusedError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { textsOf } from "../../tables/frame-index.js";
import { rowsOf } from "../../tables/rows.js";
import type { DatasetTables } from "./dataset.js";
import { denseMatrix } from "./dense.js";
import { dimnames } from "./matrix.js";

export type SeuratVersion = "v4" | "v5";

/** The layer of scaled values, which in Seurat 4 is dense and a slot of its own. */
export const SCALED = "scale.data";

export interface ScaledValues {
  /** The features that have values, in the order of the rows. */
  readonly features: readonly string[];
  /** Features by cells; null where there are no values. */
  readonly matrix: RValue | null;
}

/**
 * Reads the scaled values. Seurat 4 has them in the order that they have here; Seurat 5 in the order of the assay's
 * features, as its `LayerData<-` puts them.
 * @param isTaken whether there is a layer of scaled values already.
 * @throws {RefusedError} where they do not fit.
 */
export async function scaledValues(
  names: ColumnTable,
  isTaken: boolean,
  dataset: DatasetTables,
  version: SeuratVersion,
): Promise<ScaledValues> {
  const table = dataset.below("obsm").find(([key]) => key === SCALED)?.[1];
  if (table === undefined) return { features: [], matrix: null };
  const given: string[] = [];
  for await (const { columns } of rowsOf(names, dataset.cx))
    for (const one of textsOf(columns[0])) given.push(one ?? "NA");
  dataset.written.push({ name: names.name, rows: given.length });
  const places = new Map((dataset.frame("var").names ?? []).map((name, i) => [name, i]));
  const own = Int32Array.from(given, (name) => places.get(name) ?? -1);
  const order = Int32Array.from(own.keys()).sort((a, b) => own[a] - own[b]);
  const twice = order.findIndex((at, i) => i > 0 && own[at] === own[order[i - 1]]);
  const problem = own.includes(-1)
    ? `the feature ${JSON.stringify(given[own.indexOf(-1)])}, which var has not`
    : twice >= 0
      ? `the feature ${JSON.stringify(given[order[twice]])} twice`
      : isTaken
        ? "scaled values of some features beside layers/scale.data: leave one out"
        : null;
  if (problem !== null) throw new RefusedError(problem, { element: table.name, table: table.name });
  const isSorted = order.every((at, i) => at === i);
  const features = version === "v4" || isSorted ? given : Array.from(order, (at) => given[at]);
  const cells = dataset.frame("obs").names ?? [];
  const form = {
    sizes: [cells.length, features.length],
    dimnames: version === "v4" ? dimnames([features, cells]) : null,
    isTransposed: true,
    order: features === given ? undefined : order,
  } as const;
  return { features, matrix: await dataset.element(table, () => denseMatrix(table, form, dataset.cx)) };
}
