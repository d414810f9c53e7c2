/** The oldest Node on which the command runs (`engines` of package.json). */

const OLDEST_NODE = 20;

/**
 * What is wrong with a version of Node; null for one that is new enough.
 * @param version as `process.version` has it.
 */
export function nodeProblem(version: string): string | null {
  if (Number(version.slice(1).split(".")[0]) >= OLDEST_NODE) return null;
  return `Node ${version} is too old: annarrow needs ${OLDEST_NODE} or later`;
}
