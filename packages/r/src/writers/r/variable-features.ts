/** Reads Seurat's variable features from the columns in which scanpy and Seurat record them. */

import type { ColumnTable } from "annarrow/core/tables";
import { readTableBatches } from "annarrow/core/tables";
import type { RValue } from "../../containers/rds/model/value.js";
import { NA_INTEGER, NO_ATTRIBUTES } from "../../containers/rds/model/value.js";
import { toLogicals, toReals } from "../r-values.js";
import { RANKS, sortByRank } from "../seurat-names.js";
import { createCharacterVector, type RWriterContext } from "./context.js";

/** Column that marks variable features. */
const FLAGS = "highly_variable";

/** Columns that define the variable features of a version 5 assay. */
const [CHOSEN, RANK] = ["var.features", "var.features.rank"];

/**
 * Returns the names of the variable features, by rank if a column contains ranks, and otherwise in the order of the
 * features. Empty if `var` has no boolean column `highly_variable`.
 */
export async function readVariableFeatures(
  table: ColumnTable | null,
  names: readonly string[],
  cx: RWriterContext,
): Promise<readonly string[]> {
  const fields = table?.fields ?? [];
  const flagged = fields.findIndex(({ name, type }) => name === FLAGS && type.id === "Bool");
  if (table === null || flagged < 0) return [];
  const ranked = fields.findIndex(
    ({ name, type }) => RANKS.includes(name) && (type.id === "Float" || type.id === "Int"),
  );
  const chosen: { readonly name: string; readonly rank: number }[] = [];
  let row = 0;
  for await (const { columns, length } of readTableBatches(table, cx)) {
    const flags = toLogicals(columns[flagged]);
    const ranks = ranked < 0 ? null : toReals(columns[ranked]);
    for (let i = 0; i < length; i++, row++) {
      if (flags[i] === 1) chosen.push({ name: names[row], rank: ranks?.[i] ?? 0 });
    }
  }
  return sortByRank(chosen);
}

/** Adds the columns that `VariableFeatures<-` sets in a version 5 assay; existing columns stay unchanged. */
export function withVariableFeatures(
  columns: ReadonlyMap<string, RValue>,
  variable: readonly string[],
  features: readonly string[],
): ReadonlyMap<string, RValue> {
  if (variable.length === 0 || columns.has(CHOSEN) || columns.has(RANK)) return columns;
  const places = new Map(variable.map((name, i) => [name, i + 1]));
  const ranks = Int32Array.from(features, (name) => places.get(name) ?? NA_INTEGER);
  return new Map<string, RValue>([
    ...columns,
    [CHOSEN, createCharacterVector(features.map((name) => (places.has(name) ? name : null)))],
    [RANK, { kind: "integer", values: ranks, attributes: NO_ATTRIBUTES }],
  ]);
}
