/**
 * Targets, to which containers are written; the counterpart of `io/sources/source.ts`. Output is not visible under its
 * real name before `commit`. After `abort`, any earlier output is still there.
 */

import { splitKeySegments } from "../sources/key.js";

/** Output that is a sequence of bytes: a file, or memory. */
export interface ByteTarget {
  readonly kind: "bytes";
  /** Name of the target in error messages: a path, or `"bytes"`. */
  readonly name: string;
  /** Notes for the user about existing files at the output's path. */
  readonly warnings?: readonly string[];
  /**
   * Writes `bytes` at `offset`. Parts that were never written read as zeros. Once the promise resolves, the memory may
   * be used again.
   * @throws {InvalidInputError} if the disk is full or cannot be written to.
   */
  write(offset: number, bytes: Uint8Array): Promise<void>;
  /** Flushes the output to the disk and makes it visible under its real name. */
  commit(): Promise<void>;
  /** Removes the output. Does nothing after `commit`. */
  abort(): Promise<void>;
  /** Removes the output, and returns a new target for the same path. Absent if output cannot be removed. */
  anew?(): Promise<ByteTarget>;
}

/**
 * Output that consists of values under keys such as `obs/_index/.zarray`: a directory, a zip, a `Map`, or a store that
 * the caller provides.
 */
export interface KeyValueTarget {
  readonly kind: "keys";
  readonly name: string;
  /** Notes for the user about existing files at the output's path. */
  readonly warnings?: readonly string[];
  /** False if keys that differ only in case may collide, as in a directory on some file systems. */
  readonly caseSensitive: boolean;
  /** True if keys may contain a colon. MuData columns do (`rna:total`), but Windows file names must not. */
  readonly allowsColon?: boolean;
  /**
   * Stores a value. Every key is set only once, and several calls may run concurrently. Once the promise resolves, the
   * memory may be reused. A disk error may be reported by a later call, at the latest by `commit`.
   * @throws {InvalidInputError} for a key that is empty, contains an empty segment or a segment `.` or `..`, or was set
   * before.
   */
  set(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * Stores a copy of a file, which the operating system makes. Absent if values are not files.
   * @throws {InvalidDataError} if the file is gone or does not have `length` bytes. Otherwise like `set`.
   */
  copyFile?(key: string, path: string, length: number): Promise<void>;
  /**
   * Opens a stream that stores a value chunk by chunk. The value is complete when the stream is closed. Several streams
   * may be open at once. Absent if the store cannot append.
   * @throws the same errors as `set`.
   */
  stream?(key: string): Promise<ValueStream>;
  commit(): Promise<void>;
  abort(): Promise<void>;
  /** Removes the output, and returns a new target for the same path. Absent if output cannot be removed. */
  anew?(): Promise<KeyValueTarget>;
}

/** A value that is written by appending bytes. */
export interface ValueStream {
  /** Appends bytes. Once the promise resolves, the caller may reuse the memory. */
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** A target for files that are written as streams. Either all files appear, or none of them. */
export interface Target {
  /** Notes for the user about existing files at the output's path. */
  readonly warnings?: readonly string[];
  /**
   * Writes a file, and removes it on failure. Files must be written one at a time. `path` is relative, with `/` as
   * separator.
   */
  write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes the output visible under its real name. */
  commit(): Promise<void>;
  /** Removes the output. Does nothing after `commit`. */
  abort(): Promise<void>;
}

export type ContainerTarget = ByteTarget | KeyValueTarget;

/** Target that writes a single stream to `file`; ignores the `path` given to `write`. */
export function createSingleFileTarget(file: ByteTarget): Target {
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
 * Opens a stream for the value of `key`. If the target cannot append, the value is collected and set when the stream is
 * closed.
 * @throws {InvalidInputError} for a key that no store allows.
 */
export async function openValueStream(target: KeyValueTarget, key: string): Promise<ValueStream> {
  if (target.stream !== undefined) return target.stream(key);
  splitKeySegments(key);
  return createCollectingStream((bytes) => target.set(key, bytes));
}

/** Collects the bytes of a value, and passes them to `set` on close. */
export function createCollectingStream(set: (bytes: Uint8Array) => Promise<void>): ValueStream {
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
