/**
 * annarrow for Node.js: everything in `index.ts`, and also paths as inputs and outputs.
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

import "./register.node.js";

import type { RunningServer, ServeOptions } from "@annarrow/flight/node";
import type { ViewPage, ViewPageOptions } from "@annarrow/view/node";

export type { AzureOptions, CloudOptions, GcsOptions, HubOptions, S3Credentials, S3Options } from "@annarrow/cloud";
export type { FlightOptions } from "@annarrow/flight";
export type { RunningServer, ServeOptions } from "@annarrow/flight/node";
export type {
  CommitOptions,
  PlannedInput,
  TaskRange as TaskPiece,
  TaskReport,
  UnionElements,
  UnionOptions,
  UnionPart,
  UnionPlan,
  UnionProgress,
} from "@annarrow/union";
export {
  cleanUnion,
  commitUnion,
  planUnion,
  removeFromUnion,
  runUnionTask,
  type UnionResult,
  union,
} from "@annarrow/union/node";
export type { ViewPage, ViewPageOptions } from "@annarrow/view/node";
export * from "annarrow/node";
/**
 * Serves the annotated matrices below `folders`: every table of every file over Arrow Flight, and over HTTP if an HTTP
 * port is given.
 * @example
 * ```ts
 * const server = await serve("data/", { port: 0, readOnly: true });
 * console.log(server.location);
 * await server.close();
 * ```
 * @throws {NotFoundError} if a folder does not exist.
 * @throws {InvalidInputError} for invalid options, or an address that is not available.
 * @throws {MissingDependencyError} without `@grpc/grpc-js`.
 */
export async function serve(folders: string | readonly string[], options: ServeOptions = {}): Promise<RunningServer> {
  return (await import("@annarrow/flight/node")).serve(folders, options);
}

/**
 * Shows files in a browser page, as `annarrow view` does: tables, embeddings, SQL, and saving selected parts. A
 * notebook shows the page in a frame. The page closes on `close()`, or when the program ends.
 * @param inputs paths of files or folders, and URLs.
 * @example
 * ```ts
 * const page = await view("pbmc.h5ad");
 * console.log(page.url);
 * await page.close();
 * ```
 * @throws {InvalidInputError} for a file that cannot be opened, with the message of the command.
 */
export async function view(inputs: string | readonly string[], options: ViewPageOptions = {}): Promise<ViewPage> {
  const { viewPage } = await import("@annarrow/view/node");
  return viewPage(typeof inputs === "string" ? [inputs] : inputs, options);
}
