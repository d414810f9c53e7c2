/** The names of the HTTP request options. */

import type { NamesOf } from "../../model/option-names.js";
import type { HttpOptions } from "./http-exchange.js";

export const HTTP_OPTIONS = {
  ...{ fetch: true, headers: true, attempts: true, stall: true, timeout: true },
} as const satisfies NamesOf<HttpOptions>;
