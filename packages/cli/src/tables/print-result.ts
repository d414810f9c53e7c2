/** Prints the rows of a result to stdout, and their number to stderr. */

import type { DataTable } from "annarrow";
import { createCellFormatter } from "annarrow/core/arrow";
import { isNumber, streamBatches } from "annarrow/core/sinks";
import { streamTarget } from "annarrow/node/io";
import { type CliContext, getTerminalWidth, mayColor, thousands } from "../context/context.js";
import { TextTable } from "./text-table.js";

/** Maximum number of result rows shown in a terminal. Further rows are only counted. */
export const MAX_SHOWN_ROWS = 200;

/** Rows whose cells are formatted together in memory, with aligned columns. */
const BLOCK = 10_000;

/**
 * Prints the rows and their number. Outputs other than a terminal get all rows, because a file must be complete.
 * @param most maximum number of rows on a terminal.
 */
export async function printResult(table: DataTable, most: number, { signal }: CliContext): Promise<void> {
  const shown = process.stdout.isTTY ? most : Number.POSITIVE_INFINITY;
  let rows = 0;
  async function* blocks(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    const width = getTerminalWidth();
    const columns = table.schema.fields.map(({ name, type }) => ({
      title: name,
      align: isNumber(type) ? ("right" as const) : ("left" as const),
    }));
    const text = new TextTable(columns, { color: mayColor(), width });
    let cells: (string | null)[][] = [];
    let isFirst = true;
    for await (const batch of streamBatches(table, { signal })) {
      const texts = batch.data.children.map(createCellFormatter);
      const end = Math.min(batch.numRows, shown - rows);
      for (let row = 0; row < end; row++) {
        cells.push(texts.map((cell) => cell(row)));
        if (cells.length < BLOCK) continue;
        yield encoder.encode(text.block(cells));
        isFirst = false;
        cells = [];
      }
      rows += batch.numRows;
    }
    if (isFirst || cells.length > 0) yield encoder.encode(text.block(cells));
    yield encoder.encode(text.end());
  }
  await streamTarget(process.stdout).write("", blocks());
  const count = rows === 1 ? "1 row" : `${thousands(rows)} rows`;
  const part = rows > shown ? `, the first ${shown} are shown (all of them in a file, or with --format csv)` : "";
  process.stderr.write(`${count}${part}\n`);
}
