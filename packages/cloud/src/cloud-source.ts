/** Opens a source in an object store: a file, or a folder of keys. */

import type { HttpOptions } from "annarrow";
import { InvalidDataError, NotFoundError } from "annarrow";
import type { Source, WebPlan } from "annarrow/core/io";
import {
  createHttpSource,
  createWebPlan,
  detectKindByName,
  openRemoteFile,
  splitPrefixSegments,
} from "annarrow/core/io";
import type { KeyValueSource, ReadOptions } from "annarrow/format";
import { type CloudAddress, formatObjectAddress, parseAddress } from "./objects/address.js";
import type { CloudStore } from "./objects/cloud-store.js";
import type { CloudOptions } from "./objects/options.js";
import { openCloudStore } from "./open-cloud-store.js";

/**
 * Opens the file or the folder at an address such as `s3://bucket/study/pbmc.h5ad`. Any part of a key up to a `/` is a
 * folder.
 * @throws {NotFoundError} if there is neither.
 * @throws {UnsupportedError} if access is refused.
 */
export async function openCloudSource(
  address: string | URL,
  options: CloudOptions = {},
  http: HttpOptions = {},
  read: ReadOptions = {},
): Promise<Source> {
  const parsed = parseAddress(address);
  const store = await openCloudStore(parsed, options, http);
  const kind = detectKindByName(parsed.key);
  if (kind !== "store") {
    try {
      return await fileAt(parsed, store, options, http, read);
    } catch (error) {
      if (kind === "file" || !(error instanceof NotFoundError)) throw error;
    }
  }
  return folderAt(parsed, store, options, http, read);
}

function fileAt(
  address: CloudAddress,
  store: CloudStore,
  options: CloudOptions,
  http: HttpOptions,
  read: ReadOptions,
): Promise<Source> {
  const name = formatObjectAddress(address, address.key);
  const planOptions = { http, scheme: { address: name, options: { cloud: options } } };
  return openRemoteFile(store.url(address.key), { ...store.http, name, planOptions }, read);
}

async function folderAt(
  address: CloudAddress,
  store: CloudStore,
  options: CloudOptions,
  http: HttpOptions,
  read: ReadOptions,
): Promise<KeyValueSource> {
  const key = address.key.replace(/\/+$/, "");
  const name = formatObjectAddress(address, key);
  const scheme = { address: name, options: { cloud: options } };
  const plan = createWebPlan({ url: store.url(key), name, version: null }, http, scheme);
  const source = createCloudFolderSource(store, key, { name, plan });
  const names = await source.list("", read);
  if (names?.length === 0) throw new NotFoundError("no object has this key, nor begins with it", { source: name });
  return source;
}

// Reads a folder in an object store: the keys that begin with a prefix.

/** Maximum number of names in a folder. Real stores have fewer. */
const MAX_NAMES = 1_000_000;

interface FolderOptions {
  readonly name: string;
  /** The plan with which a worker can reopen the folder; null if workers cannot reopen it. */
  readonly plan: WebPlan | null;
}

/** Opens the keys below `folder`, which must not end with a slash. `""` opens all keys of the store. */
function createCloudFolderSource(store: CloudStore, folder: string, { name, plan }: FolderOptions): KeyValueSource {
  const values = createHttpSource(store.url(folder), { ...store.http, name, plan });
  return {
    kind: "keys",
    name,
    isRemote: true,
    plan: plan ?? undefined,
    get: (key, options) => values.get(key, options),
    getRanges: (key, ranges, options) => values.getRanges(key, ranges, options),
    async size(key, options) {
      return values.size?.(key, options);
    },
    async stamp(key, options) {
      return values.stamp?.(key, options);
    },
    async list(prefix, options) {
      const segments = [...(folder === "" ? [] : [folder]), ...splitPrefixSegments(prefix)];
      const below = segments.map((segment) => `${segment}/`).join("");
      const names = new Set<string>();
      for await (const page of store.list(below, { folders: true, signal: options?.signal })) {
        for (const key of [...page.objects.map((object) => object.key), ...page.folders]) {
          const child = key.slice(below.length).replace(/\/$/, "");
          // A key that ends with a slash represents the folder itself.
          if (child !== "") names.add(child);
        }
        if (names.size > MAX_NAMES) {
          throw new InvalidDataError(`more than ${MAX_NAMES} keys and folders`, { source: name, element: prefix });
        }
      }
      return [...names];
    },
    close: () => values.close(),
  };
}
