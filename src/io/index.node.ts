/** The part of `io/` that packages can use in Node only: `annarrow/node/io`. */

export { createInputPathError, getFileIdentity, isAbsent } from "./sources/file.node.js";
export { streamTarget } from "./targets/file.node.js";
export { FileWriter } from "./targets/file-writer.node.js";
export { createWorkFolder, planWorkFolder, type WorkFolder } from "./targets/temporary-folder.node.js";
export {
  acquireLock,
  createTemporaryName,
  registerCleanup,
  removeLeftovers,
  removeUnfinished,
  TOUCH,
  UPLOAD,
} from "./targets/temporary-output.node.js";
export { writeUnnamedFile } from "./targets/unnamed-file.node.js";
