/** Sources: the bytes that containers read. A source knows nothing of their meaning. */

import type { CloudAddress } from "../cloud/objects/address.js";
import type { CloudOptions } from "../cloud/objects/options.js";
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

/** Adds up the bytes of all calls, and throws the error that `refusal` makes once they exceed `most`. */
export function unwrittenLimit(most: number, refusal: () => Error): OnUnwritten {
  let unwritten = 0;
  return (bytes) => {
    unwritten += bytes;
    if (unwritten > most) throw refusal();
  };
}

/** Options of reading a whole value. */
export interface GetOptions extends ReadOptions {
  /** A value of more bytes is an `InvalidDataError`, and is not read. */
  readonly most?: number;
}

/** Facts that tell the versions of a file apart. */
export interface FileStamp {
  readonly size: number;
  /** Time of the last change, in milliseconds since 1970; null where nothing tells. */
  readonly modified: number | null;
  /** Text that a server gives to each version of a file; null where it gives none. */
  readonly etag: string | null;
}

/** Random access to one sequence of bytes: a file, a `Blob`, bytes in memory. */
export interface ByteSource {
  readonly kind: "bytes";
  /** Name in errors: a path, a URL, a `File`'s name, `"bytes"`. */
  readonly name: string;
  readonly size: number;
  /** Absent where nothing tells the versions of the bytes apart. */
  readonly stamp?: FileStamp;
  /** Plan by which a worker opens the source again; absent where it cannot, or where that would not pay. */
  readonly plan?: SourcePlan;
  /**
   * Exactly the bytes [start, end), perhaps as a view of the source's own memory: callers must not write into them.
   * @throws {InvalidDataError} where the source ends earlier.
   */
  read(start: number, end: number, options?: ReadOptions): Promise<Uint8Array>;
  /** Reads into memory of the caller; absent where it saves nothing. */
  readInto?(start: number, target: Uint8Array, options?: ReadOptions): Promise<void>;
  /**
   * Reads many pieces into memory of the caller in one call: a promise for each would cost as much as reading it.
   * Absent where it saves nothing.
   */
  readPieces?(pieces: Pieces, target: Uint8Array, options?: ReadOptions): Promise<void>;
  /**
   * The bytes [start, end) if the source has kept them since an earlier read, else null. Callers use them at once: they
   * are a view of a larger block, which would stay in memory with them. Absent where nothing is kept.
   */
  peek?(start: number, end: number): Uint8Array | null;
  /**
   * Absent where the source cannot tell whether its bytes have changed since it was opened.
   * @throws {InvalidDataError} where they have.
   */
  checkUnchanged?(): Promise<void>;
  close(): Promise<void>;
}

/** Pieces of equal length that lie at equal distances in a source, and in memory. */
export interface Pieces {
  readonly start: number;
  readonly length: number;
  readonly count: number;
  /** Distance between the beginnings of two neighbouring pieces, in the source. */
  readonly step: number;
  /** Distance between two neighbouring pieces in memory, where the first piece begins at 0. */
  readonly targetStep: number;
}

/** A part of a value: from `start` to before `end`, or the last `suffix` bytes. */
export type KeyRange = { readonly start: number; readonly end: number } | { readonly suffix: number };

/**
 * Values under keys such as `obs/_index/.zarray`: a directory, a zip, a URL prefix, a `Map`. Keys never start with `/`.
 */
export interface KeyValueSource {
  readonly kind: "keys";
  readonly name: string;
  /** Plan by which a worker opens the source again; absent where it cannot, or where that would not pay. */
  readonly plan?: SourcePlan;
  /** True where each request is a way over a network, so that one document about all nodes is preferred to a list. */
  readonly isRemote?: boolean;
  /** The whole value, or undefined where the key is absent. It may be a view of the source's own memory. */
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
   * Identity of the folder below a prefix. Two prefixes have equal identities where links lead both to one folder.
   * Absent where every prefix is a separate folder.
   */
  identity?(prefix: string): Promise<string>;
  /** Number of bytes of the value, or undefined where the key is absent. Without this method the value must be read. */
  size?(key: string, options?: ReadOptions): Promise<number | undefined>;
  /**
   * The file of the file system with the value, to be copied by the system; undefined where the key is absent. Absent
   * where values are no files.
   */
  file?(key: string, options?: ReadOptions): Promise<StoredFile | undefined>;
  /**
   * Facts that tell the versions of the value apart; undefined where the key is absent. Absent where values have no
   * versions.
   */
  stamp?(key: string, options?: ReadOptions): Promise<FileStamp | undefined>;
  /**
   * A text that changes where a value directly below `prefix` is added, removed or replaced. Absent where the source
   * cannot tell.
   */
  version?(prefix: string): Promise<string>;
  /**
   * Names of the direct children below `prefix` (`""` is the root): files and folders; null where listing is impossible
   * (HTTP).
   */
  list(prefix: string, options?: ReadOptions): Promise<string[] | null>;
  /**
   * Absent where the source cannot tell whether its values have changed since they were looked at.
   * @throws {InvalidDataError} where they have.
   */
  checkUnchanged?(): Promise<void>;
  close(): Promise<void>;
}

/** A file with one value and nothing else. */
export interface StoredFile {
  readonly path: string;
  readonly size: number;
}

export type Source = ByteSource | KeyValueSource;

/** The place of a source's bytes as plain data, by which a worker opens the source again (`source-plan.ts`). */
export type SourcePlan = LocalPlan | BlobPlan | ZipPlan | WebPlan;

/** A file or directory of a file system. */
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

/** The entries of a zip that lies in `file`. */
interface ZipPlan {
  readonly kind: "zip";
  readonly file: LocalPlan | BlobPlan;
}

/** A file, or a store of keys, at a URL. */
export interface WebPlan {
  readonly kind: "web";
  readonly url: string;
  /** Name in errors. */
  readonly name: string;
  readonly http: Omit<HttpOptions, "fetch">;
  /** The version of a file when it was opened; null for a store of keys. */
  readonly version: WebVersion | null;
  /** The object store that answers, whose credentials a worker finds as the main thread did; null for other servers. */
  readonly cloud: CloudPlan | null;
}

interface CloudPlan {
  readonly address: CloudAddress;
  readonly options: CloudOptions;
}

/** Properties that tell versions of a file on the web apart; null where the server does not send one. */
export interface WebVersion {
  readonly size: number;
  readonly etag: string | null;
  readonly modified: string | null;
}
