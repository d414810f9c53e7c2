/**
 * The interface of an address scheme, such as `s3` in `s3://bucket/pbmc.h5ad`. Methods load their code when they are
 * called, so that a registered scheme costs nothing until an address uses it.
 */

import type { TableSet } from "../../model/dataset.js";
import type { FileSchemeOptions, ServiceSchemeOptions } from "../../model/formats/extend.js";
import type { OptionNames } from "../../model/option-names.js";
import type { HttpOptions } from "../http/http-exchange.js";
import type { ReadOptions, Source } from "../sources/source.js";
import type { RemoteOutput } from "./remote-output.js";

export type Scheme = FileScheme | ServiceScheme;

interface SchemeNames {
  /** Names as used in addresses, in lower case: `s3`. Messages list these names. */
  readonly names: readonly string[];
  /** Further names for the same schemes. */
  readonly aliases: readonly string[];
}

/** A scheme whose addresses are files and folders. */
export interface FileScheme extends SchemeNames {
  readonly kind: "files";
  readonly options: SchemeOptionNames<keyof FileSchemeOptions>;
  /**
   * Returns the canonical form of an address, without a trailing slash, which is used to compare addresses.
   * @throws {InvalidInputError} for an invalid address.
   */
  normalizeAddress(address: string): string;
  /**
   * Opens the file or folder at an address.
   * @throws {NotFoundError} if there is neither.
   */
  openSource(address: string | URL, options: AccessOptions, read: ReadOptions): Promise<Source>;
  /** Returns request options that contain the credentials for an address. A worker uses them to reopen a source. */
  createRequestOptions(address: string, options: AccessOptions): Promise<HttpOptions>;
  /**
   * Opens the destination for an output; null on web pages, which cannot write to addresses.
   * @throws {UnsupportedError} for an address that can only be read.
   */
  readonly createOutput: ((address: string, options: RemoteOutputOptions) => Promise<RemoteOutput>) | null;
}

/** A scheme whose addresses are datasets of a service. */
export interface ServiceScheme extends SchemeNames {
  readonly kind: "service";
  readonly options: SchemeOptionNames<keyof ServiceSchemeOptions>;
  openDataset(address: string, options: ServiceOpenOptions): Promise<RemoteDataset>;
}

/** The key of a scheme's options among the options of a function, and the names of these options. */
export interface SchemeOptionNames<Key> {
  readonly key: Key;
  readonly names: OptionNames;
}

/** Options for accessing files at addresses. */
export interface AccessOptions extends FileSchemeOptions {
  /** Options for requests to files and stores on the web: time limit (`timeout`), retries, headers. */
  readonly http?: HttpOptions;
}

export interface RemoteOutputOptions extends AccessOptions {
  readonly signal?: AbortSignal;
}

export interface ServiceOpenOptions extends ServiceSchemeOptions {
  /** The group passed to `open`, which services do not support. */
  readonly path?: string;
  readonly signal?: AbortSignal;
}

/** A dataset of a service, without its method `table`. */
export type RemoteDataset = Omit<TableSet, "table">;
