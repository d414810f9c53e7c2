/** The rows of a result on stdout, the count of them on stderr. */

import { cellText } from "../../arrow/apache/cell-text.js";
import type { DataTable } from "../../model/dataset.js";
import { batchesOf } from "../../sinks/stream.js";
import { isNumber } from "../../sinks/text/markdown.js";
import { textTable } from "../tables/text-table.js";
import { type CliContext, mayColor, terminalWidth, thousands } from "./context.js";

/** More rows are counted, not shown. */
const SHOWN = 200;

export async function printResult(table: DataTable, { signal }: CliContext): Promise<void> {
  const cells: (string | null)[][] = [];
  let rows = 0;
  for await (const batch of batchesOf(table, { signal })) {
    const texts = batch.data.children.map(cellText);
    const end = Math.min(batch.numRows, SHOWN - rows);
    for (let row = 0; row < end; row++) cells.push(texts.map((text) => text(row)));
    rows += batch.numRows;
  }
  const columns = table.schema.fields.map(({ name, type }) => ({
    title: name,
    align: isNumber(type) ? ("right" as const) : ("left" as const),
  }));
  const width = terminalWidth();
  process.stdout.write(textTable(columns, cells, { color: mayColor(), ...(width === undefined ? {} : { width }) }));
  const count = rows === 1 ? "1 row" : `${thousands(rows)} rows`;
  const part = rows > SHOWN ? `, the first ${SHOWN} are shown (all of them with --format csv)` : "";
  process.stderr.write(`${count}${part}\n`);
}
