/**
 * What outputs need of a file system to appear whole or not at all. It is passed: tests give one in memory, which refuses what
 * Windows and macOS refuse.
 */

import { renameSync, type Stats } from "node:fs";
import { link, lstat, mkdir, open, opendir, realpath, rm, stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { type SystemRules, systemRules } from "../platform/system-rules.node.js";
import { type FolderTree, folderOnDisk } from "./folder-contents.node.js";

/** What is known of a file, a folder or a link. */
export type EntryFacts = Pick<Stats, "isFile" | "isDirectory" | "isSymbolicLink" | "uid" | "mtimeMs" | "ctimeMs">;

/** A new file that is open for writing. */
export interface WrittenHandle {
  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
  sync(): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** Methods throw errors with the codes of the system, such as `EEXIST`. */
export interface FileSystem {
  readonly rules: SystemRules;
  /** The file, folder or link at a path; null where there is nothing. */
  entry(path: string): Promise<EntryFacts | null>;
  /** What is at a path, behind links; null where there is nothing. */
  followed(path: string): Promise<EntryFacts | null>;
  realpath(path: string): Promise<string>;
  /** The names in a folder. */
  names(folder: string): AsyncIterable<string>;
  tree(folder: string): FolderTree;
  /** Makes a file, which must not exist. */
  create(path: string, mode: number): Promise<WrittenHandle>;
  makeFolder(path: string, mode: number): Promise<void>;
  /** Gives a file a second name, which must be free. */
  link(from: string, to: string): Promise<void>;
  /** Renames at once, so that nothing of this process comes between two renames. */
  rename(from: string, to: string): void;
  /** Removes a file, or a folder with all in it; nothing where there is none. */
  remove(path: string): Promise<void>;
  flushFolder(path: string): Promise<void>;
  pause(milliseconds: number): Promise<void>;
}

/** The file system of this machine. */
export const nodeFiles: FileSystem = {
  rules: systemRules(),
  entry: (path) => lstat(path).catch(() => null),
  followed: (path) => stat(path).catch(() => null),
  realpath,
  async *names(folder) {
    for await (const { name } of await opendir(folder, { bufferSize: 1024 })) yield name;
  },
  tree: folderOnDisk,
  create: (path, mode) => open(path, "wx", mode),
  makeFolder: (path, mode) => mkdir(path, { mode }),
  link,
  rename: renameSync,
  remove: (path) => rm(path, { recursive: true, force: true }),
  async flushFolder(path) {
    const handle = await open(path, "r");
    await handle.sync().finally(() => handle.close());
  },
  pause: (milliseconds) => setTimeout(milliseconds),
};
