/** Opens an input as a dataset: from its source to the container, the format and the tables. */

import { hasExternalValues } from "../containers/open/containers.js";
import { openContainer, openZipAsStore } from "../containers/open/open-container.js";
import type { Container, Group } from "../containers/tree/container.js";
import type { FollowFile } from "../containers/tree/followed-file.js";
import { WalkLimit, WalkLimitError } from "../containers/tree/walk-limit.js";
import { findFileScheme, SCHEME_OPTIONS } from "../io/schemes/registry.js";
import type { AccessOptions } from "../io/schemes/scheme.js";
import { isMap } from "../io/sources/key.js";
import type { ReadOptions, Source } from "../io/sources/source.js";
import type { ReadableStore } from "../io/sources/store.js";
import type { Dataset } from "../model/dataset.js";
import {
  InvalidDataError,
  InvalidInputError,
  isAnnarrowError,
  isCancellation,
  NotFoundError,
  runWithLocation,
  UnsupportedError,
} from "../model/errors.js";
import type { ServiceSchemeOptions } from "../model/formats/extend.js";
import { findNearestNames } from "../model/nearest.js";
import { checkOptions, type NamesOf } from "../model/option-names.js";
import { DatasetGeneIndex } from "../query/gene-index/dataset-gene-index.js";
import type { GeneIndexLocation } from "../query/gene-index/location.js";
import { listWebLocations, type OpenStore } from "../query/gene-index/web-location.js";
import { isTables } from "../readers/tables/detect.js";
import { type ChooseWhere, canSelectRows } from "../tables/column-table.js";
import type { FindPositions } from "../tables/planned-table.js";
import { StoredTable } from "../tables/stored-table.js";
import { makeDisplayable } from "./display/display.js";
import { createOpenedDataset, type OpenedDataset, type OpenedTable } from "./opened-dataset.js";
import { type LocateSource, ReferencedStores } from "./referenced-stores.js";

/**
 * Inputs that can be opened on every platform: bytes, a `Blob` or `File`, the URL of a file or Zarr store, an address
 * in an object store (`s3://bucket/pbmc.h5ad`, `gs://`, `az://`, `hf://`), or a key-value store. A key-value store is a
 * `Map`, whose keys may begin with `/`, or a zarrita store, whose keys must begin with `/`.
 */
export type Input = Uint8Array | Blob | URL | string | ReadonlyMap<string, Uint8Array> | ReadableStore;

export interface OpenOptions extends AccessOptions, ServiceSchemeOptions {
  /** The group that contains the dataset, if it is not the root, such as `tables/table` of a SpatialData store. */
  readonly path?: string;
  /** Handling of text that is not UTF-8: throw an error (default), or read it as Latin-1. */
  readonly text?: "error" | "latin1";
  /**
   * Where a saved R object may refer to data. `"folder"` (default) allows the object's own folder, and paths allow
   * further folders. A function returns the input at a path, or null if there is none. Files and folders need Node. An
   * HDF5 file may refer to other files (external links and storage, virtual datasets) only if folders or a function are
   * given.
   */
  readonly follow?: "folder" | readonly string[] | ((path: string) => Input | null | Promise<Input | null>);
  /**
   * Maximum number of objects that are visited while a file is opened, however many links point to them. Attributes,
   * links and references count as parts of an object. Default: 65,536.
   */
  readonly maxObjects?: number;
  /**
   * Maximum number of columns in a table of a Parquet or Arrow file, including nested columns. Default: 131,072.
   * Columns in other files count as objects (`maxObjects`).
   */
  readonly maxColumns?: number;
  /**
   * Opens any HDF5 file or Zarr store as generic arrays, whatever its format. Each array is a table. By default, only
   * files without a known format are opened this way.
   */
  readonly openAs?: "hdf5" | "zarr";
  /**
   * For generic HDF5 and Zarr, whether to decode values by the CF conventions, as netCDF4 and xarray do. Missing values
   * become null, packed numbers become floats, and times become Timestamps (docs/hdf5.md). By default, values are
   * returned as stored.
   */
  readonly cf?: boolean;
  /**
   * For generic HDF5 and Zarr, paths of groups whose arrays all have the same length. The arrays become the columns of
   * one table, which has the group's name. The root (`/`) becomes `frame`.
   */
  readonly frame?: readonly string[];
  /**
   * Location of the companion, which is a copy of the matrices by gene that `writeCompanion` makes. `"auto"` (default)
   * looks beside the file and, in Node, in the user's cache. `"off"` uses no companion. In Node, a path specifies a
   * folder of companions. A companion that belongs to another version of the file is never used.
   */
  readonly companion?: "auto" | "off" | (string & {});
  readonly signal?: AbortSignal;
}

