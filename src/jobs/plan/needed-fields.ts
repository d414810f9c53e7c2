/** Reduces compounds to the fields that the selected columns of a table need. */

import type { StoredArray } from "../../containers/tree/container.js";
import type { ColumnPlan, SinglePlan } from "./plan.js";

/**
 * Replaces compound arrays of the selected columns by arrays with fewer fields, because these cost less to decode.
 * Other columns stay unchanged.
 *
 * @example const columns = withNeededFields(task.rows.columns, task.selected);
 */
export function withNeededFields(columns: readonly ColumnPlan[], chosen: readonly number[]): readonly ColumnPlan[] {
  const needed = new Map<StoredArray, Set<number>>();
  const whole = new Set<StoredArray>();
  for (const i of chosen) {
    const single = singleOf(columns[i]);
    if (single?.kind === "array") whole.add(single.array);
    if (single?.kind === "field") needed.set(single.array, (needed.get(single.array) ?? new Set()).add(single.field));
  }
  const parts = new Map<StoredArray, { readonly array: StoredArray; readonly fields: readonly number[] }>();
  for (const [array, found] of needed) {
    if (whole.has(array) || array.type.kind !== "record" || found.size === array.type.fields.length) continue;
    const fields = [...found].sort((a, b) => a - b);
    const part = array.capabilities?.withFields?.(fields) ?? null;
    if (part !== null) parts.set(array, { array: part, fields });
  }
  if (parts.size === 0) return columns;
  const moved = (single: SinglePlan): SinglePlan => {
    const part = parts.get(single.array);
    if (part === undefined || single.kind === "array") return single;
    return { kind: "field", array: part.array, field: part.fields.indexOf(single.field) };
  };
  const isChosen = new Set(chosen);
  return columns.map((column, i) => (isChosen.has(i) ? withSingle(column, moved) : column));
}

/** Returns the array or field that contains the value of each row; null if the column has no single array or field. */
function singleOf(column: ColumnPlan): SinglePlan | null {
  switch (column.kind) {
    case "array":
    case "field":
      return column;
    case "viewed":
      return column.values;
    case "categorical":
      return column.codes;
    case "nullable":
    case "ragged":
    case "null":
      return null;
    default:
      return column satisfies never;
  }
}

function withSingle(column: ColumnPlan, change: (single: SinglePlan) => SinglePlan): ColumnPlan {
  switch (column.kind) {
    case "array":
    case "field":
      return change(column);
    case "viewed":
      return { ...column, values: change(column.values) };
    case "categorical":
      return { ...column, codes: change(column.codes) };
    case "nullable":
    case "ragged":
    case "null":
      return column;
    default:
      return column satisfies never;
  }
}
