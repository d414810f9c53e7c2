/** Makes plans for elements named as in AnnData, and compares the lengths of the elements along their axes. */

import type { Column } from "../arrow/column.js";
import { encodeJsonValue } from "../arrow/json.js";
import { decodeTextValues } from "../arrow/text.js";
import { createTablePlan, type TablePlan } from "../jobs/plan/plan.js";
import { getColumnRowCount, readColumn, ScanState } from "../jobs/rows/columns.js";
import { InvalidDataError, isAnnarrowError } from "../model/errors.js";
import { getElementAxes, getRowAxis } from "../tables/axes.js";
import type { TableElement } from "./element.js";
import type { ReaderContext } from "./reader.js";
import type { FoundElements } from "./tree.js";

type Elements = ReadonlyMap<string, TableElement>;

/**
 * Creates plans for all elements that were found. If an element's length differs from that of its axis, it becomes a
 * failure.
 * @returns the plans, and the numbers [observations, variables] of the dataset, if its elements determine them.
 */
export function createAnnotatedPlans(
  found: FoundElements,
  cx: ReaderContext,
): { readonly tables: TablePlan[]; readonly shape: readonly [number, number] | null } {
  const elements: Elements = found.tables;
  const tables: TablePlan[] = [];
  for (const [name, element] of elements) {
    found.noteColumns(name, element);
    try {
      checkAxes(name, element, elements);
      tables.push(createAnnotatedPlan(name, element, elements, cx));
    } catch (error) {
      if (!isAnnarrowError(error)) throw error;
      found.failures.set(name, error);
    }
  }
  return { tables, shape: shapeOf(elements) };
}

/** Returns the axes of an element. If the element belongs to a modality, so do the tables of its axes. */
function placedAxes(name: string): readonly (string | null)[] {
  const prefix = /^mod\/[^/]+\//.exec(name)?.[0] ?? "";
  return getElementAxes(name.slice(prefix.length)).map((axis) => (axis === null ? null : prefix + axis));
}

function shapeOf(elements: Elements): readonly [number, number] | null {
  const [height, width] = elements.get("X")?.shape ?? [];
  const rows = elements.get("obs")?.rows ?? height;
  const columns = elements.get("var")?.rows ?? width;
  return rows === undefined || columns === undefined ? null : [rows, columns];
}

/** Compares an element with the axes that it annotates. @throws {InvalidDataError} if a length differs. */
function checkAxes(name: string, { shape }: TableElement, elements: Elements): void {
  for (const [dimension, axis] of placedAxes(name).entries()) {
    const expected = axis === null ? undefined : elements.get(axis)?.rows;
    const found = shape[dimension];
    if (axis === null || expected === undefined || found === expected) continue;
    throw new InvalidDataError(
      `${found ?? "no"} ${dimension === 0 ? "rows" : "columns"}, ${axis} has ${expected} (shape ${JSON.stringify(shape)})`,
      { element: name },
    );
  }
}

function createAnnotatedPlan(name: string, element: TableElement, elements: Elements, cx: ReaderContext): TablePlan {
  const [, colAxis] = placedAxes(name);
  const names = colAxis === null ? undefined : elements.get(colAxis);
  const columnNames = names === undefined ? null : () => indexTexts(names, cx);
  return createTablePlan({ ...element, name, axis: getRowAxis(name), text: cx.text, columnNames });
}

/** Reads the index of a dataframe as text. Its values become the column names of aligned matrices. */
async function indexTexts(frame: TableElement, cx: ReaderContext): Promise<readonly string[]> {
  if (frame.plan.kind !== "columns") return [];
  const [index] = frame.plan.columns;
  const column: Column = await readColumn(
    index,
    { start: 0, end: getColumnRowCount(index) },
    new ScanState(cx.text, cx.options),
  );
  if (column.layout === "variable" && column.type.id === "Utf8")
    return decodeTextValues(column).map((text) => text ?? "");
  return Array.from({ length: column.length }, (_, i) => {
    const json = encodeJsonValue(column, i);
    return json.startsWith('"') ? String(JSON.parse(json)) : json;
  });
}
