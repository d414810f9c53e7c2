/**
 * annarrow for Node.js: everything of `index.ts`, with paths as input and output.
 *
 * @example
 * ```ts
 * import { convert, open } from "annarrow";
 *
 * const data = await open("pbmc.h5ad");
 * const obs = await data.table("obs").read();
 * await convert("pbmc.h5ad", "pbmc/", { to: "parquet" });
 * ```
 * @module
 */

import { converter } from "./convert.node.js";
import type { Input } from "./open.js";
import { open, openStored } from "./open.node.js";

export * from "./index.js";
export { type WriteOptions, write } from "./write.node.js";
export { open };

/**
 * Converts anything that opens into files of tables: one table (`obs.parquet`), or a directory of all of them
 * (`{ to: "parquet" }` or `{ to: "arrow" }`). What was there before stays until the new output is complete.
 * @throws {InvalidInputError} where the output exists and `overwrite` is not given.
 */
export const convert = converter<Input>((input, options) => openStored(input, { ...options, whole: true }));
