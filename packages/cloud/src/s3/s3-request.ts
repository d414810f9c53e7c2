/** Sends requests to S3, and throws errors for refused requests. */

import type { CloudStore } from "../objects/cloud-store.js";
import { createStatusError, type StoreAnswer, type StoreRequest, storeRequest } from "../objects/request.js";
import { parseS3Reason } from "./s3-fetch.js";

/**
 * Sends a request about a bucket or an object.
 * @param allowed status codes that are not errors, in addition to 2xx.
 */
export async function sendS3Request(
  store: Pick<CloudStore, "http" | "name">,
  request: Omit<StoreRequest, "source">,
  allowed: readonly number[] = [],
): Promise<StoreAnswer> {
  const answer = await storeRequest(store.http, { source: store.name, ...request });
  if (answer.status < 300 || allowed.includes(answer.status)) return answer;
  throw createStatusError(answer.status, parseS3Reason(answer.text), store.name);
}
