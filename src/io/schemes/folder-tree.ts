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
