/**
 * Sends requests to S3, signed if there are credentials. Source: Amazon S3 API Reference, "Authenticating Requests (AWS
 * Signature Version 4)". The signing is done by aws4fetch.
 */

import { UnsupportedError } from "annarrow";
import { TransientError } from "annarrow/core/io";
import { once } from "annarrow/core/kernels";
import type { S3Credentials, S3Options } from "../objects/options.js";
import { readProblemText } from "../objects/request.js";
import { findXmlText } from "../objects/xml.js";

/** New credentials are requested this many milliseconds before the old ones expire. */
const EARLY = 300_000;

/** Minimum milliseconds for which credentials are cached. */
const SHORTEST = 10_000;

/** Codes of errors that may not occur again on a later attempt. */
const TRANSIENT = ["RequestTimeout", "SlowDown", "InternalError", "OperationAborted"];

/**
 * A `fetch` for the objects of a bucket. It sends requests to the bucket's region, and states the reason for a refusal.
 * @param send the function that sends requests; the global `fetch` by default.
 */
export function createS3Fetch(
  bucket: string,
  options: S3Options & { readonly region: string },
  send?: typeof fetch,
): typeof fetch {
  const { credentials, endpoint, requesterPays = false } = options;
  const current = typeof credentials === "function" ? refreshed(credentials) : async () => credentials;
  const keys = new Map<string, ArrayBuffer>();
  let region = options.region;

  const attempt = async (asked: URL, init: RequestInit): Promise<Response> => {
    const url = endpoint === undefined ? inRegion(asked, options.region, region) : asked;
    const headers = new Headers(init.headers);
    if (requesterPays) headers.set("x-amz-request-payer", "requester");
    const known = await current();
    const fetching = send ?? globalThis.fetch;
    if (known === undefined) return fetching(url, { ...init, headers });
    const { AwsV4Signer } = await signer();
    const { accessKeyId, secretAccessKey, sessionToken } = known;
    const signed = await new AwsV4Signer({
      ...{ method: init.method ?? "GET", url: url.href, headers, service: "s3", region, cache: keys },
      ...{ accessKeyId, secretAccessKey, sessionToken },
    }).sign();
    // Signatures and tokens must not be sent on to a redirection's target.
    return fetching(signed.url, { ...init, headers: signed.headers, redirect: "manual" });
  };

  return async (input, init = {}) => {
    const asked = new URL(input instanceof Request ? input.url : input);
    const response = await attempt(asked, init);
    if (response.ok || response.status === 404 || response.status === 416 || response.status >= 500) return response;
    const other = response.headers.get("x-amz-bucket-region");
    const text = await readProblemText(response);
    const elsewhere = other ?? findXmlText(text, "Region");
    if (elsewhere !== null && elsewhere !== region && /^[a-z0-9-]{1,32}$/.test(elsewhere) && response.status !== 403) {
      region = elsewhere;
      return attempt(asked, init);
    }
    const code = findXmlText(text, "Code") ?? "";
    if (TRANSIENT.includes(code)) throw new TransientError(`the service answered ${response.status}: ${code}`);
    if (response.status !== 401 && response.status !== 403) {
      return new Response(text, { status: statusOf(response), headers: response.headers });
    }
    const isSigned = (await current()) !== undefined;
    throw new UnsupportedError(
      `no access to s3://${bucket}: ${parseS3Reason(text) || "403"}; ${remedy(isSigned, code)}`,
    );
  };
}

function remedy(isSigned: boolean, code: string): string {
  if (!isSigned) return "no credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE";
  if (/Expired|InvalidToken/.test(code)) return "the credentials have expired";
  if (/SignatureDoesNotMatch|InvalidAccessKeyId/.test(code)) return "the credentials are not the service's";
  return "for public data try --anonymous, for buckets whose readers pay --requester-pays; without s3:ListBucket, absent keys are refused, too";
}

/** Returns a valid status for a `Response`. In browsers, a redirection that is not followed has no valid status. */
function statusOf(response: Response): number {
  return response.status >= 200 && response.status < 600 ? response.status : 502;
}

/** Returns the URL in the bucket's region. Only Amazon's own addresses contain the region; others do not change. */
function inRegion(url: URL, from: string, to: string): URL {
  if (from === to) return url;
  const moved = new URL(url);
  moved.host = url.host.replace(`s3.${from}.${getAwsDomain(from)}`, `s3.${to}.${getAwsDomain(to)}`);
  return moved;
}

const signer = once(() => import("aws4fetch"));

/** Caches credentials until shortly before they expire; concurrent requests share one call. */
function refreshed(ask: () => Promise<S3Credentials>): () => Promise<S3Credentials> {
  let known: Promise<S3Credentials> | null = null;
  let until = Number.POSITIVE_INFINITY;
  const renewed = async () => {
    try {
      const credentials = await ask();
      const { expiration } = credentials;
      if (expiration !== undefined) until = Math.max(expiration.getTime() - EARLY, Date.now() + SHORTEST);
      return credentials;
    } catch (error) {
      known = null;
      throw error;
    }
  };
  return () => {
    if (known === null || Date.now() > until) {
      until = Number.POSITIVE_INFINITY;
      known = renewed();
    }
    return known;
  };
}

export function getAwsDomain(region: string): string {
  return region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}

/** Formats the code and the message of an error as `AccessDenied (Access Denied)`. */
export function parseS3Reason(text: string): string {
  const [code, message] = [findXmlText(text, "Code"), findXmlText(text, "Message")];
  return code === null ? "" : `${code}${message === null ? "" : ` (${message})`}`;
}
