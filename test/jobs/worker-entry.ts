/** The worker's entry as one file that Node can run, as the package has it once it is built. */

import { mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

export interface WorkerEntry {
  readonly url: URL;
  remove(): Promise<void>;
}

/** Bundles `src/jobs/workers/worker.node.ts`, or another file. */
export async function workerEntry(entry = "src/jobs/workers/worker.node.ts"): Promise<WorkerEntry> {
  const folder = await mkdtemp(join("node_modules", ".worker-"));
  const outfile = join(folder, "worker.mjs");
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "silent",
  });
  return { url: pathToFileURL(resolve(outfile)), remove: () => rm(folder, { recursive: true, force: true }) };
}
