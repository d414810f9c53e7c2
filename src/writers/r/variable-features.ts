/** The variable features of Seurat, of the columns in which scanpy and Seurat note them. */

import type { RValue } from "../../containers/rds/model/value.js";
import { NA_INTEGER, NO_ATTRIBUTES } from "../../containers/rds/model/value.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { rowsOf } from "../../tables/rows.js";
import { byRank, RANKS } from "../seurat-names.js";
import { characters, type RWriterContext } from "./context.js";
import { logicalsOf, realsOf } from "./vector.js";

/** Whether a feature is variable. */
const FLAGS = "highly_variable";

/** Columns by which an assay of version 5 tells its variable features. */
const [CHOSEN, RANK] = ["var.features", "var.features.rank"];

/**
 * The names of the variable features: by their rank where a column has it, else in the order of the features. None
 * where `var` has no boolean column `highly_variable`.
 */
export async function variableFeatures(
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
  for await (const { columns, length } of rowsOf(table, cx)) {
    const flags = logicalsOf(columns[flagged]);
    const ranks = ranked < 0 ? null : realsOf(columns[ranked]);
    for (let i = 0; i < length; i++, row++) {
      if (flags[i] === 1) chosen.push({ name: names[row], rank: ranks?.[i] ?? 0 });
    }
  }
  return byRank(chosen);
}

/** The columns of an assay of version 5, as `VariableFeatures<-` sets them; those that are there stay. */
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
    [CHOSEN, characters(features.map((name) => (places.has(name) ? name : null)))],
    [RANK, { kind: "integer", values: ranks, attributes: NO_ATTRIBUTES }],
  ]);
}
