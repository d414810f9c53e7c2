/** Web pages have no environment, so the options must contain everything that object stores need. */

import type { CloudScheme } from "./objects/address.js";
import type { CloudOptions } from "./objects/options.js";

export async function addEnvironment<S extends CloudScheme>(
  scheme: S,
  options: CloudOptions,
): Promise<NonNullable<CloudOptions[S]>> {
  return options[scheme] ?? {};
}
