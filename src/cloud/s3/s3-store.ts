/** Objects of S3 and of services that speak its language. Source: Amazon S3 API Reference. */

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

/** The region of a bucket about which nothing is known; the service's answer tells another one. */
const DEFAULT_REGION = "us-east-1";

/** Objects of `bucket`. @param options with an endpoint or a region where they are known. */
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

/** URL of the bucket, without a slash at its end. A bucket with dots is no host that a certificate covers. */
function bucketUrl(bucket: string, { endpoint, region = DEFAULT_REGION, pathStyle }: S3Options): string {
  const isOwn = endpoint === undefined;
  const base = new URL(isOwn ? `https://s3.${region}.${domainOf(region)}` : endpoint);
  const inPath = pathStyle ?? (!isOwn || !/^[a-z0-9-]+$/.test(bucket));
  if (!inPath) base.host = `${bucket}.${base.host}`;
  const path = base.pathname.replace(/\/+$/, "");
  return `${base.origin}${path}${inPath ? `/${bucket}` : ""}`;
}
