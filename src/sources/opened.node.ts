/** The files and folders of this machine that are open, so that nothing is written into what is being read. */

/** By the object that stands for one opening. */
const opened = new Map<symbol, string>();

/** Notes that the file or folder at the absolute `path` is open; the returned function notes that it is not any more. */
export function noteOpened(path: string): () => void {
  const opening = Symbol(path);
  opened.set(opening, path);
  return () => void opened.delete(opening);
}

/** The paths of what is open. */
export function openedPaths(): ReadonlySet<string> {
  return new Set(opened.values());
}
