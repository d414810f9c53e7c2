/** Outputs that lie in an input, or an input in them. */

import { realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { InvalidInputError } from "../model/errors.js";
import { openedPaths } from "../sources/opened.node.js";

/**
 * Refuses an output within a folder that is open, which it would change while that is read, and a folder that holds an
 * open file or folder, which would go with it. Links, other spellings and other letters of one path are one path.
 *
 * The very file or folder that is open may be replaced: it is read to its end before the new one, which is complete by
 * then, takes its place. So may a hard link: the other name keeps what is there.
 * @throws {InvalidInputError} naming both.
 */
export async function refuseOverlap(output: string): Promise<void> {
  const paths = [...openedPaths()];
  if (paths.length === 0) return;
  const place = await realPlace(resolve(output));
  const own = await identityOf(place);
  const above = await identitiesAbove(place);
  for (const path of paths) {
    const input = await realpath(path).catch(() => null);
    if (input === null) continue;
    const identity = await identityOf(input);
    if (identity !== null && identity !== own && above.has(identity)) {
      throw new InvalidInputError(`lies in ${path}, which is open as an input; write it beside that, not into it`, {
        source: output,
      });
    }
    if (own !== null && identity !== own && (await identitiesAbove(input)).has(own)) {
      throw new InvalidInputError(`holds ${path}, which is open as an input, and would be replaced with it`, {
        source: output,
      });
    }
  }
}

/** Where the path leads to; of what is not there yet, as much of it as is. */
async function realPlace(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null) return real;
  const folder = dirname(path);
  return folder === path ? path : resolve(await realPlace(folder), path.slice(folder.length).replace(/^[/\\]+/, ""));
}

/** Tells a file or folder from every other, however its path is written; null where nothing is. */
async function identityOf(path: string): Promise<string | null> {
  const info = await stat(path, { bigint: true }).catch(() => null);
  return info === null ? null : `${info.dev},${info.ino}`;
}

/** Of the folders that `path` lies in. */
async function identitiesAbove(path: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let at = dirname(path), last = path; at !== last; last = at, at = dirname(at)) {
    const identity = await identityOf(at);
    if (identity !== null) found.add(identity);
  }
  return found;
}
