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
  for (const path of unfinished) {
    try {
      // A write that is still under way may add a file meanwhile: then once more.
      rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 10 });
    } catch {
      // The others are removed all the same; this one's name says what it is.
    }
  }
  unfinished.clear();
}
