/**
 * Targets, to which containers are written; the mirror of `sources/source.ts`. Output is not visible under its real
 * name before `commit`; after `abort` earlier output is still there.
 */

import { keySegments } from "../sources/key.js";

/** One sequence of bytes: a file, memory. */
export interface ByteTarget {
  readonly kind: "bytes";
  /** The target's name in errors: a path, `"bytes"`. */
  readonly name: string;
  /** Notes for the user on what was found and done at the place of the output. */
  readonly warnings?: readonly string[];
  /**
   * Puts `bytes` at `offset`. Parts that were never written read as zeros. Once it resolves, the memory may be used
   * again.
   * @throws {InvalidInputError} where the disk is full or cannot be written.
   */
  write(offset: number, bytes: Uint8Array): Promise<void>;
  /** Flushes the output to the disk, and makes it visible under its real name. */
  commit(): Promise<void>;
  /** Removes the output. Does nothing after `commit`. */
  abort(): Promise<void>;
  /** Removes the output, and gives a new target for its place. Absent where output cannot be taken back. */
  anew?(): Promise<ByteTarget>;
}

/** Values under keys such as `obs/_index/.zarray`: a directory, a zip, a `Map`, a store of the caller's. */
export interface KeyValueTarget {
  readonly kind: "keys";
  readonly name: string;
  /** Notes for the user on what was found and done at the place of the output. */
  readonly warnings?: readonly string[];
  /** False where two keys that differ only in case may be one key: in a directory, on some file systems. */
  readonly caseSensitive: boolean;
  /** True where keys may have a colon. Columns of a MuData have one (`rna:total`), files on Windows must not. */
  readonly allowsColon?: boolean;
  /**
   * Stores a value; every key is set once, and several may be under way. Once it resolves, the memory may be used
   * again. An error of the disk may be reported by a later call, at the latest by `commit`.
   * @throws {InvalidInputError} for a key that is empty, has an empty segment or a segment `.` or `..`, or was set
   * before.
   */
  set(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * Stores a copy of a file's bytes, which the system copies. Absent where values are no files.
   * @throws {InvalidDataError} where the file is gone, or does not have `length` bytes. Else as `set`.
   */
  copyFile?(key: string, path: string, length: number): Promise<void>;
  /**
   * Stores a value piece by piece, which is complete when it is closed, in stores that can append. Several may be open
   * at once. Absent where values are set whole.
   * @throws as `set`.
   */
  stream?(key: string): Promise<ValueStream>;
  commit(): Promise<void>;
  abort(): Promise<void>;
  /** Removes the output, and gives a new target for its place. Absent where output cannot be taken back. */
  anew?(): Promise<KeyValueTarget>;
}

/** A value while it is appended to. */
export interface ValueStream {
  /** Appends bytes. Once it resolves, the memory may be used again. */
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** A target for files that come as streams: all of them appear, or none. */
export interface Target {
  /** Notes for the user on what was found and done at the place of the output. */
  readonly warnings?: readonly string[];
  /** Writes one file, at most one at a time; if that fails, the file is removed. `path` is relative, divided by `/`. */
  write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes the output visible under its real name. */
  commit(): Promise<void>;
  /** Removes the output. Does nothing after `commit`. */
  abort(): Promise<void>;
}

export type ContainerTarget = ByteTarget | KeyValueTarget;

/** A target that writes a single stream to `file`; the `path` given to `write` does not matter. */
export function oneFile(file: ByteTarget): Target {
  return {
    warnings: file.warnings,
    async write(_path, chunks) {
      let at = 0;
      for await (const chunk of chunks) {
        await file.write(at, chunk);
        at += chunk.length;
      }
    },
    commit: () => file.commit(),
    abort: () => file.abort(),
  };
}

/**
 * A stream for the value of `key`. Where the target cannot append, the value is collected and set when the stream is
 * closed.
 * @throws {InvalidInputError} for a key that no store allows.
 */
export async function streamOf(target: KeyValueTarget, key: string): Promise<ValueStream> {
  if (target.stream !== undefined) return target.stream(key);
  keySegments(key);
  return collectedStream((bytes) => target.set(key, bytes));
}

/** Collects a value; `set` gets it when it is closed. */
export function collectedStream(set: (bytes: Uint8Array) => Promise<void>): ValueStream {
  let bytes = new Uint8Array(0);
  let length = 0;
  let open = true;
  return {
    async write(part) {
      if (!open) throw new TypeError("the value is closed");
      const needed = length + part.length;
      if (needed > bytes.length) {
        const larger = new Uint8Array(Math.max(needed, 2 * bytes.length));
        larger.set(bytes.subarray(0, length));
        bytes = larger;
      }
      bytes.set(part, length);
      length = needed;
    },
    async close() {
      if (!open) return;
      open = false;
      await set(bytes.subarray(0, length));
    },
  };
}
