/** Removes what killed servers left behind. The next server with write access to the folder does this. */

import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { removeLeftovers } from "annarrow/node/io";
import type { Log } from "../requests/log.js";
import { isDataset } from "./folders.node.js";

/** Limits of the walk: number of entries, and depth of folders. */
const MAX_ENTRIES = 100_000;
const DEEPEST = 16;

/**
 * Removes uploads and unfinished datasets whose process has ended, and logs each removal. They are stored beside
 * datasets, never inside them.
 * @param roots real paths. Links in these folders are not followed.
 */
export async function removeLeft(roots: readonly string[], log: Log, signal: AbortSignal): Promise<void> {
  const left = { entries: MAX_ENTRIES };
  for (const root of roots) {
    for await (const folder of foldersIn(root, 0, { left, signal })) {
      for (const { path, done } of await removeLeftovers(folder)) log("info", done, { path });
    }
  }
}

interface FolderWalk {
  readonly left: { entries: number };
  readonly signal: AbortSignal;
}

/** Yields the folder, and all folders below it that are neither datasets nor hidden. */
async function* foldersIn(folder: string, depth: number, walk: FolderWalk): AsyncGenerator<string> {
  const { left, signal } = walk;
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
    // This server cannot have left anything in a folder that it cannot read.
  }
  for (const name of names) {
    const path = join(folder, name);
    const info = await lstat(path).catch(() => null);
    if (info?.isDirectory() && !(await isDataset(path, info))) yield* foldersIn(path, depth + 1, walk);
  }
}
