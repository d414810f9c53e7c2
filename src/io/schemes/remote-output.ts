/** Outputs at addresses. An output is first written to the disk, and appears at its address whole or not at all. */

import type { FolderTree } from "./folder-tree.js";

/** The destination of one output: a file, or a folder of files. */
export interface RemoteOutput {
  /** Returns what exists at the address. */
  found(): Promise<"nothing" | "file" | "folder">;
  /** Returns the files below the address. */
  tree(): Promise<FolderTree>;
  /**
   * Stores the file at `path`.
   * @throws {ConditionError} where something has the address and `overwrite` is not given.
   */
  putFile(path: string, options: { readonly overwrite: boolean }): Promise<void>;
  /** Stores the files of the folder at `path`. If this fails, neither the new nor the replaced files remain. */
  putFolder(path: string, options: { readonly overwrite: boolean }): Promise<void>;
  removeFolder(): Promise<void>;
}

/** A conditional write that found an existing object, or another version of it. It never leaves the targets. */
export class ConditionError extends Error {
  override readonly name = "ConditionError";
}
