/** Writes a Markdown table in the usual style: one line per row, numbers right-aligned, nulls as NULL. */

import { DataType, type RecordBatch } from "apache-arrow";
import { createCellFormatter } from "../../arrow/apache/cell-text.js";
import type { DataTable } from "../../model/dataset.js";
import { type SinkOptions, streamBatches } from "../stream.js";

const PIECE = 65536;

/**
 * Writes `table` as Markdown. In text, `\`, `|` and `<` are escaped with a backslash, and a line end becomes `<br>`, so
 * that each row is one line. Lists and structs become JSON.
 */
export async function* encodeMarkdown(table: DataTable, options: SinkOptions = {}): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const { fields } = table.schema;
  const rules = fields.map(({ type }) => (isNumber(type) ? "--:" : "---"));
  yield encoder.encode(line(fields.map(({ name }) => escaped(name))) + line(rules));
  for await (const batch of streamBatches(table, options))
    for (const piece of lines(batch)) yield encoder.encode(piece);
}

function* lines(batch: RecordBatch): Generator<string> {
  const cells = batch.data.children.map(createCellFormatter);
  let out = "";
  for (let row = 0; row < batch.numRows; row++) {
    out += line(cells.map((text) => escaped(text(row) ?? "NULL")));
    if (out.length > PIECE) {
      yield out;
      out = "";
    }
  }
  if (out !== "") yield out;
}

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;

const escaped = (text: string) => text.replace(/[\\|<]/g, "\\$&").replace(/\r\n|\r|\n/g, "<br>");

/** Whether values of `type` are right-aligned. */
export const isNumber = (type: DataType) => DataType.isInt(type) || DataType.isFloat(type) || DataType.isDecimal(type);
