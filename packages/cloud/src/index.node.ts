/** What this package offers other packages, for Node alone: `@annarrow/cloud/node`. */

export { registerCloudOutputs } from "./register.node.js";
export { FILES_AT_ONCE, Uploader } from "./upload.node.js";
