/** Opens what lies in an object store: a file, or a folder of keys. */

import { addressOf, type CloudAddress, parseAddress } from "../../cloud/objects/address.js";
import type { CloudStore } from "../../cloud/objects/cloud-store.js";
import type { CloudOptions } from "../../cloud/objects/options.js";
import { openCloudStore } from "../../cloud/open-cloud-store.js";
import type { HttpOptions } from "../../http/http-exchange.js";
import { NotFoundError } from "../../model/errors.js";
import { remoteFile } from "../http/remote-file.js";
import { kindByName } from "../http/url.js";
import { webPlan } from "../http/web-plan.js";
import type { KeyValueSource, ReadOptions, Source } from "../source.js";
import { folderSource } from "./folder-source.js";

/**
 * Opens the file or the folder at an address such as `s3://bucket/study/pbmc.h5ad`. A folder is any beginning of keys up
 * to a `/`.
 * @throws {NotFoundError} where there is neither.
 * @throws {UnsupportedError} where access is refused.
 */
export async function cloudSource(
  address: string | URL,
  options: CloudOptions = {},
  http: HttpOptions = {},
  read: ReadOptions = {},
): Promise<Source> {
  const parsed = parseAddress(address);
  const store = await openCloudStore(parsed, options, http);
  const kind = kindByName(parsed.key);
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
  const planOptions = { http, cloud: { address, options } };
  const name = addressOf(address, address.key);
  return remoteFile(store.url(address.key), { ...store.http, name, planOptions }, read);
}

async function folderAt(
  address: CloudAddress,
  store: CloudStore,
  options: CloudOptions,
  http: HttpOptions,
  read: ReadOptions,
): Promise<KeyValueSource> {
  const key = address.key.replace(/\/+$/, "");
  const name = addressOf(address, key);
  const plan = webPlan({ url: store.url(key), name, version: null }, http, { address, options });
  const source = folderSource(store, key, { name, plan });
  const names = await source.list("", read);
  if (names?.length === 0) throw new NotFoundError("no object has this key, nor begins with it", { source: name });
  return source;
}
