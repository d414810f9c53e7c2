/**
 * What the library asks of a scheme of addresses, such as `s3` of `s3://bucket/pbmc.h5ad`. Methods load their code when
 * they are called, so that a registered scheme costs nothing until an address has it.
 */

import type { TableSet } from "../../model/dataset.js";
import type { FileSchemeOptions, ServiceSchemeOptions } from "../../model/extend.js";
import type { OptionNames } from "../../model/option-names.js";
import type { HttpOptions } from "../http/http-exchange.js";
import type { ReadOptions, Source } from "../sources/source.js";
import type { RemoteOutput } from "./remote-output.js";

export type Scheme = FileScheme | ServiceScheme;

interface SchemeNames {
  /** Names as addresses have them, in lower case: `s3`. Messages list them. */
  readonly names: readonly string[];
  /** Further names of the same schemes. */
  readonly aliases: readonly string[];
}

/** A scheme whose addresses are files and folders. */
export interface FileScheme extends SchemeNames {
  readonly kind: "files";
  readonly options: SchemeOptionNames<keyof FileSchemeOptions>;
  /**
   * Returns the one spelling of an address, without a slash at its end, by which addresses are compared.
   * @throws {InvalidInputError} for an invalid address.
   */
  normalizeAddress(address: string): string;
  /**
   * Opens the file or the folder at an address.
   * @throws {NotFoundError} where there is neither.
   */
  openSource(address: string | URL, options: AccessOptions, read: ReadOptions): Promise<Source>;
  /** Returns the options of requests with the credentials for an address, with which a worker reopens a source. */
  createRequestOptions(address: string, options: AccessOptions): Promise<HttpOptions>;
  /**
   * Opens the destination of an output; null on pages, which write nothing at addresses.
   * @throws {UnsupportedError} for an address that is only read.
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

/** Options of access to files at addresses. */
export interface AccessOptions extends FileSchemeOptions {
  /** Options of requests to files and stores on the web: time limit (`timeout`), retries, headers. */
  readonly http?: HttpOptions;
}

export interface RemoteOutputOptions extends AccessOptions {
  readonly signal?: AbortSignal;
}

export interface ServiceOpenOptions extends ServiceSchemeOptions {
  /** The group of `open`, which services do not have. */
  readonly path?: string;
  readonly signal?: AbortSignal;
}

/** A dataset of a service, without its method `table`. */
export type RemoteDataset = Omit<TableSet, "table">;
