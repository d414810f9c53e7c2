/** Fragments as the tab-separated text of 10x Genomics (`fragments.tsv.gz`). */

import type { Target } from "../io/targets/target.js";
import { InvalidInputError, isCancellation } from "../model/errors.js";
import { convertTables, type NamedTables } from "./conversion/converted-tables.js";
import type { WriteResult } from "./format.js";
import { checkTableOptions, conversions } from "./formats.js";
import { createWriterOptions } from "./store-container.js";
import type { AnyStoreOptions } from "./store-options.js";

/**
 * Writes the only table of fragments to `target`, which the caller commits.
 * @throws {InvalidInputError} if a compression is given, since the file name determines it; if there is no table of
 * fragments, or more than one; and if there are other tables, unless losses are allowed.
 */
export async function writeFragmentsText(
  given: NamedTables,
  gzip: boolean,
  target: Target,
  { compression, ...options }: Omit<AnyStoreOptions, "compression"> & { readonly compression?: string },
): Promise<WriteResult> {
  if (compression !== undefined) {
    throw new InvalidInputError("fragments have no choice of a compression: .tsv.gz is block gzip, .tsv is plain");
  }
  checkTableOptions(options);
  const { tables, warnings } = await convertTables(given, "10x", options, conversions);
  const table = tables.get("fragments");
  if (table === undefined) throw new InvalidInputError("no table of fragments");
  const [{ encodeFragmentsText }, { createChunkEncoder }] = await Promise.all([
    import("../writers/fragments-tsv/write.js"),
    import("../jobs/workers/chunk-encoder.js"),
  ]);
  const { onProgress, ...own } = await createWriterOptions(options);
  const { signal } = own;
  const encoder = gzip ? createChunkEncoder(signal) : null;
  try {
    const text = await encodeFragmentsText(table, {
      ...{ ...own, encoder },
      progress: onProgress
        ? (done, total) => onProgress({ element: "fragments", done, total, unit: "rows" })
        : undefined,
    });
    await target.write("fragments", text.bytes);
    const result = text.result();
    return { tables: [{ name: "fragments", rows: result.rows }], warnings: [...warnings, ...result.warnings] };
  } catch (error) {
    if (signal?.aborted === true && !isCancellation(error)) throw signal.reason;
    throw error;
  } finally {
    encoder?.close();
  }
}
