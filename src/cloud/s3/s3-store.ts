/** Objects of S3 and S3-compatible services. Source: Amazon S3 API Reference. */

import type { HttpOptions } from "../../http/http-exchange.js";
import { InvalidInputError } from "../../model/errors.js";
import { encodedKey } from "../objects/address.js";
import type { CloudStore, CloudWriter, ListedPage, ListOptions } from "../objects/cloud-store.js";
import type { S3Options } from "../objects/options.js";
import { pagesOf } from "../objects/pages.js";
import { storeHttp } from "../objects/request.js";
import { xmlElements, xmlText } from "../objects/xml.js";
import { domainOf, s3Fetch } from "./s3-fetch.js";
import { s3Request } from "./s3-request.js";
import { s3Writer } from "./s3-writer.js";

/** The initial region of a bucket if none is known. The service's response contains the actual region. */
const DEFAULT_REGION = "us-east-1";

/** Opens the objects of `bucket`. @param options with an endpoint or a region if known. */
export function s3Store(bucket: string, options: S3Options, http: HttpOptions): CloudStore {
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
    this.http = storeHttp(http, s3Fetch(bucket, { ...options, region: options.region ?? DEFAULT_REGION }, http.fetch));
    this.writer = s3Writer(this);
  }

  url(key: string): string {
    return `${this.#base}/${encodedKey(key)}`;
  }

  list(prefix: string, { folders = false, signal }: ListOptions = {}): AsyncGenerator<ListedPage> {
    return pagesOf(this.name, async (mark) => {
      const query = new URLSearchParams({ "list-type": "2", prefix });
      if (folders) query.set("delimiter", "/");
      if (mark !== null) query.set("continuation-token", mark);
      const { text } = await s3Request(this, { url: `${this.#base}/?${query}`, signal });
      const objects = xmlElements(text, "Contents").map((inside) => ({
        key: xmlText(inside, "Key") ?? "",
        size: Number(xmlText(inside, "Size")),
      }));
      const below = xmlElements(text, "CommonPrefixes").map((inside) => xmlText(inside, "Prefix") ?? "");
      const next = xmlText(text, "IsTruncated") === "true" ? xmlText(text, "NextContinuationToken") : null;
      return { page: { objects, folders: below }, next };
    });
  }
}

/**
 * Returns the bucket's URL without a slash at its end. A bucket with dots is not part of the host, because no
 * certificate would cover it.
 */
function bucketUrl(bucket: string, { endpoint, region = DEFAULT_REGION, pathStyle }: S3Options): string {
  const isOwn = endpoint === undefined;
  const base = new URL(isOwn ? `https://s3.${region}.${domainOf(region)}` : endpoint);
  const inPath = pathStyle ?? (!isOwn || !/^[a-z0-9-]+$/.test(bucket));
  if (!inPath) base.host = `${bucket}.${base.host}`;
  const path = base.pathname.replace(/\/+$/, "");
  return `${base.origin}${path}${inPath ? `/${bucket}` : ""}`;
}