/** Options for opening generic HDF5 and Zarr. */
export type GenericFileOptions = Pick<OpenOptions, "cf" | "frame">;

export const OPEN_OPTIONS: NamesOf<OpenOptions> = {
  ...{ path: true, text: true, follow: true, maxObjects: true, openAs: true, cf: true },
  ...{ maxColumns: true, frame: true, companion: true, signal: true },
  ...SCHEME_OPTIONS,
};

/**
 * Opens an annotated matrix and reads its structure, but no values. The tables and their types are specified in
 * `docs/mapping.md`.
 * @returns a dataset of named tables, which keeps its input open until `close()` is called. An element that cannot be
 * read is listed in `failures` and does not hide any other element.
 * @example
 * ```ts
 * const data = await open(new Uint8Array(await (await fetch("pbmc.h5ad")).arrayBuffer()));
 * const obs = await data.table("obs").read();
 * ```
 * @throws {NotFoundError} if the input does not exist, or is not an annotated matrix.
 * @throws {UnsupportedError} for containers and formats that cannot be read.
 * @throws {InvalidDataError} if the file violates its own format.
 * @throws {InvalidInputError} for invalid options, and for a URL with a password.
 */
export async function open(input: Input, options: OpenOptions = {}): Promise<Dataset> {
  checkOptions(options, "open", OPEN_OPTIONS);
  return toDataset(openSource(await openInputSource(input, { signal: options.signal }, options), options));
}

/** Returns the dataset with Arrow tables. The Arrow code is loaded while the file is opened. */
export async function toDataset(opening: Promise<OpenedDataset<OpenedTable>>): Promise<Dataset> {
  const [opened, tables] = await Promise.allSettled([opening, import("../tables/planned-table.js")]);
  if (opened.status === "rejected") throw opened.reason;
  const { value: dataset } = opened;
  if (tables.status === "rejected") {
    await dataset.close();
    throw tables.reason;
  }
  const { PlannedTable } = tables.value;
  return dataset.map((table) => {
    if (table instanceof StoredTable) return makeDisplayable(new PlannedTable(table, findPositions));
    return makeDisplayable(canSelectRows(table) ? table.choosing(chooseWhere) : table);
  });
}

const chooseWhere: ChooseWhere = async (table, where, options) =>
  (await import("./where.js")).tableWhere(table, where, options);

const findPositions: FindPositions = async (table, where, options) =>
  (await import("./where.js")).findWherePositions(table, where, options);

/** Returns the source of an input for which no file system is needed. */
export async function openInputSource(
  input: Input,
  read: ReadOptions = {},
  options: AccessOptions = {},
): Promise<Source> {
  if (typeof input === "string" || input instanceof URL) {
    const scheme = findFileScheme(String(input));
    if (scheme !== null) return scheme.openSource(input, options, read);
    return (await import("../io/sources/http/url.js")).openUrlSource(String(input), read, options.http);
  }
  if (input instanceof Uint8Array) return (await import("../io/sources/memory.js")).createBytesSource(input);
  if (input instanceof Blob) return (await import("../io/sources/memory.js")).createBlobSource(input);
  if (isMapOfKeys(input)) return (await import("../io/sources/map.js")).mapSource(input);
  if (typeof input?.get === "function") return (await import("../io/sources/store.js")).storeSource(input);
  throw new InvalidInputError("an input is bytes, a Blob, a URL, a Map of keys to bytes, or a store of zarrita");
}

/** True if `input` is a Map of keys. If a zarrita wrapper contains the Map, the wrapper's methods are used instead. */
function isMapOfKeys(input: ReadonlyMap<string, Uint8Array> | ReadableStore): input is ReadonlyMap<string, Uint8Array> {
  if (input === null || typeof input !== "object" || !("entries" in input)) return false;
  return typeof input.entries === "function" && (isMap(input) || !(input instanceof Map));
}

/** The file-system context of a source. */
export interface Surroundings {
  /** Path of the source, if it is a file. */
  readonly file?: string;
  /** Resolves paths that a saved R object contains. */
  readonly locate?: LocateSource | null | undefined;
  /** Resolves files that an HDF5 file links to. */
  readonly followFile?: FollowFile | undefined;
  /** Locations where companions may exist. */
  readonly places?: readonly GeneIndexLocation[];
  /**
   * Whether options for generic files were given for a whole folder. They are then ignored for files of other formats.
   */
  readonly ofFolder?: boolean | undefined;
}

