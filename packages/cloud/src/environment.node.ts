/** Object store options from environment variables and files, which are read as the services' own tools read them. */

import { readAzureEnvironment } from "./azure/azure-environment.node.js";
import { readGcsEnvironment } from "./gcs/gcs-environment.node.js";
import { readHubEnvironment } from "./hub/hub-environment.node.js";
import type { CloudScheme } from "./objects/address.js";
import type { CloudOptions } from "./objects/options.js";
import { readS3Environment } from "./s3/s3-environment.node.js";

type Environment = { readonly [S in CloudScheme]: (options: CloudOptions) => Promise<NonNullable<CloudOptions[S]>> };

const ENVIRONMENTS: Environment = {
  s3: ({ s3 = {}, anonymous = false }) => readS3Environment(s3, anonymous),
  gs: ({ gs = {}, anonymous = false }) => readGcsEnvironment(gs, anonymous),
  az: ({ az = {}, anonymous = false }) => readAzureEnvironment(az, anonymous),
  hf: ({ hf = {}, anonymous = false }) => readHubEnvironment(hf, anonymous),
};

/** Adds the environment's options to the given options of one service. Given options take precedence. */
export function addEnvironment<S extends CloudScheme>(
  scheme: S,
  options: CloudOptions,
): Promise<NonNullable<CloudOptions[S]>> {
  return ENVIRONMENTS[scheme](options);
}
