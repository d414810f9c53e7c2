/** Files and directories of plans, under Node. */

import { blockingFileSource } from "./blocking-file.node.js";
import { directorySource } from "./directory.node.js";
import type { OpenLocal } from "./source-plan.js";

/** For workers: files are read synchronously, since nobody else waits for their thread. */
export const openLocalPlan: OpenLocal = async ({ kind, path, identity }) => {
  if (kind === "file") return blockingFileSource(path, identity);
  return directorySource(path, identity === "" ? null : Number(identity));
};
