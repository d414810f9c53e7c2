/** The part of `model/` that packages can use in Node only: `annarrow/node/model`. */

export { createDiskError, createFolderError, findSystemReason, hasCode } from "./system-error.node.js";
