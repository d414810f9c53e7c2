/** What is said of files in a store that a server has its own answer to; by these words they are known behind a worker too. */

const WORDS = "is a symbolic link that leads out of the store";

/** What is said of a symbolic link that leads out of the store. */
export function leadsOut(key: string): string {
  return `${key} ${WORDS}`;
}

/** @param problem of an `UnsupportedError`. */
export function saysLeadsOut(problem: string): boolean {
  return problem.endsWith(WORDS);
}

const CHANGED = "has changed since the store was looked at";

/** What is said of a file in a store that was written, added or removed meanwhile. */
export function hasChanged(key: string): string {
  return `${key} ${CHANGED}`;
}

/** @param problem of an `InvalidDataError`. */
export function saysChanged(problem: string): boolean {
  return problem.endsWith(CHANGED);
}
