/** `annarrow concat IN… -o OUT`. */

import type { ConcatOptions, Dataset } from "annarrow";
import { concatDatasets } from "annarrow/core/api";
import { parseOutput } from "annarrow/core/formats";
import { createInputKeys } from "annarrow/core/model";
import { convertTo, createReopenedInput } from "annarrow/node/api";
import {
  type CliContext,
  getOutputWebOptions,
  getWebOptions,
  openOptions,
  thousands,
  warn,
} from "../context/context.js";
import { checkUsage, UsageError } from "../context/failure.js";
import { createProgressBar } from "../context/progress.js";
import { expandInputs } from "../files/file-pattern.js";
import { readTextLines } from "../files/text-lines.js";
import { type OutputFlags, toOutputOptions } from "../options/output-options.js";

export interface ConcatFlags extends Omit<ConcatOptions, "lossy" | "signal">, OutputFlags {
  readonly output?: string;
  readonly inputs?: string;
}

export async function concat(given: readonly string[], flags: ConcatFlags, context: CliContext): Promise<void> {
  const { output, inputs: list, to } = flags;
  if (output === undefined) throw new UsageError("missing the output: annarrow concat IN… -o OUT");
  const { paths } = await expandInputs(given, getWebOptions(context));
  const inputs = [...paths, ...(list === undefined ? [] : (await readTextLines(list)).filter((line) => line !== ""))];
  if (inputs.length === 0) throw new UsageError("missing the inputs: annarrow concat IN… -o OUT");
  checkUsage(() => parseOutput(output, to));
  const { signal } = context;
  const all = await concatDatasets(inputs, { keys: createInputKeys(inputs), ...flags, signal }, (input: string) =>
    createReopenedInput(input, openOptions(context)),
  );
  try {
    const bar = await createProgressBar();
    const result = await convertTo(all, output, {
      ...toOutputOptions(flags),
      ...getOutputWebOptions(output, context),
      onProgress: bar.update,
    }).finally(bar.stop);
    warn(result.warnings);
    if (output !== "-") {
      process.stderr.write(
        `${output}: ${thousands(inputs.length)} ${inputs.length === 1 ? "dataset" : "datasets"}, ${sizeOf(all)}\n`,
      );
    }
  } finally {
    await all.close();
  }
}

function sizeOf({ shape, tables }: Pick<Dataset, "shape" | "tables">): string {
  if (shape !== null) return `${thousands(shape[0])} observations, ${thousands(shape[1])} variables`;
  const rows = tables.get("fragments")?.rows ?? null;
  return rows === null ? "fragments" : `${thousands(rows)} fragments`;
}
