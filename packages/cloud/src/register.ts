/** Registers the schemes of object stores for web pages: read-only. The code is loaded at the first address. */

import type { FileScheme } from "annarrow/scheme";
import { registerScheme } from "annarrow/scheme";
import { CLOUD_ALIASES, CLOUD_NAMES, formatObjectAddress, parseAddress } from "./objects/address.js";
import { CLOUD_OPTIONS } from "./objects/options.js";

export const cloudScheme: FileScheme = {
  kind: "files",
  names: Object.keys(CLOUD_NAMES),
  aliases: Object.keys(CLOUD_ALIASES),
  options: { key: "cloud", names: CLOUD_OPTIONS },
  normalizeAddress(text) {
    const address = parseAddress(text);
    return formatObjectAddress(address, address.key.replace(/\/+$/, ""));
  },
  async openSource(address, { cloud, http }, read) {
    return (await import("./cloud-source.js")).openCloudSource(address, cloud, http, read);
  },
  async createRequestOptions(address, { cloud, http }) {
    const { openCloudStore } = await import("./open-cloud-store.js");
    return (await openCloudStore(parseAddress(address), cloud, http)).http;
  },
  createOutput: null,
};

/** Enables the core to read from object stores. */
export function registerCloud(): void {
  registerScheme(cloudScheme);
}
