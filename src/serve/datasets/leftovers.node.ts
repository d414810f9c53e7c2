/** What servers that were killed have left is removed by the next server that may write there. */

import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { removeLeftovers } from "../../targets/leftovers.node.js";
import type { Log } from "../requests/log.js";
import { isDataset } from "./folders.node.js";

/** What is gone through at most. */
const MOST_ENTRIES = 100_000;
const DEEPEST = 16;

/**
 * Removes uploads and unfinished datasets that no living process owns, with a line of the log for each. They stand beside
 * datasets, never within them.
 * @param roots without links; links in them are not followed.
 */
export async function removeLeft(roots: readonly string[], log: Log, signal: AbortSignal): Promise<void> {
  const left = { entries: MOST_ENTRIES };
  for (const root of roots) {
    for await (const folder of foldersIn(root, 0, left, signal)) {
      for (const { path, done } of await removeLeftovers(folder)) log("info", done, { path });
    }
  }
}

/** The folder, and those below that are no datasets and not hidden. */
async function* foldersIn(
  folder: string,
  depth: number,
  left: { entries: number },
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (signal.aborted) return;
  yield folder;
  if (depth >= DEEPEST) return;
  const names: string[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      if (left.entries-- <= 0 || signal.aborted) break;
      if (entry.isDirectory() && !entry.name.startsWith(".")) names.push(entry.name);
    }
  } catch {
    // What cannot be read has nothing of ours.
  }
  for (const name of names) {
    const path = join(folder, name);
    const info = await lstat(path).catch(() => null);
    if (info?.isDirectory() && !(await isDataset(path, info))) yield* foldersIn(path, depth + 1, left, signal);
  }
}
