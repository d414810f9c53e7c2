/** Leaves out columns of a dataframe. */

import { pandasMetadata } from "../../arrow/pandas.js";
import type { TablePlan } from "./plan.js";

/** The plan without the columns at some positions; without its index, a dataframe has none. */
export function withoutColumns(table: TablePlan, positions: ReadonlySet<number>): TablePlan {
  const { plan, metadata } = table;
  if (plan.kind !== "columns") throw new TypeError("a table of columns expected");
  const isKept = (_: unknown, position: number) => !positions.has(position);
  const fields = table.fields.filter(isKept);
  const { index, indexColumn, ...unindexed } = metadata;
  const isIndexed = fields.some(({ name }) => name === index);
  return {
    ...table,
    fields,
    plan: { ...plan, columns: plan.columns.filter(isKept) },
    metadata: isIndexed ? metadata : unindexed,
    schemaMetadata: new Map(isIndexed ? [["pandas", pandasMetadata(fields)]] : []),
  };
}
