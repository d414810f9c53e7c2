/** Files that an opened file refers to by name. */

import type { ByteSource } from "../../io/sources/source.js";

export interface FollowedFile {
  readonly source: ByteSource;
  /** The file's real path in a file system, if it has one. */
  readonly file?: string;
  /** True if the file is at its name relative to the folder of the referring file, where libraries look, too. */
  readonly isBeside: boolean;
}

/**
 * Finds a file to which another file refers by name.
 * @param from the path of the referring file; undefined if it has none.
 * @returns null if there is no such file, or it may not be opened.
 */
export type FollowFile = (name: string, from: string | undefined) => Promise<FollowedFile | null>;
