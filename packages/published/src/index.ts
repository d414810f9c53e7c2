/**
 * annarrow: annotated matrices as Apache Arrow. This is the entry for browsers and other runtimes without a file
 * system. The entry for Node.js (`node.ts`) also accepts paths.
 *
 * @example
 * ```ts
 * import { open } from "annarrow";
 *
 * const data = await open(await (await fetch("pbmc.h5ad")).blob());
 * for (const [name, table] of data.tables) console.log(name, String(table.schema), table.rows);
 * for await (const batch of data.table("X").batches({ rows: [0, 1000] })) console.log(batch.numRows);
 * ```
 * @module
 */

import "./register.js";

export type { AzureOptions, CloudOptions, GcsOptions, HubOptions, S3Credentials, S3Options } from "@annarrow/cloud";
export type { FlightOptions } from "@annarrow/flight";
export * from "annarrow";
export {
  cleanUnion,
  commitUnion,
  planUnion,
  removeFromUnion,
  runUnionTask,
  serve,
  union,
  view,
} from "./only-in-node.js";
