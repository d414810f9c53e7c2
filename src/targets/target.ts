/**
 * Where containers are written, the mirror of `sources/source.ts`. Nothing is visible under its real name before
 * `commit`; after `abort` what was there before is there still.
 */

import { keySegments } from "../sources/key.js";

/** One run of bytes: a file, memory. */
export interface ByteTarget {
  readonly kind: "bytes";
  /** What errors call it: a path, `"bytes"`. */
  readonly name: string;
  /** What its maker found and did at its place, for people. */
  readonly warnings?: readonly string[];
  /**
   * Puts `bytes` at `offset`. Parts that were never written read as zeros. Once it resolves the memory may be used again.
   * @throws {InvalidInputError} where the disk is full or cannot be written.
   */
  write(offset: number, bytes: Uint8Array): Promise<void>;
  /** Makes what was written visible under its real name, flushed to the disk first. */
  commit(): Promise<void>;
  /** Removes what was written. After `commit` it does nothing. */
  abort(): Promise<void>;
  /** Removes what was written, and gives a target for the same place. Absent where that cannot be taken back. */
  anew?(): Promise<ByteTarget>;
}

/** Values under keys such as `obs/_index/.zarray`: a directory, a zip, a `Map`, a store of the caller's. */
export interface KeyValueTarget {
  readonly kind: "keys";
  readonly name: string;
  /** What its maker found and did at its place, for people. */
  readonly warnings?: readonly string[];
  /** False where two keys that differ only in case may be one: a directory, on some file systems. */
  readonly caseSensitive: boolean;
  /** True where keys may have a colon, which columns of a MuData do (`rna:total`) and files on Windows may not. */
  readonly allowsColon?: boolean;
  /**
   * Stores a value; every key is set once, several may be under way. Once it resolves the memory may be used again.
   * What a disk refuses may be reported by a later call, at the latest by `commit`.
   * @throws {InvalidInputError} for a key that is empty, has a segment `.`, `..` or none, or was set before.
   */
  set(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * A value that comes piece by piece and is complete when it is closed, for stores that can append: several may be open
   * at once. Absent where values are set whole.
   * @throws as `set`.
   */
  stream?(key: string): Promise<ValueStream>;
  commit(): Promise<void>;
  abort(): Promise<void>;
  /** Removes what was written, and gives a target for the same place. Absent where that cannot be taken back. */
  anew?(): Promise<KeyValueTarget>;
}

/** A value while it is appended to. */
export interface ValueStream {
  /** Appends; once it resolves the memory may be used again. */
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Files that come as streams: all of them or none. */
export interface Target {
  /** What its maker found and did at its place, for people. */
  readonly warnings?: readonly string[];
  /** Writes one file, at most one at a time; where that fails the file is gone. `path` is relative, divided by `/`. */
  write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes what was written visible under its real name. */
  commit(): Promise<void>;
  /** Removes what was written. After `commit` it does nothing. */
  abort(): Promise<void>;
}

export type ContainerTarget = ByteTarget | KeyValueTarget;

/** A target for a single stream, onto `file`: the name that `write` is given does not matter. */
export function oneFile(file: ByteTarget): Target {
  return {
    ...(file.warnings === undefined ? {} : { warnings: file.warnings }),
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
 * A stream of the value of `key`, which is collected and set when it is closed where the target cannot append.
 * @throws {InvalidInputError} for a key that no store has.
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
