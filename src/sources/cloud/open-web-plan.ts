/** Opens a source at a URL or in an object store from its plan. */

import { openCloudStore } from "../../cloud/open-cloud-store.js";
import { createHttpSource } from "../http/http-store.js";
import { reopenPlannedFile } from "../http/remote-file.js";
import type { Source, WebPlan } from "../source.js";

/**
 * Opens a file or a store of keys in a worker, without a request. The credentials of an object store are looked for as in
 * the main thread.
 */
export async function openWebPlan(plan: WebPlan): Promise<Source> {
  const { url, name, version, cloud } = plan;
  const http = cloud === null ? plan.http : (await openCloudStore(cloud.address, cloud.options, plan.http)).http;
  return version === null ? createHttpSource(url, { ...http, name, plan }) : reopenPlannedFile(plan, version, http);
}
