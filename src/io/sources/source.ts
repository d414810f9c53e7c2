/** Sources: the bytes that containers read. A source does not interpret them. */

import type { FileSchemeOptions } from "../../model/extend.js";
import type { HttpOptions } from "../http/http-exchange.js";

export interface ReadOptions {
  readonly signal?: AbortSignal;
  /**
   * Called with the number of bytes of values that the file declares and does not store, before the fill value replaces
   * them. It throws where there are too many: a file of a few bytes can declare any shape.
   */
  readonly onUnwritten?: OnUnwritten;
}

export type OnUnwritten = (bytes: number) => void;

/** Sums the bytes of all calls, and throws the error of `refusal` when they exceed `most`. */
export function createUnwrittenLimit(most: number, refusal: () => Error): OnUnwritten {
  let unwritten = 0;
  return (bytes) => {
    unwritten += bytes;
    if (unwritten > most) throw refusal();
  };
}

export interface GetOptions extends ReadOptions {
  /** Maximum bytes. A larger value is an `InvalidDataError`, and is not read. */
  readonly most?: number;
}

/** Facts that distinguish the versions of a file. */
export interface FileStamp {
  readonly size: number;
  /** Time of the last change, in milliseconds since 1970; null if unknown. */
  readonly modified: number | null;
  /** Identifier that a server assigns to each version of a file; null if it assigns none. */
  readonly etag: string | null;
}

/** Random access to a byte sequence: a file, a `Blob`, bytes in memory. */
export interface ByteSource {
  readonly kind: "bytes";
  /** Name in errors: a path, a URL, a `File`'s name, `"bytes"`. */
  readonly name: string;
  readonly size: number;
  /** Absent if versions of the bytes cannot be distinguished. */
  readonly stamp?: FileStamp;
  /** Plan by which a worker can reopen the source; absent if it cannot, or if that would not be worthwhile. */
  readonly plan?: SourcePlan;
  /**
   * Exactly the bytes [start, end), perhaps as a view of the source's own memory: callers must not write into them.
   * @throws {InvalidDataError} where the source ends earlier.
   */
  read(start: number, end: number, options?: ReadOptions): Promise<Uint8Array>;
  /** Reads into memory of the caller; absent if that saves nothing. */
  readInto?(start: number, target: Uint8Array, options?: ReadOptions): Promise<void>;
  /**
   * Reads many ranges into the caller's memory in one call, because a promise for each would cost as much as reading
   * it. Absent if it saves nothing.
   */
  readPieces?(pieces: StridedRanges, target: Uint8Array, options?: ReadOptions): Promise<void>;
  /**
   * Returns the bytes [start, end) if the source has them cached from an earlier read, else null. Callers must use them
   * immediately: they are a view that keeps a larger block in memory. Absent if nothing is cached.
   */
  peek?(start: number, end: number): Uint8Array | null;
  /**
   * Checks that the bytes have not changed since the source was opened. Absent if the source cannot detect this.
   * @throws {InvalidDataError} if they have changed.
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
  /** Plan by which a worker can reopen the source; absent if it cannot, or if that would not be worthwhile. */
  readonly plan?: SourcePlan;
  /** True if each request goes over a network, so that one document about all nodes is preferred to listings. */
  readonly isRemote?: boolean;
  /** Returns the whole value; undefined if the key is absent. It may be a view of the source's own memory. */
  get(key: string, options?: GetOptions): Promise<Uint8Array | undefined>;
  /**
   * Several parts of one value in one call, so that the source can merge neighbours; undefined where the key is absent.
   * A part beyond the value's end comes back shorter.
   */
  getRanges(key: string, ranges: readonly KeyRange[], options?: ReadOptions): Promise<Uint8Array[] | undefined>;
  /**
   * Fills `target` with the value's bytes from `start` on, and returns their number, which is smaller at the value's
   * end; undefined where the key is absent. The method is absent where it saves nothing.
   */
  readInto?(key: string, start: number, target: Uint8Array, options?: ReadOptions): Promise<number | undefined>;
  /**
   * Returns an identity of the folder below a prefix. Two prefixes have equal identities if links lead from both to the
   * same folder. Absent if every prefix is a separate folder.
   */
  identity?(prefix: string): Promise<string>;
  /** Returns the bytes of the value; undefined if the key is absent. Without this method, the value must be read. */
  size?(key: string, options?: ReadOptions): Promise<number | undefined>;
  /**
   * Returns the file that contains the value, so that the system can copy it; undefined if the key is absent. The
   * method is absent if values are not files.
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
   * Names of the direct children below `prefix` (`""` is the root): files and folders; null where listing is impossible
   * (HTTP).
   */
  list(prefix: string, options?: ReadOptions): Promise<string[] | null>;
  /**
   * Checks that the values have not changed since they were read. Absent if the source cannot detect this.
   * @throws {InvalidDataError} if they have changed.
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

/** Serializable location of a source's bytes, from which a worker opens the source again (`source-plan.ts`). */
export type SourcePlan = LocalPlan | BlobPlan | ZipPlan | WebPlan;

export interface LocalPlan {
  readonly kind: "file" | "directory";
  readonly path: string;
  /**
   * Identity of a file when it was opened, since another file may have replaced it. For a directory, `since` or `""`.
   */
  readonly identity: string;
  /** The files of a directory that all threads have read (`seen-files.ts`); absent for a file. */
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
  /** The version of a file when it was opened; null for a store of keys. */
  readonly version: WebVersion | null;
  /** The address behind the URL; a worker finds its credentials as the main thread did. Null for a web server. */
  readonly scheme: SchemePlan | null;
}

interface SchemePlan {
  readonly address: string;
  readonly options: FileSchemeOptions;
}

/** Properties that distinguish versions of a file on the web; null where the server does not send them. */
export interface WebVersion {
  readonly size: number;
  readonly etag: string | null;
  readonly modified: string | null;
}
