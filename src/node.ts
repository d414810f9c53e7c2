/**
 * annarrow for Node.js: everything of `index.ts`, with paths as input and output.
 *
 * @example
 * ```ts
 * import { convert, open } from "annarrow";
 *
 * const data = await open("pbmc.h5ad");
 * const obs = await data.table("obs").read();
 * await convert("pbmc.h5ad", "pbmc/", { format: "parquet" });
 * ```
 * @module
 */

import { converter } from "./api/convert.node.js";
import type { Input } from "./api/open.js";
import { open, openStored } from "./api/open.node.js";
import type { RunningServer, ServeOptions } from "./serve/serve.node.js";

export { type WriteOptions, write } from "./api/write.node.js";
export * from "./index.js";
export type { RunningServer, ServeOptions } from "./serve/serve.node.js";
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
 * Converts anything that opens into files of tables: one table (`obs.parquet`), or a directory of all of them
 * (`{ format: "parquet" }` or `{ format: "arrow" }`). An output that is replaced stays until the new one is complete.
 * @throws {InvalidInputError} where the output exists and `overwrite` is not given.
 */
export const convert = converter<Input>((input, options) => openStored(input, { ...options, whole: true }));

/**
 * Serves the annotated matrices below `folders`: every table of every file over Arrow Flight, and over HTTP where it has
 * a port.
 * @example
 * ```ts
 * const server = await serve("data/", { port: 0, readOnly: true });
 * console.log(server.location);
 * await server.close();
 * ```
 * @throws {NotFoundError} where a folder is not there.
 * @throws {InvalidInputError} for options that make no sense, or an address that cannot be had.
 * @throws {MissingDependencyError} without `@grpc/grpc-js`.
 */
export async function serve(folders: string | readonly string[], options: ServeOptions = {}): Promise<RunningServer> {
  return (await import("./serve/serve.node.js")).serve(folders, options);
}