/** Opens the contents of a source. The Arrow library is loaded only if the tables are in separate files. */
export async function openSource(
  source: Source,
  options: OpenOptions,
  {
    file,
    locate = locateBy(options),
    followFile = followBy(options),
    places = listCompanionLocations(source, options),
    ofFolder = false,
  }: Surroundings = {},
): Promise<OpenedDataset<OpenedTable>> {
  const read = { signal: options.signal };
  const opened = runWithLocation({ source: source.name }, async () => {
    let inside = source;
    try {
      inside = await openZipAsStore(source, read);
      if (await isTables(inside, read)) return await fileTables(inside, options);
      const text = await fragmentText(inside, options);
      if (text !== null) return text;
      const companion = new DatasetGeneIndex(source, places);
      const around = { locate, companion, ofFolder, followFile, file };
      return await storedTables(inside, options, around).catch((error: unknown) =>
        tablesInstead(inside, options, error),
      );
    } catch (error) {
      await inside.close();
      throw error;
    }
  });
  return opened.catch((error: unknown) => {
    if (error instanceof WalkLimitError) throw error.refusal.locate({ source: source.name });
    // After a cancellation, its own reason is thrown, whatever error the interrupted code threw.
    throw options.signal?.aborted === true && !isCancellation(error) ? options.signal.reason : error;
  });
}

interface Around {
  readonly file?: string;
  readonly locate: LocateSource | null;
  readonly followFile?: FollowFile;
  readonly companion: DatasetGeneIndex;
  readonly ofFolder: boolean;
}

async function storedTables(
  source: Source,
  options: OpenOptions,
  { file, locate, followFile, companion, ofFolder }: Around,
): Promise<OpenedDataset<OpenedTable>> {
  const { maxObjects } = options;
  if (maxObjects !== undefined && !(maxObjects >= 1)) throw new InvalidInputError(`maxObjects is ${maxObjects}`);
  const walkLimit = new WalkLimit(maxObjects, options.signal);
  const counted = { signal: options.signal, walkLimit };
  const newSpill = async () => (await import("#platform/spill")).newSpill();
  const placed = { ...counted, newSpill, follow: followFile, path: file };
  const container = await openContainer(source, placed);
  const followed = new ReferencedStores(locate, counted);
  try {
    const root = await groupAt(container, options.path ?? "");
    const { readFormat } = await import("../formats/formats.js");
    const text = options.text ?? "error";
    const { openAs, cf = false, frame = [] } = options;
    const plain = cf || frame.length > 0 ? { cf, frame, ofFolder } : undefined;
    const as = { openAs, plain };
    const reading = { ...counted, ...as, text, follow: followed.open };
    const { tables, format, ...plans } = await readFormat(root, container, reading);
    walkLimit.end();
    const stored = new Map<string, StoredTable>();
    const origin = { source: container.name, format, tables: stored };
    // The version of this file does not cover changes in other files.
    const isWhole = !hasExternalValues(container.kind) && followFile === undefined;
    for (const plan of tables) {
      stored.set(plan.name, new StoredTable(isWhole ? companion.planOf(plan) : plan, source.name, origin));
    }
    const close = async () => {
      await companion.close();
      await container.close();
      await followed.close();
    };
    const warnings = [...plans.warnings, ...followed.notes];
    const opened = { ...plans, warnings, format, container: container.kind, source: container.name, close };
    const checkUnchanged = async () => source.checkUnchanged?.();
    return createOpenedDataset({ ...opened, checkUnchanged, companion: isWhole ? companion : undefined }, stored);
  } catch (error) {
    await container.close();
    await followed.close();
    throw error;
  }
}

/**
 * Returns the locations of companions next to a file on the web.
 * @throws {InvalidInputError} for a folder, which needs Node.
 */
export function listCompanionLocations(
  source: Source,
  { companion = "auto", ...options }: OpenOptions,
): readonly GeneIndexLocation[] {
  if (companion === "off") return [];
  if (companion !== "auto") throw new InvalidInputError(`companion is "auto" or "off" on pages, not ${companion}`);
  return listWebLocations(source, storeOpener(options));
}

