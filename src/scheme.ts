/**
 * What a scheme of addresses is made with, such as `s3` of `s3://bucket/pbmc.h5ad`. Files and folders at addresses of a
 * registered scheme are read, written and converted like those of a disk.
 *
 * @example
 * ```ts
 * import { registerScheme } from "annarrow/scheme";
 *
 * declare module "annarrow/extend" {
 *   interface FileSchemeOptions {
 *     readonly shelf?: { readonly shelves: ReadonlyMap<string, Uint8Array> };
 *   }
 * }
 * registerScheme({
 *   ...{ kind: "files", names: ["shelf"], aliases: [], options: { key: "shelf", names: { shelves: true } } },
 *   normalizeAddress: (address) => address.replace(/\/+$/, ""),
 *   openSource: (address, { shelf }, read) => openFromShelf(String(address), shelf, read),
 *   createRequestOptions: async () => ({}),
 *   createOutput: null,
 * });
 * ```
 * @module
 */

export { registerScheme } from "./io/schemes/registry.js";
export type { RemoteOutput } from "./io/schemes/remote-output.js";
export type { AccessOptions, FileScheme, Scheme, ServiceScheme } from "./io/schemes/scheme.js";
