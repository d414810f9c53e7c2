/** What `model/` offers packages, for Node alone: `annarrow/node/model`. */

export { createDiskError, createFolderError, findSystemReason, hasCode } from "./system-error.node.js";