/** Returns the function that opens a companion's folder on the web. */
export function storeOpener(options: AccessOptions): OpenStore {
  const single = { ...options, http: { ...options.http, attempts: 1 } };
  return (url, once, read) => openInputSource(url, read, once ? single : options);
}

/** Resolves sources with the caller's function. The option's other forms need a file system. */
function locateBy({ follow, ...options }: OpenOptions): LocateSource | null {
  if (typeof follow !== "function") return null;
  return async (path) => {
    const input = await follow(path);
    return input === null ? null : { source: await openInputSource(input, {}, options) };
  };
}

/** Uses the caller's function to resolve files that an HDF5 file links to. Folders would need a file system. */
function followBy(options: OpenOptions): FollowFile | undefined {
  const { follow = "folder" } = options;
  if (follow === "folder") return undefined;
  const locate = locateBy(options);
  return async (name) => {
    if (locate === null) {
      throw new UnsupportedError(
        `the file leads to the file ${name}: folders to follow need Node.js; on pages, follow is a function that returns the file of a name`,
      );
    }
    const found = await locate(name);
    if (found === null) return null;
    const { source, file } = found;
    if (source.kind === "bytes") return { source, isBeside: false, file };
    await source.close();
    return null;
  };
}

/** Opens a text file that contains fragments; null if it is not such a file. */
async function fragmentText(source: Source, options: OpenOptions): Promise<OpenedDataset<OpenedTable> | null> {
  if (source.kind !== "bytes" || options.path) return null;
  const read = { signal: options.signal };
  const [first] = await source.read(0, Math.min(1, source.size), read);
  // UTF-8 text never begins with these bytes, but HDF5 does. With this check, browser pages that open HDF5 do not load
  // the text parsers.
  if (first === 0 || (first >= 0x80 && first < 0xc0)) return null;
  const { openFragments } = await import("../readers/10x/fragments.js");
  const found = await openFragments(source, { ...read, text: options.text ?? "error" });
  if (found === null) return null;
  const { tables, ...plans } = found;
  const stored = new Map(tables.map((plan) => [plan.name, new StoredTable(plan, source.name)]));
  const own = { close: () => source.close(), checkUnchanged: async () => source.checkUnchanged?.() };
  return createOpenedDataset(
    { ...plans, format: "10x", container: "tsv", source: source.name, warnings: [], ...own },
    stored,
  );
}

/** Opens a directory of tables, or a single file. */
async function fileTables(source: Source, options: OpenOptions): Promise<OpenedDataset<OpenedTable>> {
  if (options.path) throw new InvalidInputError("tables in files have no groups: open the directory itself");
  const { openTables } = await import("../readers/tables/open.js");
  const { signal, maxColumns } = options;
  if (maxColumns !== undefined && !(maxColumns >= 1)) throw new InvalidInputError(`maxColumns is ${maxColumns}`);
  const { tables, ...dataset } = await openTables(source, { signal, maxColumns });
  const own = { close: () => source.close(), checkUnchanged: async () => source.checkUnchanged?.() };
  return createOpenedDataset({ ...dataset, source: source.name, ...own }, tables);
}

/**
 * If a server cannot list keys, tries to open tables, because only a request shows which ones exist. If this also
 * fails, throws `error`.
 */
async function tablesInstead(
  source: Source,
  options: OpenOptions,
  error: unknown,
): Promise<OpenedDataset<OpenedTable>> {
  if (source.kind === "bytes" || !isAnnarrowError(error, "NotFoundError")) throw error;
  if ((await source.list("")) !== null) throw error;
  return await fileTables(source, options).catch((other: unknown) => {
    throw isAnnarrowError(other, "NotFoundError") ? error : other;
  });
}

async function groupAt(container: Container, path: string): Promise<Group> {
  let group = container.root;
  for (const name of path.split("/").filter((part) => part !== "")) {
    const within = group;
    const node = await within.open(name).catch(async (error: unknown) => {
      if (!isAnnarrowError(error, "NotFoundError")) throw error;
      // If a server cannot list its keys, there are no names to suggest.
      const near = findNearestNames(name, await within.keys().catch(() => []));
      if (near.length === 0) throw error;
      throw new NotFoundError(`no group ${JSON.stringify(name)}; did you mean ${near.join(", ")}?`, {
        element: within.path === "" ? undefined : within.path,
        cause: error,
      });
    });
    if (node.kind !== "group") throw new InvalidDataError("an array, a group is needed", { element: node.path });
    group = node;
  }
  return group;
}
