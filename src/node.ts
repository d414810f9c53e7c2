/** The core's entry for Node.js: everything in `index.ts`, with paths as input and output. */

import { CONCAT_OPTIONS, type ConcatInputs, type ConcatOptions, concatDatasets } from "./api/concat.js";
import { createConverter } from "./api/convert.node.js";
import type { Input } from "./api/open.js";
import { open, openStored } from "./api/open.node.js";
import { createReopenedInput } from "./api/reopened-input.node.js";
import type { Dataset } from "./model/dataset.js";
import { checkOptions } from "./model/option-names.js";

export {
  type CompanionOptions,
  type CompanionResult,
  type ListedCompanion,
  listCompanions,
  removeCompanion,
  writeCompanion,
} from "./api/companion.node.js";
export { type SplitOptions, type SplitPart, type SplitResult, split } from "./api/split.node.js";
export { type WriteOptions, write } from "./api/write.node.js";
export * from "./index.js";
export {
  fromPolars,
  type Polars,
  type PolarsFrame,
  type PolarsOptions,
  toPolars,
  type WritablePolarsFrame,
} from "./sinks/polars/polars.node.js";
export { open };

/**
 * Converts any input of `open` into another store (`pbmc.zarr`), a file with one table (`obs.parquet`), or a directory
 * that contains all tables (`{ format: "parquet" }` or `{ format: "arrow" }`; `docs/mapping.md`, section 1). An
 * existing output is replaced only once the new one is complete.
 * @param input any input of `open`.
 * @param output a path, a URL, or `-` for the standard output; its extension determines the format, unless `format` is
 * given.
 * @param options the options of the output and the options of `open`.
 * @returns the written tables with their row counts, and warnings.
 * @example
 * ```ts
 * await convert("pbmc.h5ad", "pbmc/", { format: "parquet" });
 * await convert("pbmc.h5ad", "obs.csv", { tables: ["obs"], overwrite: true });
 * ```
 * @throws {InvalidInputError} if the output exists and `overwrite` is not given, and for options that the output's
 * format does not have.
 * @throws {UnsupportedError} for elements that the output's format cannot store, unless `lossy` is set.
 * @throws the errors of `open`.
 * @function
 */
export const convert = createConverter<Input>((input, options) => openStored(input, { ...options, whole: true }));

/**
 * Concatenates datasets along one axis, with the semantics of `anndata.concat`. Elements in datasets of other formats
 * get the names that AnnData uses. This reads the names, the categories and the elements that are merged. All other
 * values are read by the tables of the result. Files are opened when they are needed, a few at a time. `warnings` of
 * the result lists the elements that were widened, filled or left out.
 * @param inputs paths and other inputs of `open`, or datasets, which must stay open.
 * @example
 * ```ts
 * const all = await concat({ s1: "a.h5ad", s2: "b.zarr" }, { join: "outer", label: "sample", indexUnique: "-" });
 * await write("all.h5ad", all);
 * await all.close();
 * ```
 * @throws {InvalidInputError} if datasets do not fit together: the message names the dataset and the element.
 * @throws the errors of `open`.
 */
export async function concat(inputs: ConcatInputs<Input>, options: ConcatOptions = {}): Promise<Dataset> {
  checkOptions(options, "concat", CONCAT_OPTIONS);
  return concatDatasets(inputs, options, createReopenedInput);
}
