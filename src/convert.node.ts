/** `convert` with paths: from anything that opens to a file, a directory or stdout. */

import type { ConvertOptions, ConvertResult } from "./convert.js";
import { convertDataset } from "./convert.js";
import type { Dataset, DataTable } from "./dataset.js";
import { type Output, outputOf } from "./output.js";
import type { Target } from "./sinks/target.js";
import type { StoredTable } from "./tables/stored-table.js";

type ConvertedDataset = Dataset<DataTable | StoredTable>;

export type Opener<Input> = (input: Input, options?: { readonly signal?: AbortSignal }) => Promise<ConvertedDataset>;

/** `convert(input, output, options)` for whatever `open` opens. */
export function converter<Input>(open: Opener<Input>) {
  return async (input: Input, output: string, options: ConvertOptions = {}): Promise<ConvertResult> => {
    outputOf(output, options.to);
    const dataset = await open(input, options.signal ? { signal: options.signal } : {});
    try {
      return await convertTo(dataset, output, options);
    } finally {
      await dataset.close();
    }
  };
}

/**
 * Writes `dataset` to `output`: a file (its extension tells the format), a directory (`to` does), or `-`, the standard
 * output. It appears whole or not at all.
 * @throws {UnsupportedError} for formats that cannot be written.
 * @throws {InvalidInputError} where something is there already and `overwrite` is not given.
 */
export async function convertTo(
  dataset: ConvertedDataset,
  output: string,
  options: ConvertOptions = {},
): Promise<ConvertResult> {
  const form = outputOf(output, options.to);
  const target = await targetOf(form, output, options.overwrite ?? false);
  return convertDataset(dataset, form, target, options);
}

async function targetOf(form: Output, output: string, overwrite: boolean): Promise<Target> {
  switch (form.kind) {
    case "directory":
      return (await import("./sinks/directory-target.node.js")).directoryTarget(output, { overwrite });
    case "file":
      return (await import("./sinks/file-target.node.js")).fileTarget(output, { overwrite });
    case "stdout":
      return (await import("./sinks/stream-target.node.js")).streamTarget(process.stdout);
    default:
      form satisfies never;
      throw new TypeError("unknown kind of output");
  }
}
