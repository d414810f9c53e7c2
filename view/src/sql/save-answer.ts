/** An answer as a file that the page makes itself: its rows are all here. */

import { RecordBatchFileWriter } from "apache-arrow";
import { wholeText } from "../table/cell-text.js";
import type { MemoryRows } from "../table/grid-rows.js";

export async function arrowOf(rows: MemoryRows): Promise<Blob> {
  const writer = new RecordBatchFileWriter();
  for (const batch of rows.batches) writer.write(batch);
  writer.finish();
  return new Blob([new Uint8Array(await writer.toUint8Array())], { type: "application/vnd.apache.arrow.file" });
}

/** CSV as RFC 4180 has it; missing values are empty. */
export function csvOf(rows: MemoryRows): Blob {
  const { columns } = rows;
  const parts: string[] = [`${columns.map(({ label }) => field(label)).join(",")}\r\n`];
  for (let row = 0; row < rows.rows; row++) {
    const found = rows.at(row);
    if (found === null) break;
    const cells = columns.map(({ field: name, item }) => {
      const vector = found.block.get(name);
      const text = vector === undefined ? null : wholeText(vector, found.offset, item);
      // An empty text is no missing value.
      return text === "" ? '""' : field(text ?? "");
    });
    parts.push(`${cells.join(",")}\r\n`);
  }
  return new Blob(parts, { type: "text/csv" });
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
