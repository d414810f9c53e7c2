/** Object stores: a bucket of S3 or Google, a container of Azure, a repository of Hugging Face. */

import type { HttpOptions } from "../../http/http-exchange.js";

/**
 * Objects under keys such as `study/pbmc.h5ad`. Objects are read over HTTP: `url` says where, and the `fetch` of `http`
 * sends the credentials along. A service is one file that implements this interface.
 */
export interface CloudStore {
  /** Name in errors: `s3://bucket`. */
  readonly name: string;
  readonly http: HttpOptions;
  /** Address of an object. It holds no credentials. */
  url(key: string): string;
  /** Objects whose keys begin with `prefix`, page by page, in no promised order. */
  list(prefix: string, options?: ListOptions): AsyncGenerator<ListedPage>;
  /** null where the service is only read. */
  readonly writer: CloudWriter | null;
}

export interface ListOptions {
  /** Whether keys beyond the next `/` count as folders, which are listed once and without their contents. */
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
  /** Header of an object that is read, in which its version stands, as `ifVersion` takes it. */
  readonly versionHeader: string;
  /**
   * Stores an object, which appears whole.
   * @returns the version of the object, for `ifVersion` of a later call.
   * @throws {ConditionError} where the condition does not hold.
   */
  put(key: string, bytes: Uint8Array<ArrayBuffer>, options?: PutOptions): Promise<string>;
  /** Begins an object that is sent in parts, and appears when it is completed. */
  upload(key: string, options?: PutOptions): Promise<CloudUpload>;
  /** Removes an object; one that is not there, too. */
  delete(key: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

export interface PutOptions {
  /** Writes only where no object has the key. */
  readonly ifAbsent?: boolean;
  /** Writes only where the object has this version. */
  readonly ifVersion?: string;
  readonly signal?: AbortSignal | undefined;
}

/** An object that is sent in parts. */
export interface CloudUpload {
  /** Bytes of the part `index`, which only the last bytes of the object may fall short of. Services limit the number of parts. */
  partBytes(index: number): number;
  /** Number of parts that may be under way at once. */
  readonly atOnce: number;
  /** Sends a part; `index` counts from 0. With `atOnce` above 1, parts may be sent in any order. */
  part(index: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /**
   * Makes the object visible.
   * @param last the bytes behind the last part, fewer than a part has, and perhaps none.
   * @throws {ConditionError} where the condition of the upload does not hold.
   */
  complete(last: Uint8Array<ArrayBuffer>): Promise<void>;
  abort(): Promise<void>;
}

/** A conditional write that found another object, or another version of it. It never leaves the targets. */
export class ConditionError extends Error {
  override readonly name = "ConditionError";
}
