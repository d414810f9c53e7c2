/** Opens the source at a URL: a key-value store, or a single file. */

import { InvalidInputError, isAnnarrowError } from "../../../model/errors.js";
import { fileEndings, findEnding } from "../../../model/formats/registry.js";
import type { HttpOptions } from "../../http/http-exchange.js";
import type { ReadOptions, Source } from "../source.js";

/**
 * Opens a store if the path names a store (`.zarr`, or a folder), and a file if it names a file. For other URLs, such
 * as signed URLs without a name, the server's response determines the kind.
 * @throws {InvalidInputError} for URLs that are not http(s).
 * @throws {NotFoundError} if there is neither.
 */
export async function openUrlSource(url: string, read: ReadOptions = {}, http: HttpOptions = {}): Promise<Source> {
  if (!/^https?:/i.test(url)) throw new InvalidInputError(`${JSON.stringify(url)} is no http(s) URL`);
  const kind = detectKindByName(URL.canParse(url) ? new URL(url).pathname : "");
  if (kind === "store") return (await import("./http-store.js")).createHttpSource(url, http);
  const { openRemoteFile } = await import("./remote-file.js");
  const file = openRemoteFile(url, http, read);
  return kind === "file" ? await file : await file.catch((error: unknown) => storeInstead(url, read, http, error));
}

/** Detects a file or a key-value store by the names in a path; null if they do not determine it. */
export function detectKindByName(path: string): "file" | "store" | null {
  const segments = path.split("/");
  const name = segments.at(-1) ?? "";
  if (findEnding(name, fileEndings()) !== null) return "file";
  return name === "" || segments.some((segment) => /\.zarr$/i.test(segment)) ? "store" : null;
}

/** Opens a store at a URL whose name does not indicate one; throws `error` if there is no store. */
async function storeInstead(url: string, read: ReadOptions, http: HttpOptions, error: unknown): Promise<Source> {
  if (!isAnnarrowError(error, "NotFoundError", "UnsupportedError")) throw error;
  const store = (await import("./http-store.js")).createHttpSource(url, { ...http, attempts: 1 });
  const document = async (key: string) => await store.get(key, read).catch(() => undefined);
  const root =
    (await document("zarr.json")) ??
    (await document(".zgroup")) ??
    (await document("manifest.json")) ??
    (await document("version"));
  if (root === undefined) throw error;
  return (await import("./http-store.js")).createHttpSource(url, http);
}
