/**
 * Objects in Google Cloud Storage. Source: its JSON API, for lists and writes, and its XML API, for the URLs from which
 * objects are read.
 */

import type { HttpOptions } from "annarrow";
import { InvalidDataError } from "annarrow";
import { isJsonObject, parseJsonObject } from "annarrow/core/model";
import { encodeObjectKey } from "../objects/address.js";
import type { CloudStore, CloudWriter, ListedObject, ListedPage, ListOptions } from "../objects/cloud-store.js";
import { explainDeniedAccess } from "../objects/denied-access.js";
import type { GcsOptions } from "../objects/options.js";
import { readListPages } from "../objects/pages.js";
import { createStatusError, type StoreAnswer, type StoreRequest, storeHttp, storeRequest } from "../objects/request.js";
import { getBearerHeader, getRequestedUrl, withHeaders } from "../objects/token.js";
import { findXmlText } from "../objects/xml.js";
import { createGcsWriter } from "./gcs-writer.js";

const SERVICE = "https://storage.googleapis.com";

const REMEDY =
  "set GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_OAUTH_ACCESS_TOKEN; for public data try --anonymous, for buckets whose readers pay set userProject (GOOGLE_CLOUD_PROJECT with --requester-pays)";

export function createGcsStore(bucket: string, options: GcsOptions, http: HttpOptions): CloudStore {
  return new GcsStore(bucket, options, http);
}

class GcsStore implements CloudStore {
  readonly name: string;
  readonly http: HttpOptions;
  readonly writer: CloudWriter;
  readonly #base: string;
  readonly #bucket: string;

  constructor(bucket: string, { endpoint = SERVICE, token, userProject }: GcsOptions, http: HttpOptions) {
    this.name = `gs://${bucket}`;
    this.#base = endpoint.replace(/\/+$/, "");
    this.#bucket = encodeURIComponent(bucket);
    const project: Readonly<Record<string, string>> =
      userProject === undefined ? {} : { "x-goog-user-project": userProject };
    this.http = storeHttp(http, async (input, init) => {
      const send = http.fetch ?? globalThis.fetch;
      const more = { ...project, ...(await getBearerHeader(token)) };
      return explainDeniedAccess(
        await send(getRequestedUrl(input), withHeaders(init, more)),
        this.name,
        gcsReason,
        REMEDY,
      );
    });
    const request = (asked: Omit<StoreRequest, "source">, allowed?: readonly number[]) => this.#request(asked, allowed);
    this.writer = createGcsWriter({ name: this.name, base: this.#base, bucket: this.#bucket, request });
  }

  url(key: string): string {
    return `${this.#base}/${this.#bucket}/${encodeObjectKey(key)}`;
  }

  list(prefix: string, { folders = false, signal }: ListOptions = {}): AsyncGenerator<ListedPage> {
    return readListPages(this.name, async (mark) => {
      const query = new URLSearchParams({ prefix, fields: "items(name,size),prefixes,nextPageToken" });
      if (folders) query.set("delimiter", "/");
      if (mark !== null) query.set("pageToken", mark);
      const { text } = await this.#request({ url: `${this.#base}/storage/v1/b/${this.#bucket}/o?${query}`, signal });
      const page = parseJsonObject(text);
      if (page === null) throw new InvalidDataError("the list of objects is no JSON", { source: this.name });
      const next = typeof page.nextPageToken === "string" && page.nextPageToken !== "" ? page.nextPageToken : null;
      return { page: { objects: listed(page.items), folders: texts(page.prefixes) }, next };
    });
  }

  async #request(request: Omit<StoreRequest, "source">, allowed: readonly number[] = []): Promise<StoreAnswer> {
    const answer = await storeRequest(this.http, { source: this.name, ...request });
    if (answer.status < 300 || allowed.includes(answer.status)) return answer;
    throw createStatusError(answer.status, gcsReason(answer.text), this.name);
  }
}

function listed(items: unknown): readonly ListedObject[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown) =>
    isJsonObject(item) && typeof item.name === "string" ? [{ key: item.name, size: Number(item.size) }] : [],
  );
}

function texts(values: unknown): readonly string[] {
  return Array.isArray(values) ? values.filter((value: unknown) => typeof value === "string") : [];
}

/** The message of an error, in JSON or XML. */
function gcsReason(text: string): string {
  const error = parseJsonObject(text)?.error;
  if (isJsonObject(error) && typeof error.message === "string") return error.message;
  return findXmlText(text, "Message") ?? "";
}
