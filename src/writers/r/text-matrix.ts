/** Matrices of text, as R's character vectors with dimensions. */

import { textColumnOf, textValues } from "../../arrow/text.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { rowsOf } from "../../tables/rows.js";
import { integers, type RWriterContext, type WrittenValue } from "./context.js";
import { stringItems } from "./text.js";

/** The number of columns of a table that is a matrix of text; null for other tables. */
export function textWidth({ fields }: ColumnTable): number | null {
  const [field, ...others] = fields;
  if (others.length > 0 || field?.type.id !== "FixedSizeList") return null;
  return field.type.item.type.id === "Utf8" ? field.type.size : null;
}

/**
 * The matrix of a table of lists of text, which R stores by columns.
 * @param width the length of the lists.
 * @throws {RefusedError} for text with a NUL.
 */
export async function textMatrix(table: ColumnTable, width: number, cx: RWriterContext): Promise<WrittenValue> {
  const sections = Array.from({ length: width }, () => cx.document.section(1));
  let rows = 0;
  for await (const { columns, length } of rowsOf(table, cx)) {
    const [lists] = columns;
    if (lists.layout !== "fixed-size-list") throw new TypeError("lists of fixed size expected");
    if (lists.child.layout !== "variable") throw new TypeError("text expected");
    const texts = textValues(lists.child);
    for (const [j, section] of sections.entries()) {
      const own = textColumnOf(Array.from({ length }, (_, i) => texts[i * width + j]));
      if (own.layout === "variable") await section.add(stringItems(own));
    }
    rows += length;
  }
  const dim = new Map([["dim", integers(rows, width)]]);
  return { value: cx.document.vector("character", rows * width, sections, dim), rows };
}
