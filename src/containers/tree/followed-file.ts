/** Files to which an opened file leads by name. */

import type { ByteSource } from "../../sources/source.js";

/** A file that was found. */
export interface FollowedFile {
  readonly source: ByteSource;
  /** Its real path in a file system, where it has one. */
  readonly file?: string;
  /** Whether it lies where its name leads from the folder of the file that has the name: there libraries look, too. */
  readonly isBeside: boolean;
}

/**
 * Finds the file of a name that another file has.
 * @param from the path of the file that has the name; undefined where it has none.
 * @returns null where there is none, or none that may be opened.
 */
export type FollowFile = (name: string, from: string | undefined) => Promise<FollowedFile | null>;
