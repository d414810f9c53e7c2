/** Sources: the bytes that containers read. A source does not interpret them. */

import type { FileSchemeOptions } from "../../model/formats/extend.js";
import type { HttpOptions } from "../http/http-exchange.js";

export interface ReadOptions {
  readonly signal?: AbortSignal;
  /**
   * Called before the fill value replaces values that the file declares but does not store, with the size of these
   * values in bytes. It throws if there are too many: a file of a few bytes can declare any shape.
   */
  readonly onUnwritten?: OnUnwritten;
}

export type OnUnwritten = (bytes: number) => void;

/** Adds up the bytes in all calls, and throws the error from `refusal` when they exceed `most`. */
export function createUnwrittenLimit(most: number, refusal: () => Error): OnUnwritten {
  let unwritten = 0;
  return (bytes) => {
    unwritten += bytes;
    if (unwritten > most) throw refusal();
  };
}

export interface GetOptions extends ReadOptions {
  /** Maximum size in bytes. A larger value is an `InvalidDataError`, and is not read. */
  readonly most?: number;
}

/** Properties that distinguish the versions of a file. */
export interface FileStamp {
  readonly size: number;
  /** Time of the last change in milliseconds since 1970; null if unknown. */
  readonly modified: number | null;
  /** Identifier that a server assigns to each version of a file; null if there is none. */
  readonly etag: string | null;
}

/** Random access to a byte sequence: a file, a `Blob`, bytes in memory. */
export interface ByteSource {
  readonly kind: "bytes";
  /** Name in error messages: a path, a URL, a `File`'s name, `"bytes"`. */
  readonly name: string;
  readonly size: number;
  /** Absent if versions of the source cannot be distinguished. */
  readonly stamp?: FileStamp;
  /** Plan from which a worker can reopen the source; absent if this is impossible or not worthwhile. */
  readonly plan?: SourcePlan;
  /**
   * Returns exactly the bytes [start, end), possibly as a view of the source's own memory, so callers must not write to
   * them.
   * @throws {InvalidDataError} if the source ends earlier.
   */
  read(start: number, end: number, options?: ReadOptions): Promise<Uint8Array>;
  /** Reads into the caller's memory; absent if that saves nothing. */
  readInto?(start: number, target: Uint8Array, options?: ReadOptions): Promise<void>;
  /**
   * Reads many ranges into the caller's memory in one call, because a promise for each range would cost as much as
   * reading it. Absent if that saves nothing.
   */
  readPieces?(pieces: StridedRanges, target: Uint8Array, options?: ReadOptions): Promise<void>;
  /**
   * Returns the bytes [start, end) if they are cached from an earlier read, else null. Callers must use the bytes
   * immediately, since they are a view that keeps a larger block in memory. Absent if the source caches nothing.
   */
  peek?(start: number, end: number): Uint8Array | null;
  /**
   * Checks that the bytes have not changed since the source was opened. Absent if the source cannot detect changes.
   * @throws {InvalidDataError} if the bytes have changed.
   */
  checkUnchanged?(): Promise<void>;
  close(): Promise<void>;
}

/** Pieces of equal length at equal distances, both in a source and in memory. */
export interface StridedRanges {
  readonly start: number;
  readonly length: number;
  readonly count: number;
  /** Distance between the starts of two consecutive pieces in the source. */
  readonly step: number;
  /** Distance between the starts of two consecutive pieces in memory. The first piece starts at 0. */
  readonly targetStep: number;
}

/** A part of a value: the bytes [start, end), or the last `suffix` bytes. */
export type KeyRange = { readonly start: number; readonly end: number } | { readonly suffix: number };

/**
 * Values under keys such as `obs/_index/.zarray`: a directory, a zip, a URL prefix, a `Map`. Keys never start with `/`.
 */
