import { pathToFileURL } from "node:url";
import type { BuiltFiles } from "../../src/serve/serve.node.js";

/** Tests run from the sources, threads and processes from what is built. */
export const BUILT: BuiltFiles = {
  trialProcess: pathToFileURL("dist/jobs/trial-process.node.js"),
  statementWorker: pathToFileURL("dist/jobs/statement-worker.node.js"),
};
