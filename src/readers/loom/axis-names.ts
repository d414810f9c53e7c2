/** The names of rows and columns: the attribute that each writer keeps them in. */

import { textValues } from "../../arrow/text.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { ColumnPlan } from "../../jobs/plan/plan.js";
import { columnRows, readColumn, ScanState } from "../../jobs/rows/columns.js";
import type { ReaderContext } from "../context.js";
import type { TableElement } from "../element.js";

/** loompy's, anndata's and loomR's, in this order. */
const COLUMN_NAMES = ["CellID", "obs_names", "cell_names"];

/** The names of the matrix's columns; null where the file has none. */
export function columnNames(
  colAttrs: TableElement | undefined,
  cx: ReaderContext,
): (() => Promise<readonly string[]>) | null {
  const plan = COLUMN_NAMES.map((name) => textColumn(colAttrs, name)).find((found) => found !== null);
  if (plan === undefined) return null;
  return async () => {
    const column = await readColumn(plan, 0, columnRows(plan), new ScanState(cx.text, cx.options));
    return column.layout === "variable" ? textValues(column).map((text) => text ?? "") : [];
  };
}

function textColumn(element: TableElement | undefined, name: string): ColumnPlan | null {
  if (element?.plan.kind !== "columns") return null;
  const at = element.fields.findIndex((field) => field.name === name);
  const plan = element.plan.columns[at];
  return plan?.kind === "array" && isTextList(plan.array) ? plan : null;
}

function isTextList({ type, shape }: StoredArray): boolean {
  return type.kind === "text" && shape?.length === 1;
}
