/** Exports for other packages, for Node only: `@annarrow/cloud/node`. */

export { registerCloudOutputs } from "./register.node.js";
export { FILES_AT_ONCE, Uploader } from "./upload.node.js";
