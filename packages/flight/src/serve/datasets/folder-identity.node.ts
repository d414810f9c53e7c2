/** Identities of folder stores, computed from the names, sizes and times of all files in them, but not from content. */

import { createHash } from "node:crypto";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { getFileIdentity } from "annarrow/node/io";

/** Maximum number of files and folders that are checked. Checking that many takes about 0.15 s. */
const MAX_ENTRIES = 10_000;

/** Maximum number of concurrent checks. */
const AT_ONCE = 64;

/**
 * Computes the identity of a folder, which changes when a file in it is written, added or removed. If the folder has
 * more than `most` files, only those nearest the root are checked, and the identity is marked as partial (`isPartial`).
 * The folder's own modification time reflects files that were added, removed or replaced directly in it.
 * @param path a real path. Links in the folder are not followed: their targets are in the folder too, or are never
 * read.
 */
export async function computeFolderIdentity(path: string, most = MAX_ENTRIES): Promise<string> {
  const hash = createHash("sha256");
  hash.update(await lookAt(path));
  const folders = [""];
  let left = most;
  for (const folder of folders) {
    const names = await namesIn(join(path, folder), left);
    left -= names.length;
    for (let at = 0; at < names.length; at += AT_ONCE) {
      const paths = names.slice(at, at + AT_ONCE).map((name) => join(folder, name));
      const seen = await Promise.all(paths.map((one) => lookAt(join(path, one))));
      for (const [i, one] of paths.entries()) {
        hash.update(`${one}\0${seen[i]}\0`);
        if (seen[i].startsWith(FOLDER)) folders.push(one);
      }
    }
    if (left <= 0) break;
  }
  return `${left <= 0 ? PARTIAL : ""}${hash.digest("base64url")}`;
}

const PARTIAL = "partial ";

/** Whether some files were not checked. */
export function isPartial(identity: string): boolean {
  return identity.startsWith(PARTIAL);
}

const FOLDER = "folder ";

/** Returns the state of a file. It includes the change time, because a program can reset the modification time. */
async function lookAt(path: string): Promise<string> {
  try {
    const info = await lstat(path);
    return `${info.isDirectory() ? FOLDER : ""}${getFileIdentity(info)},${info.ctimeMs}`;
  } catch {
    // The file was removed in the meantime, or cannot be accessed.
    return "none";
  }
}

/** Returns at most `most` names in sorted order. */
async function namesIn(folder: string, most: number): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) {
      if (names.length >= most) break;
      names.push(name);
    }
  } catch {
    return [];
  }
  return names.sort();
}

interface Walk {
  readonly now: Promise<string>;
  /** The walk for requests that arrived during this walk, because it may have passed a file before the file changed. */
  next: Promise<string> | null;
}

/** The walks of a server. Concurrent requests for a folder share a walk, and each folder has one walk at a time. */
export class FolderIdentities {
  readonly #identify: (path: string) => Promise<string>;
  readonly #walks = new Map<string, Walk>();

  constructor(identify: (path: string) => Promise<string> = computeFolderIdentity) {
    this.#identify = identify;
  }

  /** Returns the folder's identity at the time of the call, or later. */
  of(path: string): Promise<string> {
    const walk = this.#walks.get(path);
    if (walk === undefined) return this.#begin(path);
    const again = () => this.#begin(path);
    walk.next ??= walk.now.then(again, again);
    return walk.next;
  }

  #begin(path: string): Promise<string> {
    const walk: Walk = { now: this.#identify(path), next: null };
    this.#walks.set(path, walk);
    const end = () => {
      if (walk.next === null) this.#walks.delete(path);
    };
    walk.now.then(end, end);
    return walk.now;
  }
}
