/** Files and directories for `openSourcePlan`, under Node. */

import { installLocalSources } from "./source-plan.js";

/** Called once by the entry of a worker. Files are read synchronously there: nobody else waits for that thread. */
export function installNodeSources(): void {
  installLocalSources(async (plan) => {
    if (plan.kind === "directory") {
      const since = plan.identity === "" ? null : Number(plan.identity);
      return (await import("./directory.node.js")).directorySource(plan.path, since);
    }
    return (await import("./blocking-file.node.js")).blockingFileSource(plan.path, plan.identity);
  });
}
