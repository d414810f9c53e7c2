/** Opens a source at a URL from its plan. */

import type { HttpOptions } from "../http/http-exchange.js";
import { createHttpSource } from "../sources/http/http-store.js";
import { reopenPlannedFile } from "../sources/http/remote-file.js";
import type { Source, WebPlan } from "../sources/source.js";
import { findFileScheme } from "./registry.js";

/**
 * Opens a file or key-value store in a worker, without sending a request. The credentials for an address are looked up
 * as in the main thread.
 */
export async function openWebPlan(plan: WebPlan): Promise<Source> {
  const { url, name, version } = plan;
  const http = await createRequestOptions(plan);
  return version === null ? createHttpSource(url, { ...http, name, plan }) : reopenPlannedFile(plan, version, http);
}

function createRequestOptions({ http, scheme }: WebPlan): HttpOptions | Promise<HttpOptions> {
  if (scheme === null) return http;
  const { address, options } = scheme;
  const found = findFileScheme(address);
  if (found === null) throw new TypeError(`no worker knows the scheme of ${address}`);
  return found.createRequestOptions(address, { ...options, http });
}
