/** Where a source's bytes are, as plain data: what a worker needs to open it again. */

import { blobSource } from "./blob.js";
import type { Source } from "./source.js";

export type SourcePlan = LocalPlan | BlobPlan | ZipPlan;

/** A file or directory of a file system. */
interface LocalPlan {
  readonly kind: "file" | "directory";
  readonly path: string;
  /** Of a file when it was opened: another one may stand at its path by now. Of a directory `since`, where it has one. */
  readonly identity: string;
}

interface BlobPlan {
  readonly kind: "blob";
  readonly name: string;
  readonly blob: Blob;
}

/** The entries of a zip that lies in `file`. */
interface ZipPlan {
  readonly kind: "zip";
  readonly file: LocalPlan | BlobPlan;
}

export type OpenLocal = (plan: LocalPlan) => Promise<Source>;

/**
 * @param openLocal opens files and directories; null where there is no file system.
 * @throws {InvalidDataError} where the file was replaced since the plan was made.
 */
export async function openSourcePlan(plan: SourcePlan, openLocal: OpenLocal | null): Promise<Source> {
  switch (plan.kind) {
    case "file":
    case "directory":
      if (openLocal === null) throw new TypeError("there is no file system here");
      return await openLocal(plan);
    case "blob":
      return blobSource(plan.blob, plan.name);
    case "zip": {
      const [file, { zipSource }] = await Promise.all([openSourcePlan(plan.file, openLocal), import("./zip.js")]);
      if (file.kind !== "bytes") throw new TypeError("a zip is a file");
      return await zipSource(file);
    }
    default:
      return plan satisfies never;
  }
}
