/**
 * Outputs at addresses. An output is first written to disk, and then appears at its address completely or not at all.
 */

/** A folder to be inspected, on disk or at an address. Paths are lists of names, relative to the folder. */
export interface FolderTree {
  /** Returns the sorted entries of a folder. */
  entries(path: readonly string[]): Promise<readonly FolderEntry[]>;
  /** Returns the text of a file; empty if it cannot be read. */
  text(path: readonly string[]): Promise<string>;
}

export interface FolderEntry {
  readonly name: string;
  /** `other` is neither a file nor a folder, such as a link. */
  readonly kind: "file" | "folder" | "other";
}

/** The destination of an output, which is a file or a folder of files. */
export interface RemoteOutput {
  /** Returns what exists at the address. */
  found(): Promise<"nothing" | "file" | "folder">;
  /** Returns the files below the address. */
  tree(): Promise<FolderTree>;
  /**
   * Stores the file at `path`.
   * @throws {ConditionError} if something exists at the address and `overwrite` is not set.
   */
  putFile(path: string, options: { readonly overwrite: boolean }): Promise<void>;
  /** Stores the files in the folder at `path`. If this fails, neither the new nor the replaced files remain. */
  putFolder(path: string, options: { readonly overwrite: boolean }): Promise<void>;
  removeFolder(): Promise<void>;
}

/**
 * A conditional write that found an existing object, or a different version of the object. This error never leaves the
 * targets.
 */
export class ConditionError extends Error {
  override readonly name = "ConditionError";
}
