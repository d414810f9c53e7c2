/** A union's folder contains files that never change, and a manifest that lists the valid files. */

import { InvalidInputError } from "annarrow";
import type { ReadOptions } from "annarrow/format";

export interface AddedFile {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A union's folder on disk or in an object store. Paths are relative to the folder and separated by slashes. */
export interface UnionStore {
  /** Path or address of the folder, for errors. */
  readonly name: string;
  /** Returns the text of a file; null if it does not exist. */
  text(path: string, options?: ReadOptions): Promise<string | null>;
  /** Returns the size of a file in bytes; null if it does not exist. */
  size(path: string, options?: ReadOptions): Promise<number | null>;
  /** Returns the sorted paths of all files below a folder, or in the whole union. */
  list(folder: string, options?: ReadOptions): Promise<readonly string[]>;
  /**
   * Writes a file under a name that is derived from its content, so that equal content is stored only once.
   * @param nameOf returns the path of the file for the hash of its content.
   */
  add(nameOf: (hash: string) => string, chunks: AsyncIterable<Uint8Array>, options?: ReadOptions): Promise<AddedFile>;
  /** Writes a text file, replacing an existing one. */
  put(path: string, text: string, options?: ReadOptions): Promise<void>;
  /**
   * Replaces the manifest. This makes a commit visible.
   * @param before the manifest to be replaced; null if there must be none.
   * @throws {InvalidInputError} if the manifest has changed, because another commit came first.
   */
  replaceManifest(before: string | null, text: string, options?: ReadOptions): Promise<void>;
  remove(paths: readonly string[], options?: ReadOptions): Promise<void>;
}

/** Name of the manifest, which is the first file that readers open. */
export const MANIFEST = "manifest.json";

export const TASKS = "tasks";

/** Returns the error for a commit if another commit came first. */
export function createCommitError(source: string, cause?: unknown): InvalidInputError {
  return new InvalidInputError("another commit came first: plan again on its result", { source, cause });
}
