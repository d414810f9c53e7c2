/**
 * The file system operations needed to make outputs appear completely or not at all. Callers pass in an implementation;
 * tests use one in memory that refuses the same operations as Windows and macOS.
 */

import { renameSync, type Stats } from "node:fs";
import { link, lstat, mkdir, open, opendir, realpath, rm, stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { getSystemRules, type SystemRules } from "../../platform/system-rules.node.js";
import type { FolderTree } from "../schemes/remote-output.js";
import { createDiskFolderTree } from "./folder-contents.node.js";

export type EntryFacts = Pick<Stats, "isFile" | "isDirectory" | "isSymbolicLink" | "uid" | "mtimeMs" | "ctimeMs">;

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

/** Methods throw errors that have the system's codes, such as `EEXIST`. */
export interface FileSystem {
  readonly rules: SystemRules;
  /** Returns the file, folder or link at a path; null if there is none. */
  entry(path: string): Promise<EntryFacts | null>;
  /** Like `entry`, but follows links; null if there is nothing. */
  followed(path: string): Promise<EntryFacts | null>;
  realpath(path: string): Promise<string>;
  names(folder: string): AsyncIterable<string>;
  tree(folder: string): FolderTree;
  /** Creates a file, which must not exist yet. */
  create(path: string, mode: number): Promise<WrittenHandle>;
  makeFolder(path: string, mode: number): Promise<void>;
  /** Gives a file a second name, which must not exist yet. */
  link(from: string, to: string): Promise<void>;
  /** Renames synchronously, so that no other code of this process runs between two renames. */
  rename(from: string, to: string): void;
  /** Removes a file, or a folder with its contents. Does nothing if it does not exist. */
  remove(path: string): Promise<void>;
  flushFolder(path: string): Promise<void>;
  pause(milliseconds: number): Promise<void>;
}

export const nodeFiles: FileSystem = {
  rules: getSystemRules(),
  entry: (path) => lstat(path).catch(() => null),
  followed: (path) => stat(path).catch(() => null),
  realpath,
  async *names(folder) {
    for await (const { name } of await opendir(folder, { bufferSize: 1024 })) yield name;
  },
  tree: createDiskFolderTree,
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
