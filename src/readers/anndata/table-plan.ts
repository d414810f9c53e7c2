/** Elements -> the plans of their tables. */

import type { Column } from "../../arrow/column.js";
import { jsonOf } from "../../arrow/json.js";
import { textValues } from "../../arrow/text.js";
import type { TablePlan } from "../../jobs/plan/plan.js";
import { columnRows, readColumn, ScanState } from "../../jobs/rows/columns.js";
import { axesOf, rowAxis } from "../../tables/axes.js";
import type { ReaderContext } from "../context.js";
import type { TableElement } from "../element.js";

/** An element as the plan of a table of its own. */
export function tablePlan(
  name: string,
  element: TableElement,
  tables: ReadonlyMap<string, TableElement>,
  cx: ReaderContext,
): TablePlan {
  const [, colAxis] = axesOf(name);
  const names = colAxis === null ? undefined : tables.get(colAxis);
  return {
    name,
    fields: element.fields,
    metadata: element.metadata,
    schemaMetadata: element.schemaMetadata ?? new Map(),
    rows: element.rows,
    derived: false,
    axis: rowAxis(name),
    plan: element.plan,
    text: cx.text,
    columnNames: names === undefined ? null : () => indexTexts(names, cx),
  };
}

/** The index of a frame as texts, for the names of columns. */
async function indexTexts(frame: TableElement, cx: ReaderContext): Promise<readonly string[]> {
  if (frame.plan.kind !== "columns") return [];
  const [index] = frame.plan.columns;
  const column: Column = await readColumn(index, 0, columnRows(index), new ScanState(cx.text, cx.options));
  if (column.layout === "variable" && column.type.id === "Utf8") return textValues(column).map((text) => text ?? "");
  return Array.from({ length: column.length }, (_, i) => {
    const json = jsonOf(column, i);
    return json.startsWith('"') ? String(JSON.parse(json)) : json;
  });
}
