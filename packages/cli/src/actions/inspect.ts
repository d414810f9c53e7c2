/** `annarrow inspect FILE` prints tables, types, sizes and versions. No values are read. */

import type { OpenedDataset, OpenedTable } from "annarrow/core/api";
import { type CliContext, getTerminalWidth, mayColor, warn } from "../context/context.js";
import { UsageError } from "../context/failure.js";
import { withStored } from "../files/open-input.js";
import { escapeJsonControlChars, toInspectJson } from "./inspect-json.js";
import { formatInspectedTable, formatInspectReport } from "./inspect-report.js";

export interface InspectFlags {
  readonly json?: boolean;
  readonly table?: string;
}

export async function inspect(file: string, { json = false, table }: InspectFlags, context: CliContext): Promise<void> {
  if (json && table !== undefined) throw new UsageError("--json shows all tables: leave out --table");
  await withStored(file, context, async (dataset) => {
    if (json) {
      const companion = (await dataset.companion?.state()) ?? null;
      process.stdout.write(`${escapeJsonControlChars(await toInspectJson(dataset, companion))}\n`);
      return;
    }
    process.stdout.write(await inspectReport(dataset, table, context));
    warn(dataset.warnings);
  });
}

async function inspectReport(
  dataset: OpenedDataset<OpenedTable>,
  table: string | undefined,
  { signal }: CliContext,
): Promise<string> {
  const width = getTerminalWidth();
  const companion = (await dataset.companion?.state()) ?? null;
  const options = { companion, signal, color: mayColor(), width };
  return table === undefined ? formatInspectReport(dataset, options) : formatInspectedTable(dataset, table, options);
}
