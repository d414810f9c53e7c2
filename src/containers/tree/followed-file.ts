/** Files that an opened file references by name. */

import type { ByteSource } from "../../io/sources/source.js";

export interface FollowedFile {
  readonly source: ByteSource;
  /** The file's real path in a file system, if it has one. */
  readonly file?: string;
  /** True if the file is found by its name in the folder of the referring file, where libraries look as well. */
  readonly isBeside: boolean;
}

/**
 * Finds a file that another file references by name.
 * @param from the path of the referring file; undefined if it has no path.
 * @returns null if there is no such file, or if opening it is not allowed.
 */
export type FollowFile = (name: string, from: string | undefined) => Promise<FollowedFile | null>;
