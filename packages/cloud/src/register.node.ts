/** Registers the schemes of object stores in Node, where outputs are written to the disk and then uploaded. */

import { registerScheme } from "annarrow/scheme";
import { cloudScheme } from "./register.js";

/** Makes the core also write to object stores. */
export function registerCloudOutputs(): void {
  registerScheme({
    ...cloudScheme,
    createOutput: async (address, options) =>
      (await import("./cloud-output.node.js")).createCloudOutput(address, options),
  });
}
