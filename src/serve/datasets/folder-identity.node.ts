/** What a folder store is told by: everything in it, by name, size and times, no content. */

import { createHash } from "node:crypto";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { fileIdentity } from "../../sources/file.node.js";

/** Files and folders that are looked at: some 0.15 s. */
const MOST_ENTRIES = 10_000;

/** Looked at side by side. */
const AT_ONCE = 64;

/**
 * Another text once a file in the folder was written, added or removed. Where there are more than `most`, what is higher
 * up is looked at and the rest is not, which the text says (`isPartial`); a folder's own time tells of files that were
 * added, removed or replaced in it.
 * @param path without links. Links in it are told by themselves: what they lead to is in the folder too, or never read.
 */
export async function folderIdentity(path: string, most = MOST_ENTRIES): Promise<string> {
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

/** Whether there was more than was looked at. */
export function isPartial(identity: string): boolean {
  return identity.startsWith(PARTIAL);
}

const FOLDER = "folder ";

/** Also when it was changed last: a file may be given its old time of writing back. */
async function lookAt(path: string): Promise<string> {
  try {
    const info = await lstat(path);
    return `${info.isDirectory() ? FOLDER : ""}${fileIdentity(info)},${info.ctimeMs}`;
  } catch {
    // It went meanwhile, or nobody may look at it.
    return "none";
  }
}

/** In order, at most so many. */
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
  /** For all who came while it ran: they would not see what changed behind it. */
  next: Promise<string> | null;
}

/** The walks of a server: one at a time through each folder, however many ask. */
export class FolderIdentities {
  readonly #identify: (path: string) => Promise<string>;
  readonly #walks = new Map<string, Walk>();

  constructor(identify: (path: string) => Promise<string> = folderIdentity) {
    this.#identify = identify;
  }

  /** As the folder is once this is called, or later. */
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
