/**
 * Objects of Google Cloud Storage. Source: its JSON API (lists and writes) and its XML API, from whose URLs objects are read.
 */

import type { HttpOptions } from "../../http/http-exchange.js";
import { InvalidDataError } from "../../model/errors.js";
import { isJsonObject, parseJsonObject } from "../../model/json-object.js";
import { encodedKey } from "../objects/address.js";
import {
  type CloudStore,
  type CloudUpload,
  type CloudWriter,
  ConditionError,
  type ListedObject,
  type ListedPage,
  type ListOptions,
  type PutOptions,
} from "../objects/cloud-store.js";
import type { GcsOptions } from "../objects/options.js";
import { pagesOf } from "../objects/pages.js";
import { unlessRefused } from "../objects/refusal.js";
import { refusedError, type StoreAnswer, type StoreRequest, storeHttp, storeRequest } from "../objects/request.js";
import { bearer, requestedUrl, withHeaders } from "../objects/token.js";
import { xmlText } from "../objects/xml.js";

const SERVICE = "https://storage.googleapis.com";

const REMEDY =
  "set GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_OAUTH_ACCESS_TOKEN; for public data try --anonymous, for buckets whose readers pay set userProject (GOOGLE_CLOUD_PROJECT with --requester-pays)";

export function gcsStore(bucket: string, options: GcsOptions, http: HttpOptions): CloudStore {
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
      const more = { ...project, ...(await bearer(token)) };
      return unlessRefused(await send(requestedUrl(input), withHeaders(init, more)), this.name, gcsReason, REMEDY);
    });
    const request = (asked: Omit<StoreRequest, "source">, allowed?: readonly number[]) => this.#request(asked, allowed);
    this.writer = gcsWriter({ name: this.name, base: this.#base, bucket: this.#bucket, request });
  }

  url(key: string): string {
    return `${this.#base}/${this.#bucket}/${encodedKey(key)}`;
  }

  list(prefix: string, { folders = false, signal }: ListOptions = {}): AsyncGenerator<ListedPage> {
    return pagesOf(this.name, async (mark) => {
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
    throw refusedError(answer.status, gcsReason(answer.text), this.name);
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
  return xmlText(text, "Message") ?? "";
}

// Writes objects of Google Cloud Storage. Source: its JSON API: Objects: insert, "Resumable uploads".

/** Bytes of a part, a multiple of 256 KiB; the parts of an upload are sent sequentially. */
const PART_BYTES = 1 << 24;

/** Status code: the service has received a part, and waits for the next one. */
const RESUME = 308;

/** Status code of the response to cancelling an upload. */
const CANCELLED = 499;

const FAILED = 412;

interface Bucket {
  readonly name: string;
  /** Address of the service. */
  readonly base: string;
  /** Name of the bucket, encoded for a URL. */
  readonly bucket: string;
  request(request: Omit<StoreRequest, "source">, allowed?: readonly number[]): Promise<StoreAnswer>;
}

/** Writes objects of a bucket. Versions are generations. */
function gcsWriter({ name, base, bucket, request }: Bucket): CloudWriter {
  const insert = (kind: string, key: string, { ifAbsent, ifVersion }: PutOptions) => {
    const query = new URLSearchParams({ uploadType: kind, name: key });
    const generation = ifAbsent ? "0" : ifVersion;
    if (generation !== undefined) query.set("ifGenerationMatch", generation);
    return `${base}/upload/storage/v1/b/${bucket}/o?${query}`;
  };
  const conditional = async (asked: Omit<StoreRequest, "source">, allowed: readonly number[] = []) => {
    const answer = await request(asked, [FAILED, ...allowed]);
    if (answer.status === FAILED) throw new ConditionError("the object has another generation");
    return answer;
  };
  const headers = { "content-type": "application/octet-stream" };
  const put = async (key: string, bytes: Uint8Array<ArrayBuffer>, options: PutOptions = {}) => {
    const { signal } = options;
    const url = insert("media", key, options);
    const { text } = await conditional({ method: "POST", url, headers, body: bytes, signal });
    return String(parseJsonObject(text)?.generation ?? "");
  };
  const begin = async (key: string, options: PutOptions): Promise<string> => {
    const { signal } = options;
    const { header } = await conditional({ method: "POST", url: insert("resumable", key, options), headers, signal });
    const session = header("location");
    if (session === null) throw new InvalidDataError("the service began no upload", { source: name });
    return session;
  };
  return {
    versionHeader: "x-goog-generation",
    put,
    async upload(key, options = {}): Promise<CloudUpload> {
      const { signal } = options;
      let session: string | null = null;
      let sent = 0;
      const send = async (bytes: Uint8Array<ArrayBuffer>, total: number | null) => {
        session ??= await begin(key, options);
        const range = bytes.length === 0 ? "*" : `${sent}-${sent + bytes.length - 1}`;
        const sized = { ...headers, "content-range": `bytes ${range}/${total ?? "*"}` };
        const allowed = total === null ? [RESUME] : [];
        await conditional({ method: "PUT", url: session, headers: sized, body: bytes, signal }, allowed);
        sent += bytes.length;
      };
      return {
        atOnce: 1,
        partBytes: () => PART_BYTES,
        part: (_, bytes) => send(bytes, null),
        async complete(last) {
          if (session === null) await put(key, last, options);
          else await send(last, sent + last.length);
          session = null;
        },
        async abort() {
          if (session !== null) await request({ method: "DELETE", url: session }, [CANCELLED, 404, 410]);
          session = null;
        },
      };
    },
    async delete(key, { signal } = {}) {
      const url = `${base}/storage/v1/b/${bucket}/o/${encodeURIComponent(key)}`;
      await request({ method: "DELETE", url, signal }, [404]);
    },
  };
}
