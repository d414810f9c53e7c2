/** The folder of a union: files that never change, and one manifest that says which of them count. */

import { InvalidInputError } from "../model/errors.js";
import type { ReadOptions } from "../sources/source.js";

/** A file that was written. */
export interface AddedFile {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The folder of a union, on a disk or in an object store. Paths have slashes, and lead to files below it. */
export interface UnionStore {
  /** Path or address of the folder, for errors. */
  readonly name: string;
  /** The text of a file; null where it is not there. */
  text(path: string, options?: ReadOptions): Promise<string | null>;
  /** The size of a file; null where it is not there. */
  size(path: string, options?: ReadOptions): Promise<number | null>;
  /** Paths of all files below a folder, or of the whole union, sorted. */
  list(folder: string, options?: ReadOptions): Promise<readonly string[]>;
  /**
   * Writes a file under a name that its content gives, so that equal content is written once however often it is written.
   * @param nameOf path of the file by the hash of its content.
   */
  add(nameOf: (hash: string) => string, chunks: AsyncIterable<Uint8Array>, options?: ReadOptions): Promise<AddedFile>;
  /** Writes a text under its name, in the place of an earlier one. */
  put(path: string, text: string, options?: ReadOptions): Promise<void>;
  /**
   * Replaces the manifest, which is the moment at which a commit becomes visible.
   * @param before the manifest that the new one replaces; null where there must be none.
   * @throws {InvalidInputError} where the manifest is another one by now: another commit came first.
   */
  replaceManifest(before: string | null, text: string, options?: ReadOptions): Promise<void>;
  remove(paths: readonly string[], options?: ReadOptions): Promise<void>;
}

/** Name of the manifest, which readers begin with. */
export const MANIFEST = "manifest.json";

/** Folder of reports of tasks. */
export const TASKS = "tasks";

/** The error of a commit that came second. */
export function otherCommit(source: string, cause?: unknown): InvalidInputError {
  return new InvalidInputError("another commit came first: plan again on its result", { source, cause });
}