export interface KeyValueSource {
  readonly kind: "keys";
  readonly name: string;
  /** Plan from which a worker can reopen the source; absent if this is impossible or not worthwhile. */
  readonly plan?: SourcePlan;
  /** True if each request goes over a network. Then one document about all nodes is preferred to listings. */
  readonly isRemote?: boolean;
  /** Returns the whole value, possibly as a view of the source's own memory; undefined if the key is absent. */
  get(key: string, options?: GetOptions): Promise<Uint8Array | undefined>;
  /**
   * Returns several parts of one value in one call, so that the source can merge neighbouring parts; undefined if the
   * key is absent. A part that extends past the value's end is returned shorter.
   */
  getRanges(key: string, ranges: readonly KeyRange[], options?: ReadOptions): Promise<Uint8Array[] | undefined>;
  /**
   * Fills `target` with the value's bytes from `start` on. Returns the number of bytes, which is smaller at the value's
   * end; undefined if the key is absent. The method is absent if it would save nothing.
   */
  readInto?(key: string, start: number, target: Uint8Array, options?: ReadOptions): Promise<number | undefined>;
  /**
   * Returns the identity of the folder below a prefix. Two prefixes have the same identity if both lead to the same
   * folder through links. Absent if every prefix is a separate folder.
   */
  identity?(prefix: string): Promise<string>;
  /**
   * Returns the size of the value in bytes; undefined if the key is absent. Without this method, the value must be read
   * to find its size.
   */
  size?(key: string, options?: ReadOptions): Promise<number | undefined>;
  /**
   * Returns the file that contains the value, so that the operating system can copy it; undefined if the key is absent.
   * The method is absent if values are not files.
   */
  file?(key: string, options?: ReadOptions): Promise<StoredFile | undefined>;
  /**
   * Returns properties that distinguish versions of the value; undefined if the key is absent. The method is absent if
   * values have no versions.
   */
  stamp?(key: string, options?: ReadOptions): Promise<FileStamp | undefined>;
  /**
   * Returns a text that changes when a value directly below `prefix` is added, removed or replaced. Absent if the
   * source cannot detect this.
   */
  version?(prefix: string): Promise<string>;
  /**
   * Returns the names of the direct children below `prefix` (`""` is the root), which are files and folders; null if
   * listing is impossible (HTTP).
   */
  list(prefix: string, options?: ReadOptions): Promise<string[] | null>;
  /**
   * Checks that the values have not changed since they were read. Absent if the source cannot detect changes.
   * @throws {InvalidDataError} if the values have changed.
   */
  checkUnchanged?(): Promise<void>;
  close(): Promise<void>;
}

/** File that contains exactly one value. */
export interface StoredFile {
  readonly path: string;
  readonly size: number;
}

export type Source = ByteSource | KeyValueSource;

/** Serializable location of a source's bytes, from which a worker reopens the source (`source-plan.ts`). */
export type SourcePlan = LocalPlan | BlobPlan | ZipPlan | WebPlan;

export interface LocalPlan {
  readonly kind: "file" | "directory";
  readonly path: string;
  /**
   * The identity of the file when it was opened, since another file may replace it later. For a directory, `since` or
   * `""`.
   */
  readonly identity: string;
  /** The files that all threads have read from a directory (`seen-files.ts`); absent for a file. */
  readonly seen?: SharedArrayBuffer;
}

interface BlobPlan {
  readonly kind: "blob";
  readonly name: string;
  readonly blob: Blob;
}

/** The entries of the zip archive `file`. */
interface ZipPlan {
  readonly kind: "zip";
  readonly file: LocalPlan | BlobPlan;
}

/** A file or a key-value store at a URL. */
export interface WebPlan {
  readonly kind: "web";
  readonly url: string;
  /** Name used in error messages. */
  readonly name: string;
  readonly http: Omit<HttpOptions, "fetch">;
  /** The version of the file when it was opened; null for a key-value store. */
  readonly version: WebVersion | null;
  /**
   * The address from which the URL was derived; null for a web server. A worker finds the credentials for the address
   * in the same way as the main thread.
   */
  readonly scheme: SchemePlan | null;
}

interface SchemePlan {
  readonly address: string;
  readonly options: FileSchemeOptions;
}

/** Properties that distinguish versions of a file on the web. A property is null if the server does not send it. */
export interface WebVersion {
  readonly size: number;
  readonly etag: string | null;
  readonly modified: string | null;
}
