/** Registers the schemes of object stores in Node, where outputs are written to disk and then uploaded. */

import { registerScheme } from "annarrow/scheme";
import { cloudScheme } from "./register.js";

/** Enables the core to write to object stores too. */
export function registerCloudOutputs(): void {
  registerScheme({
    ...cloudScheme,
    createOutput: async (address, options) =>
      (await import("./cloud-output.node.js")).createCloudOutput(address, options),
  });
}
