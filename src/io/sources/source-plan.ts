/** Opens sources from plans, with which a worker reopens the main thread's sources. */

import { createBlobSource } from "./memory.js";
import type { LocalPlan, Source, SourcePlan, WebPlan } from "./source.js";

export type OpenLocal = (plan: LocalPlan) => Promise<Source>;

export type OpenWeb = (plan: WebPlan) => Promise<Source>;

/**
 * Opens a source from its plan.
 * @param openLocal opens files and directories; null if there is no file system.
 * @param openWeb opens URLs.
 * @throws {InvalidDataError} if the file has been replaced since the plan was made.
 */
export async function openSourcePlan(plan: SourcePlan, openLocal: OpenLocal | null, openWeb: OpenWeb): Promise<Source> {
  switch (plan.kind) {
    case "file":
    case "directory":
      if (openLocal === null) throw new TypeError("there is no file system here");
      return await openLocal(plan);
    case "blob":
      return createBlobSource(plan.blob, plan.name);
    case "zip": {
      const [file, { zipSource }] = await Promise.all([
        openSourcePlan(plan.file, openLocal, openWeb),
        import("./zip.js"),
      ]);
      if (file.kind !== "bytes") throw new TypeError("a zip is a file");
      return await zipSource(file);
    }
    case "web":
      return await openWeb(plan);
    default:
      return plan satisfies never;
  }
}
