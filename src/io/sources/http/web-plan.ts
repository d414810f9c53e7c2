/** Plans for sources at URLs, from which workers reopen them. */

import type { HttpOptions } from "../../http/http-exchange.js";
import type { WebPlan } from "../source.js";

/**
 * Returns the plan for a source; null if the caller's own function sends the requests, because it cannot move to a
 * worker.
 */
export function createWebPlan(
  at: Pick<WebPlan, "url" | "name" | "version">,
  options: HttpOptions,
  scheme: WebPlan["scheme"] = null,
): WebPlan | null {
  if (options.fetch !== undefined || holdsFunction(scheme?.options)) return null;
  const { headers, attempts, stall, timeout } = options;
  const http = {
    headers,
    attempts,
    stall,
    timeout,
  };
  return { kind: "web", ...at, http, scheme };
}

function holdsFunction(value: unknown): boolean {
  if (typeof value === "function") return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsFunction);
}
