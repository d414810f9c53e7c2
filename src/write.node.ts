/** `write` with paths. */

import type { ConvertOptions } from "./convert.js";
import { convertTo } from "./convert.node.js";
import { InvalidInputError } from "./errors.js";
import { outputOf } from "./output.js";
import { storeTarget } from "./store-target.node.js";
import type { WritableStore } from "./targets/store.js";
import { isDataset, type WriteInput, writeTo, write as writeToKeys } from "./write.js";
import type { StoreOptions, WriteResult } from "./write-store.js";

export interface WriteOptions extends StoreOptions, Pick<ConvertOptions, "to"> {
  /** Replace what is at the output's place. */
  readonly overwrite?: boolean;
}

/**
 * Writes a dataset, or tables by the names of their elements, to `output`: the path of an `.h5ad`, `.zarr` or `.zarr.zip`,
 * or a Zarr store of the caller's. It appears whole or not at all.
 * @example
 * ```ts
 * await write("out.h5ad", { X: counts, obs: cells, var: genes });
 * ```
 * @throws {InvalidInputError} where the tables do not fit together, or the output exists and `overwrite` is not given.
 * @throws {UnsupportedError} for what AnnData has no form for.
 */
export async function write(
  output: string | Map<string, Uint8Array> | WritableStore,
  data: WriteInput,
  options: WriteOptions = {},
): Promise<WriteResult> {
  if (typeof output !== "string") return writeToKeys(output, data, options);
  if (isDataset(data)) return convertTo(data, output, options);
  const { to, overwrite = false, ...rest } = options;
  const form = outputOf(output, to);
  if (form.kind !== "store") {
    throw new InvalidInputError("named tables are written as .h5ad, .zarr or .zarr.zip; parquetFile writes one alone", {
      source: output,
    });
  }
  return writeTo(await storeTarget(output, form.format, { overwrite }), form.format, data, rest);
}
