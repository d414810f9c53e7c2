/** `annarrow split IN FOLDER`. */

import { parseOutput } from "annarrow/core/formats";
import { splitInto } from "annarrow/node/api";
import { type CliContext, getOutputWebOptions, thousands, warn } from "../context/context.js";
import { checkUsage, UsageError } from "../context/failure.js";
import { createProgressBar } from "../context/progress.js";
import { withStored } from "../files/open-input.js";
import { type OutputFlags, pickGivenOptions, toOutputOptions } from "../options/output-options.js";
import type { PartFlags } from "../options/part-options.js";
import { selectChosenPart } from "./chosen-part.js";

export interface SplitFlags extends PartFlags, OutputFlags {
  readonly by?: string;
  readonly rows?: number;
  readonly axis: "obs" | "var";
}

export async function split(input: string, folder: string, flags: SplitFlags, context: CliContext): Promise<void> {
  const { by, rows, axis, to, dropUnused } = flags;
  if ((by === undefined) === (rows === undefined)) throw new UsageError("give either --by COLUMN or --rows NUMBER");
  if (folder === "-") throw new UsageError("many outputs need a folder, not the standard output");
  if (to !== undefined && to !== "10x") checkUsage(() => parseOutput("part", to));
  const bar = await createProgressBar();
  const result = await withStored(
    input,
    context,
    async (dataset) => {
      const { part, tables } = await selectChosenPart(dataset, flags, context.signal);
      return splitInto(part, folder, {
        axis,
        ...pickGivenOptions({ by, rows, dropUnused }),
        ...toOutputOptions(flags),
        tables: tables ?? undefined,
        ...getOutputWebOptions(folder, context),
        onProgress: bar.update,
      });
    },
    { whole: true },
  ).finally(bar.stop);
  warn(result.warnings);
  const count = result.parts.reduce((sum, part) => sum + part.count, 0);
  const outputs = result.parts.length === 1 ? "1 output" : `${thousands(result.parts.length)} outputs`;
  process.stderr.write(`${folder}: ${outputs}, ${thousands(count)} ${axis === "obs" ? "cells" : "genes"}\n`);
}
