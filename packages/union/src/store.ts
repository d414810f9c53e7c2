/** A union's folder: files that never change, and a manifest that lists the valid ones. */

import { InvalidInputError } from "annarrow";
import type { ReadOptions } from "annarrow/format";

export interface AddedFile {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A union's folder, on disk or in an object store. Paths are relative to it, and separated by slashes. */
export interface UnionStore {
  /** Path or address of the folder, for errors. */
  readonly name: string;
  /** Returns the text of a file; null if it does not exist. */
  text(path: string, options?: ReadOptions): Promise<string | null>;
  /** Returns the size of a file in bytes; null if it does not exist. */
  size(path: string, options?: ReadOptions): Promise<number | null>;
  /** Paths of all files below a folder, or of the whole union, sorted. */
  list(folder: string, options?: ReadOptions): Promise<readonly string[]>;
  /**
   * Writes a file under a name derived from its content, so that equal content is stored only once.
   * @param nameOf path of the file by the hash of its content.
   */
  add(nameOf: (hash: string) => string, chunks: AsyncIterable<Uint8Array>, options?: ReadOptions): Promise<AddedFile>;
  /** Writes a text file, replacing an existing one. */
  put(path: string, text: string, options?: ReadOptions): Promise<void>;
  /**
   * Replaces the manifest, which makes a commit visible.
   * @param before the manifest that is replaced; null if there must be none.
   * @throws {InvalidInputError} if the manifest has changed, because another commit came first.
   */
  replaceManifest(before: string | null, text: string, options?: ReadOptions): Promise<void>;
  remove(paths: readonly string[], options?: ReadOptions): Promise<void>;
}

/** Name of the manifest, which readers begin with. */
export const MANIFEST = "manifest.json";

export const TASKS = "tasks";

/** Returns the error for a commit that another commit preceded. */
export function createCommitError(source: string, cause?: unknown): InvalidInputError {
  return new InvalidInputError("another commit came first: plan again on its result", { source, cause });
}
