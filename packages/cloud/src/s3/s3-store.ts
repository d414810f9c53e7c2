/** Objects of S3 and S3-compatible services. Source: Amazon S3 API Reference. */

import type { HttpOptions } from "annarrow";
import { InvalidInputError } from "annarrow";
import { encodeObjectKey } from "../objects/address.js";
import type { CloudStore, CloudWriter, ListedPage, ListOptions } from "../objects/cloud-store.js";
import type { S3Options } from "../objects/options.js";
import { readListPages } from "../objects/pages.js";
import { storeHttp } from "../objects/request.js";
import { findXmlElements, findXmlText } from "../objects/xml.js";
import { createS3Fetch, getAwsDomain } from "./s3-fetch.js";
import { sendS3Request } from "./s3-request.js";
import { createS3Writer } from "./s3-writer.js";

/** The initial region of a bucket if none is known. The service's response contains the actual region. */
const DEFAULT_REGION = "us-east-1";

/** Opens the objects in `bucket`. @param options contain the endpoint or the region, if known. */
export function createS3Store(bucket: string, options: S3Options, http: HttpOptions): CloudStore {
  if (!/^[\w.:-]{1,255}$/.test(bucket)) {
    throw new InvalidInputError(`${JSON.stringify(bucket)} is no name of a bucket`, { source: `s3://${bucket}` });
  }
  return new S3Store(bucket, options, http);
}

class S3Store implements CloudStore {
  readonly name: string;
  readonly http: HttpOptions;
  readonly writer: CloudWriter;
  readonly #base: string;

  constructor(bucket: string, options: S3Options, http: HttpOptions) {
    this.name = `s3://${bucket}`;
    this.#base = bucketUrl(bucket, options);
    this.http = storeHttp(
      http,
      createS3Fetch(bucket, { ...options, region: options.region ?? DEFAULT_REGION }, http.fetch),
    );
    this.writer = createS3Writer(this);
  }

  url(key: string): string {
    return `${this.#base}/${encodeObjectKey(key)}`;
  }

  list(prefix: string, { folders = false, signal }: ListOptions = {}): AsyncGenerator<ListedPage> {
    return readListPages(this.name, async (mark) => {
      const query = new URLSearchParams({ "list-type": "2", prefix });
      if (folders) query.set("delimiter", "/");
      if (mark !== null) query.set("continuation-token", mark);
      const { text } = await sendS3Request(this, { url: `${this.#base}/?${query}`, signal });
      const objects = findXmlElements(text, "Contents").map((inside) => ({
        key: findXmlText(inside, "Key") ?? "",
        size: Number(findXmlText(inside, "Size")),
      }));
      const below = findXmlElements(text, "CommonPrefixes").map((inside) => findXmlText(inside, "Prefix") ?? "");
      const next = findXmlText(text, "IsTruncated") === "true" ? findXmlText(text, "NextContinuationToken") : null;
      return { page: { objects, folders: below }, next };
    });
  }
}

/**
 * Returns the bucket's URL without a trailing slash. A bucket with dots in its name is not made part of the host,
 * because no certificate would cover that host.
 */
function bucketUrl(bucket: string, { endpoint, region = DEFAULT_REGION, pathStyle }: S3Options): string {
  const isOwn = endpoint === undefined;
  const base = new URL(isOwn ? `https://s3.${region}.${getAwsDomain(region)}` : endpoint);
  const inPath = pathStyle ?? (!isOwn || !/^[a-z0-9-]+$/.test(bucket));
  if (!inPath) base.host = `${bucket}.${base.host}`;
  const path = base.pathname.replace(/\/+$/, "");
  return `${base.origin}${path}${inPath ? `/${bucket}` : ""}`;
}
