/** Output that is being written, so that an interrupted process can remove it before it ends. */

import { rmSync } from "node:fs";

const unfinished = new Set<string>();

/** Notes that `path` is temporary; the returned function notes that it is not, or no more. */
export function registerCleanup(path: string): () => void {
  unfinished.add(path);
  return () => {
    unfinished.delete(path);
  };
}

/** Removes all temporary output at once. For signal handlers. */
export function removeUnfinished(): void {
  for (const path of unfinished) rmSync(path, { recursive: true, force: true });
  unfinished.clear();
}
