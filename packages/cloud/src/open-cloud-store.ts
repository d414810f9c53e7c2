/** Opens the object store that an address refers to. */

import type { HttpOptions } from "annarrow";
import { addEnvironment } from "#platform/cloud-environment";
import type { CloudAddress } from "./objects/address.js";
import type { CloudStore } from "./objects/cloud-store.js";
import type { CloudOptions } from "./objects/options.js";

/**
 * Opens the object store that an address refers to, without sending a request yet.
 * @throws {InvalidInputError} for invalid options.
 * @throws {MissingDependencyError} if credentials need a package that is not installed.
 */
export async function openCloudStore(
  address: CloudAddress,
  given: CloudOptions = {},
  http: HttpOptions = {},
): Promise<CloudStore> {
  const options = given.anonymous ? withoutCredentials(given) : given;
  const { scheme, bucket, account } = address;
  switch (scheme) {
    case "s3":
      return (await import("./s3/s3-store.js")).createS3Store(bucket, await addEnvironment("s3", options), http);
    case "gs":
      return (await import("./gcs/gcs-store.js")).createGcsStore(bucket, await addEnvironment("gs", options), http);
    case "az": {
      const { createAzureStore } = await import("./azure/azure-store.js");
      const given = account === undefined ? options : { ...options, az: { ...options.az, account } };
      return createAzureStore(bucket, await addEnvironment("az", given), http);
    }
    case "hf":
      return (await import("./hub/hub-store.js")).createHubStore(address, await addEnvironment("hf", options), http);
    default:
      return scheme satisfies never;
  }
}

function withoutCredentials({ anonymous = true, s3 = {}, gs = {}, az = {}, hf = {} }: CloudOptions): CloudOptions {
  const { credentials: _, profile: _profile, ...ofS3 } = s3;
  const { token: _token, ...ofGcs } = gs;
  const { key: _key, sas: _sas, token: _azureToken, ...ofAzure } = az;
  const { token: _hubToken, ...ofHub } = hf;
  return { anonymous, s3: ofS3, gs: ofGcs, az: ofAzure, hf: ofHub };
}
