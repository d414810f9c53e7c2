/** `annarrow inspect FILE`: its tables, types, sizes and versions. No values are read. */

import type { Command } from "commander";
import type { OpenedDataset, OpenedTable } from "../../api/opened-dataset.js";
import { type CliContext, INPUT, mayColor, terminalWidth, warn, withStored } from "../context/context.js";

export function addInspect(program: Command, context: CliContext): void {
  program
    .command("inspect")
    .description("show what is in a file: tables, types, rows, sizes, versions")
    .argument("<file>", INPUT)
    .option("--json", "all that is known, for programs")
    .addHelpText(
      "after",
      "\nExamples:\n  annarrow inspect pbmc.h5ad\n  annarrow inspect pbmc.zarr --json | jq '.tables[].name'",
    )
    .action((file: string, options: { json?: boolean }) => inspect(file, options.json ?? false, context));
}

async function inspect(file: string, asJson: boolean, context: CliContext): Promise<void> {
  await withStored(file, context, async (dataset) => {
    if (asJson) {
      const companion = (await dataset.companion?.state()) ?? null;
      const { inspectJson } = await import("./inspect-report.js");
      process.stdout.write(`${JSON.stringify(await inspectJson(dataset, companion), null, 2)}\n`);
      return;
    }
    process.stdout.write(await inspectReport(dataset));
    await warn(dataset.warnings);
  });
}

async function inspectReport(dataset: OpenedDataset<OpenedTable>): Promise<string> {
  const { inspectText } = await import("./inspect-report.js");
  const width = terminalWidth();
  const companion = (await dataset.companion?.state()) ?? null;
  return await inspectText(dataset, { companion, color: mayColor(), ...(width === undefined ? {} : { width }) });
}
