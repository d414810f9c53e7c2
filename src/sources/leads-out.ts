/** What is said of a symbolic link in a store that leads out of it; by these words it is known behind a worker too. */

const WORDS = "is a symbolic link that leads out of the store";

export function leadsOut(key: string): string {
  return `${key} ${WORDS}`;
}

/** @param problem of an `UnsupportedError`. */
export function saysLeadsOut(problem: string): boolean {
  return problem.endsWith(WORDS);
}
