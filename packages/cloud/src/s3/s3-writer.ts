/** Writes objects to S3. Source: Amazon S3 API Reference: PutObject, CreateMultipartUpload, CompleteMultipartUpload. */

import { InvalidDataError, NotFoundError, UnsupportedError } from "annarrow";
import { ConditionError } from "annarrow/core/io";
import type { CloudStore, CloudUpload, CloudWriter, PutOptions } from "../objects/cloud-store.js";
import type { StoreAnswer, StoreRequest } from "../objects/request.js";
import { escapeXml, findXmlText } from "../objects/xml.js";
import { parseS3Reason } from "./s3-fetch.js";
import { sendS3Request } from "./s3-request.js";

/** Size in bytes of the first parts. An upload may have at most 10,000 parts, of at least 5 MiB. */
const PART_BYTES = 1 << 23;

/** Number of parts after which the part size doubles, so that 10,000 parts can hold more than the largest object. */
const DOUBLING = 1000;

/** Number of parts that are uploaded concurrently. */
const AT_ONCE = 4;

/** Status codes: a condition failed; another write of the object is in progress; conditions are not supported. */
const [FAILED, CONFLICT, UNKNOWN] = [412, 409, 501];

type Store = Pick<CloudStore, "http" | "name" | "url">;

export function createS3Writer(store: Store): CloudWriter {
  const put = async (key: string, bytes: Uint8Array<ArrayBuffer>, options: PutOptions = {}): Promise<string> => {
    const request = { method: "PUT", url: store.url(key), body: bytes } as const;
    const answer = await conditional(store, key, request, options);
    return answer.header("etag") ?? "";
  };
  return {
    versionHeader: "etag",
    put,
    upload: async (key, options = {}) => new Upload(store, key, options, (bytes) => put(key, bytes, options)),
    async delete(key, { signal } = {}) {
      await sendS3Request(store, { method: "DELETE", url: store.url(key), signal }, [404]);
    },
  };
}

/** Sends a request that makes an object visible, if the condition holds. */
async function conditional(
  store: Store,
  key: string,
  request: Omit<StoreRequest, "source">,
  { ifAbsent = false, ifVersion, signal }: PutOptions,
): Promise<StoreAnswer> {
  const condition = {
    ...(ifAbsent ? { "if-none-match": "*" } : {}),
    ...(ifVersion === undefined ? {} : { "if-match": ifVersion }),
  };
  const headers = { ...request.headers, ...condition };
  const answer = await sendS3Request(store, { ...request, headers, signal }, [FAILED, CONFLICT, UNKNOWN, 404]);
  switch (answer.status) {
    case FAILED:
    case CONFLICT:
      throw new ConditionError(parseS3Reason(answer.text));
    case UNKNOWN:
      if (!ifAbsent || ifVersion !== undefined) {
        throw new UnsupportedError(`the service knows no conditional writes`, { source: store.name, element: key });
      }
      // Another writer may create the object between this check and the write.
      if ((await sendS3Request(store, { method: "HEAD", url: store.url(key), signal }, [404])).status !== 404) {
        throw new ConditionError("the object exists");
      }
      return await sendS3Request(store, { ...request, signal });
    case 404:
      if (ifVersion !== undefined) throw new ConditionError("the object is gone");
      throw new NotFoundError(parseS3Reason(answer.text) || "there is no such bucket", {
        source: store.name,
        element: key,
      });
    default:
      return answer;
  }
}

class Upload implements CloudUpload {
  readonly atOnce = AT_ONCE;
  readonly #store: Store;
  readonly #key: string;
  readonly #options: PutOptions;
  readonly #putWhole: (bytes: Uint8Array<ArrayBuffer>) => Promise<string>;
  /** Versions of the parts, by part number. */
  readonly #parts: string[] = [];
  /** Identifier of the upload. Sending the first part starts the upload. */
  #id: Promise<string> | null = null;

  constructor(
    store: Store,
    key: string,
    options: PutOptions,
    putWhole: (bytes: Uint8Array<ArrayBuffer>) => Promise<string>,
  ) {
    this.#store = store;
    this.#key = key;
    this.#options = options;
    this.#putWhole = putWhole;
  }

  partBytes(index: number): number {
    return PART_BYTES * 2 ** Math.floor(index / DOUBLING);
  }

  async part(index: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#id ??= this.#begin();
    const url = this.#address({ partNumber: String(index + 1), uploadId: await this.#id });
    const { header } = await sendS3Request(this.#store, {
      method: "PUT",
      url,
      body: bytes,
      signal: this.#options.signal,
    });
    const version = header("etag");
    if (version === null) {
      throw new UnsupportedError("the service hides the ETag of a part, without which no upload can be completed", {
        ...{ source: this.#store.name, element: this.#key },
      });
    }
    this.#parts[index] = version;
  }

  async complete(last: Uint8Array<ArrayBuffer>): Promise<void> {
    if (this.#id === null) {
      await this.#putWhole(last);
      return;
    }
    if (last.length > 0) await this.part(this.#parts.length, last);
    const parts = this.#parts.map(
      (version, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeXml(version)}</ETag></Part>`,
    );
    const body = new TextEncoder().encode(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
    const url = this.#address({ uploadId: await this.#id });
    const answer = await conditional(this.#store, this.#key, { method: "POST", url, body }, this.#options);
    // The service sends the status before it joins the parts, so it reports a later error in the body of the response.
    if (findXmlText(answer.text, "Code") !== null) {
      throw new InvalidDataError(`the upload cannot be completed: ${parseS3Reason(answer.text)}`, {
        ...{ source: this.#store.name, element: this.#key },
      });
    }
  }

  async abort(): Promise<void> {
    const id = await this.#id?.catch(() => null);
    if (id === null || id === undefined) return;
    this.#id = null;
    await sendS3Request(this.#store, { method: "DELETE", url: this.#address({ uploadId: id }) }, [404]);
  }

  async #begin(): Promise<string> {
    const url = this.#address({ uploads: "" });
    const { text } = await sendS3Request(this.#store, { method: "POST", url, signal: this.#options.signal });
    const id = findXmlText(text, "UploadId");
    if (id === null) throw new InvalidDataError("the service began no upload", { source: this.#store.name });
    return id;
  }

  #address(query: Readonly<Record<string, string>>): string {
    return `${this.#store.url(this.#key)}?${new URLSearchParams(query)}`;
  }
}
