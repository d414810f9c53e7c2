/** Exports for other packages: `@annarrow/cloud`. */

export { formatObjectAddress, isCloudAddress, parseAddress } from "./objects/address.js";
export type { CloudStore, CloudWriter } from "./objects/cloud-store.js";
export type {
  AzureOptions,
  CloudOptions,
  GcsOptions,
  HubOptions,
  S3Credentials,
  S3Options,
} from "./objects/options.js";
export { createStatusError, type StoreAnswer, storeRequest } from "./objects/request.js";
export { openCloudStore } from "./open-cloud-store.js";
export { registerCloud } from "./register.js";
