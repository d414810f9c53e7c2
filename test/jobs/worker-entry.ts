/** The worker's entry as one file that Node can run, as the package has it once it is built. */

import { type Bundle, bundled } from "../../scripts/import-bundled.mjs";

export type WorkerEntry = Bundle;

/** Bundles `packages/published/src/worker.node.ts`, or another file. */
export const workerEntry = (entry = "packages/published/src/worker.node.ts"): Promise<WorkerEntry> => bundled(entry);
