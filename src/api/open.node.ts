/** `open` with paths. */

import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { FollowFile } from "../containers/tree/followed-file.js";
import { findFileScheme, findServiceScheme, listSchemeNames } from "../io/schemes/registry.js";
import { createInputPathError, openFileSource } from "../io/sources/file.node.js";
import type { Source } from "../io/sources/source.js";
import { getWorkerPool } from "../jobs/workers/pool.js";
import { once } from "../kernels/values/once.js";
import type { Dataset } from "../model/dataset.js";
import { InvalidInputError, UnsupportedError } from "../model/errors.js";
import { hasScheme } from "../model/input-name.js";
import { checkOptions } from "../model/option-names.js";
import {
  cacheFolder,
  createLocalLocation,
  getCompanionPathBeside,
  resolveCachedPath,
} from "../query/gene-index/local-location.node.js";
import type { GeneIndexLocation } from "../query/gene-index/location.js";
import {
  type Input,
  listCompanionLocations,
  OPEN_OPTIONS,
  type OpenOptions,
  openInputSource,
  openSource,
  toDataset,
} from "./open.js";
import { createOpenedDataset, type OpenedDataset, type OpenedTable } from "./opened-dataset.js";
import type { LocateSource } from "./referenced-stores.js";

/**
 * Opens an annotated matrix and reads its structure, but no values. The tables and their types are specified in
 * `docs/mapping.md`.
 * @param input a path, a URL, or any input of `open` in browsers; `grpc://host:port/…` is an Arrow Flight service.
 * @returns a dataset of named tables, which keeps the file open until `close()` is called. An element that cannot be
 * read is listed in `failures` and does not hide any other element.
 * @example
 * ```ts
 * const data = await open("pbmc.h5ad");
 * const obs = await data.table("obs").read(); // an apache-arrow Table with a row for each observation
 * await data.close(); // or, without it: await using data = await open("pbmc.h5ad");
 * ```
 * @throws {NotFoundError} if the input does not exist, or is not an annotated matrix.
 * @throws {UnsupportedError} for containers and formats that cannot be read.
 * @throws {InvalidDataError} if the file violates its own format.
 * @throws {InvalidInputError} for invalid options, and for a URL with a password.
 */
export async function open(input: Input, options: OpenOptions = {}): Promise<Dataset> {
  checkOptions(options, "open", OPEN_OPTIONS);
  return toDataset(openStored(input, options));
}

/**
 * Minimum file size in bytes for which workers are started. Smaller files have been read before a worker could start.
 */
const LARGE = 2 ** 24;

export interface StoredOptions extends OpenOptions {
  /** True if the whole file will be read. If the file is large, workers then start while it is being opened. */
  readonly whole?: boolean;
  /** Expected identity (`fileIdentity`) of the file, used to detect that the file was replaced in the meantime. */
  readonly identity?: string;
  /** Milliseconds since 1970. If a file in a folder was written later, reading it is an error. */
  readonly unchangedSince?: number;
  /**
   * Whether options for generic files were given for a whole folder. They are then ignored for files of other formats.
   */
  readonly ofFolder?: boolean;
}

/** Opens an input as stored tables, which do not need the Arrow library yet. */
export async function openStored(input: Input, options: StoredOptions = {}): Promise<OpenedDataset<OpenedTable>> {
  const service = typeof input === "string" || input instanceof URL ? await openService(String(input), options) : null;
  if (service !== null) return service;
  const path = getInputPath(input);
  if (path === null) {
    const source = await openInputSource(input, { signal: options.signal }, options);
    const places = placesOf(source, null, options);
    const followFile = followBy(options);
    return openSource(source, options, { locate: locateBy(null, options), followFile, places });
  }
  const found = await stat(path).catch(async (cause: unknown) => {
    if (!hasScheme(path)) throw await createInputPathError(cause, path);
    const known = ["http", "https", ...listSchemeNames("files"), "file", ...listSchemeNames("service")];
    throw new UnsupportedError(
      `${path.slice(0, path.indexOf("://"))} is no scheme that is read: ${known.slice(0, -1).join(", ")} and ${known.at(-1)} are`,
      {
        source: path,
        cause,
      },
    );
  });
  if (options.whole && found.size >= LARGE) getWorkerPool()?.start();
  if (found.isDirectory()) {
    const { openDirectorySource } = await import("../io/sources/directory.node.js");
    const source = await openDirectorySource(path, options.unchangedSince);
    return openSource(source, options, { places: placesOf(source, path, options), ofFolder: options.ofFolder });
  }
  const source = await openFileSource(path, options.identity);
  const locate = locateBy(dirname(resolve(path)), options);
  const places = placesOf(source, path, options);
  const around = { file: path, locate, followFile: followBy(options), places, ofFolder: options.ofFolder };
  return openSource(source, options, around);
}

/** Opens the bytes of a file that is on this machine or at an address. */
export async function openBytes(input: string, options: Pick<OpenOptions, "http" | "cloud" | "signal"> = {}) {
  const path = getInputPath(input);
  const { signal } = options;
  const source = path === null ? await openInputSource(input, { signal }, options) : await openFileSource(path);
  if (source.kind !== "bytes") throw new TypeError("one file expected");
  return source;
}

/** Returns the locations at which companions of a file, folder or URL may exist. */
function placesOf(source: Source, path: string | null, options: OpenOptions): readonly GeneIndexLocation[] {
  const { companion = "auto" } = options;
  const isUrl = path === null && hasScheme(source.name);
  if (companion === "off" || (path === null && !isUrl)) return [];
  const folder = companion === "auto" ? cacheFolder() : companion;
  const cached = createLocalLocation(() => resolveCachedPath(path ?? source.name, isUrl, folder));
  if (companion !== "auto") return [cached];
  return [
    ...(path === null
      ? listCompanionLocations(source, options)
      : [createLocalLocation(async () => getCompanionPathBeside(path))]),
    cached,
  ];
}

/** Resolves paths that a file in the folder contains. A function given by the caller takes precedence. */
function locateBy(own: string | null, { follow = "folder" }: OpenOptions): LocateSource | undefined {
  if (typeof follow === "function") return undefined;
  const locate = once(async () => {
    const { createSourceLocator } = await import("./locate-source.node.js");
    return createSourceLocator(own, follow === "folder" ? [] : follow);
  });
  return async (path) => (await locate())(path);
}

/** Resolves files that an HDF5 file links to, within the folders that the caller allows. */
function followBy({ follow }: OpenOptions): FollowFile | undefined {
  if (follow === undefined || follow === "folder" || typeof follow === "function") return undefined;
  const find = once(async () => (await import("./locate-source.node.js")).followFilesIn(follow));
  return async (name, from) => (await find())(name, from);
}

/** Opens a dataset that a service provides; null for other addresses. */
async function openService(address: string, options: StoredOptions): Promise<OpenedDataset<OpenedTable> | null> {
  const scheme = findServiceScheme(address);
  if (scheme === null) return null;
  const { tables, ...dataset } = await scheme.openDataset(address, options);
  return createOpenedDataset(dataset, tables);
}

/** Returns the path of an input on this machine; null for other inputs. */
export function getInputPath(input: Input): string | null {
  if (input instanceof URL) return input.protocol === "file:" ? fileOf(input) : null;
  if (typeof input !== "string" || /^https?:\/\//i.test(input) || findFileScheme(input) !== null) return null;
  return /^file:\/\//i.test(input) ? fileOf(input) : input;
}

function fileOf(url: URL | string): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw new InvalidInputError("no URL of a file on this machine, as file:///data/x.h5ad", {
      source: String(url),
      cause,
    });
  }
}
