/** Uploads of servers that were killed: their folders are removed by the next server that may write there. */

import type { Dirent } from "node:fs";
import { lstat, opendir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDataset } from "./folders.node.js";
import { errorFields, type Log } from "./log.js";
import { isAbandoned, isUpload } from "./upload-owner.node.js";

/** What is gone through at most. */
const MOST_ENTRIES = 100_000;
const DEEPEST = 16;

/**
 * Removes what no living process owns, with a line of the log for each.
 * @param roots without links; links in them are not followed.
 */
export async function removeLeftUploads(roots: readonly string[], log: Log, signal: AbortSignal): Promise<void> {
  const left = { entries: MOST_ENTRIES };
  for (const root of roots) {
    for await (const path of uploadsIn(root, 0, left, signal)) {
      try {
        await rm(path, { recursive: true, force: true });
        log("info", "removed an upload that nobody has under way", { path });
      } catch (error) {
        log("warn", "an upload that nobody has under way cannot be removed", { path, ...errorFields(error) });
      }
    }
  }
}

/** Uploads stand beside datasets, never within them. */
async function* uploadsIn(
  folder: string,
  depth: number,
  left: { entries: number },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const folders: string[] = [];
  for (const entry of await entriesOf(folder, left)) {
    if (signal.aborted) return;
    const path = join(folder, entry.name);
    const info = entry.isDirectory() ? await lstat(path).catch(() => null) : null;
    if (info === null || !info.isDirectory()) continue;
    if (isUpload(entry.name)) {
      if (await isAbandoned(entry.name, info.mtimeMs)) yield path;
    } else if (!entry.name.startsWith(".") && depth < DEEPEST && !(await isDataset(path, info))) folders.push(path);
  }
  for (const path of folders) yield* uploadsIn(path, depth + 1, left, signal);
}

async function entriesOf(folder: string, left: { entries: number }): Promise<readonly Dirent[]> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      if (left.entries-- <= 0) break;
      entries.push(entry);
    }
  } catch {
    // What cannot be read has nothing of ours.
  }
  return entries;
}
