/** `annarrow convert` without an input: files of tables become the elements of the output. */

import type { ConvertResult } from "annarrow";
import type { AnyConvertOptions } from "annarrow/core/api";
import { storeCompression } from "annarrow/core/formats";
import { openNamedTables, writeToPath } from "annarrow/node/api";
import { type CliContext, getWebOptions } from "../context/context.js";
import { checkUsage, UsageError } from "../context/failure.js";

/** @param files maps the name of each element to the path of the table that becomes this element. */
export async function convertNamedTables(
  files: Readonly<Record<string, string>>,
  output: string,
  options: AnyConvertOptions,
  context: CliContext,
): Promise<ConvertResult> {
  const { tables: only, layout, positions, compression, ...rest } = options;
  if (only !== undefined || layout !== undefined || positions) {
    throw new UsageError("--table, --layout and --positions choose from the tables of IN, and there is none");
  }
  const codec = compression === undefined ? undefined : checkUsage(() => storeCompression(compression));
  const { tables, close } = await openNamedTables(files, getWebOptions(context));
  try {
    return await writeToPath(output, tables, { ...rest, compression: codec });
  } finally {
    await close();
  }
}
