/** Pages have no environment: what object stores need is in the options. */

import type { CloudScheme } from "./objects/address.js";
import type { CloudOptions } from "./objects/options.js";

/** The options of one service. */
export async function addEnvironment<S extends CloudScheme>(
  scheme: S,
  options: CloudOptions,
): Promise<NonNullable<CloudOptions[S]>> {
  return options[scheme] ?? {};
}
