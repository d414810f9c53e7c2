/** Common interface of object stores: S3 or Google buckets, Azure containers, Hugging Face repositories. */

import type { HttpOptions } from "annarrow";

/**
 * Objects under keys such as `study/pbmc.h5ad`. Objects are read over HTTP: `url` returns the address, and the `fetch`
 * in `http` sends the credentials. Each service implements this interface in one file.
 */
export interface CloudStore {
  /** Name in errors: `s3://bucket`. */
  readonly name: string;
  readonly http: HttpOptions;
  /** Returns the address of an object, without credentials. */
  url(key: string): string;
  /** Lists objects whose keys begin with `prefix`, page by page, in unspecified order. */
  list(prefix: string, options?: ListOptions): AsyncGenerator<ListedPage>;
  /** null for a read-only service. */
  readonly writer: CloudWriter | null;
}

export interface ListOptions {
  /** Collapses keys beyond the next `/` into folders, which are listed once and without their contents. */
  readonly folders?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface ListedPage {
  readonly objects: readonly ListedObject[];
  /** Prefixes that end with `/`. */
  readonly folders: readonly string[];
}

export interface ListedObject {
  readonly key: string;
  readonly size: number;
}

export interface CloudWriter {
  /** Response header that contains the version of an object, in the form that `ifVersion` takes. */
  readonly versionHeader: string;
  /**
   * Stores an object atomically.
   * @returns the version of the object, for `ifVersion` in a later call.
   * @throws {ConditionError} if the condition does not hold.
   */
  put(key: string, bytes: Uint8Array<ArrayBuffer>, options?: PutOptions): Promise<string>;
  /** Starts an object that is sent in parts, and becomes visible on completion. */
  upload(key: string, options?: PutOptions): Promise<CloudUpload>;
  /** Removes an object. Succeeds even if the object does not exist. */
  delete(key: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

export interface PutOptions {
  /** Writes only if no object has the key. */
  readonly ifAbsent?: boolean;
  /** Writes only if the object has this version. */
  readonly ifVersion?: string;
  readonly signal?: AbortSignal | undefined;
}

/** An unfinished object that is sent in parts. */
export interface CloudUpload {
  /** Returns the size of part `index`; only the last part may be smaller. Services limit the number of parts. */
  partBytes(index: number): number;
  /** Number of parts that may be sent concurrently. */
  readonly atOnce: number;
  /** Sends a part; `index` counts from 0. If `atOnce` exceeds 1, parts may be sent in any order. */
  part(index: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /**
   * Makes the object visible.
   * @param last the bytes after the last part: fewer bytes than a part has, possibly none.
   * @throws {ConditionError} if the condition of the upload does not hold.
   */
  complete(last: Uint8Array<ArrayBuffer>): Promise<void>;
  abort(): Promise<void>;
}
