/** Writes one table, such as a statement's answer, to a file or the standard output. */

import { getOpenPaths } from "../io/sources/file.node.js";
import { createFileTarget, streamTarget } from "../io/targets/file.node.js";
import type { TargetOptions } from "../io/targets/output-path.node.js";
import { createSingleFileTarget, type Target } from "../io/targets/target.js";
import type { DataTable, Progress } from "../model/dataset.js";
import { type EncodedFormat, encodeTable } from "../sinks/directory/encode.js";
import { refuseOverlap } from "./overlap.node.js";

export interface WriteTableOptions extends TargetOptions {
  readonly format: EncodedFormat;
  /** Whether to write a `'` before text in CSV and TSV that spreadsheets run as a formula. */
  readonly safeText: boolean;
}

/**
 * Writes a table completely or not at all. In text formats, nested values become JSON.
 * @param output path or address, or `-` for the standard output.
 * @throws {InvalidInputError} for an output that is an open input, is inside one, or must not be replaced.
 */
export async function writeTable(
  output: string,
  table: DataTable,
  { format, safeText, ...options }: WriteTableOptions,
): Promise<{ readonly rows: number; readonly warnings: readonly string[] }> {
  const target = await createTarget(output, options);
  let rows = 0;
  const onProgress = ({ done }: Progress) => {
    rows = done;
  };
  try {
    const { signal } = options;
    await target.write("result", encodeTable(table, format, { signal, nested: "json", safeText, onProgress }));
    await target.commit();
    return { rows, warnings: target.warnings ?? [] };
  } catch (error) {
    await target.abort();
    throw error;
  }
}

async function createTarget(output: string, options: TargetOptions): Promise<Target> {
  if (output === "-") return streamTarget(process.stdout);
  for (const input of getOpenPaths()) await refuseOverlap(output, input);
  return createSingleFileTarget(await createFileTarget(output, options));
}
