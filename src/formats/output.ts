/** Determines the form of an output from its name and the option `format`. */

import { InvalidInputError, UnsupportedError } from "../model/errors.js";
import {
  findEnding,
  isShortStoreName,
  isStoreFormat,
  listStores,
  type RegisteredStore,
  type ShortStoreName,
  type StoreFormat,
} from "../model/formats/registry.js";
import { findSimilarNames } from "../model/nearest.js";

export type { StoreFormat };

/** @throws {UnsupportedError} for any other name, which can come from JavaScript. */
export function getWrittenStore(name: StoreFormat): RegisteredStore {
  const store = listStores().find((one) => one.name === name);
  if (store === undefined) throw new UnsupportedError(`no store ${JSON.stringify(name)} is written`);
  return store;
}

/** Formats for a single table; `arrow` is the IPC file format, `arrows` the IPC stream format. */
export type TableFormat = "parquet" | "arrow" | "arrows" | "csv" | "tsv";

/** 10x Genomics fragments: tab-separated text, compressed if the file name ends with `.gz`. */
const FRAGMENTS_FORMAT = "10x";

const DIRECTORY_FORMATS = ["parquet", "arrow", "csv", "tsv"] as const;
export type DirectoryFormat = (typeof DIRECTORY_FORMATS)[number];

export type OutputFormat = DirectoryFormat | StoreFormat | ShortStoreName | typeof FRAGMENTS_FORMAT | "duckdb";

/** Returns the format names that the option `format` and --to accept. */
export function outputFormats(): readonly OutputFormat[] {
  const stores = listStores();
  const shorter = stores.map(({ short }) => short).filter(isShortStoreName);
  const names = [
    ...DIRECTORY_FORMATS,
    ...stores.map(({ name }) => name),
    FRAGMENTS_FORMAT,
    "duckdb",
    ...shorter,
  ] as const;
  return [...new Set(names)];
}

/** The form of an output. The path `-` stands for standard output. */
export type Output =
  | { readonly kind: "file" | "stdout"; readonly format: TableFormat }
  | { readonly kind: "directory"; readonly format: DirectoryFormat }
  | { readonly kind: "fragments"; readonly to: "file" | "stdout"; readonly gzip: boolean }
  | { readonly kind: "store"; readonly format: StoreFormat }
  | { readonly kind: "database"; readonly format: "duckdb" };

/** The outputs that are files of tables. */
export type TablesOutput = Exclude<Output, { readonly kind: "store" | "database" }>;

const FILES: ReadonlyMap<string, TableFormat> = new Map([
  ["parquet", "parquet"],
  ["arrow", "arrow"],
  ["arrows", "arrows"],
  ["csv", "csv"],
  ["tsv", "tsv"],
]);

/** Names of files of fragments. */
const FRAGMENTS = /(^|[/\\._-])fragments\.tsv$|\.tsv\.gz$/i;

/** Returns the name endings that belong to only one store format. */
function telling(): ReadonlySet<string> {
  return new Set(listStores().flatMap(({ name, shared = [] }) => (shared.includes(name) ? [] : [name])));
}

/**
 * Returns the store for a short name given as the option `format`: the store that matches the ending of the output's
 * name, else the store with exactly this name, else the first one. Null if the name is not a short name.
 */
function storeByShortName(short: string, ending: string): RegisteredStore | null {
  const named = listStores().filter((store) => store.short === short);
  if (named.length === 0) return null;
  const itself = listStores().find(({ name }) => name === short);
  return named.find(({ shared = [] }) => shared.includes(ending)) ?? itself ?? named[0];
}

/**
 * Determines the form of an output.
 * @param to the format that the caller requests, if any.
 * @throws {InvalidInputError} if the name and `to` specify no format, or two different ones.
 */
export function parseOutput(output: string, to?: string): Output {
  const formats = outputFormats();
  if (to !== undefined && !isOneOf(formats, to)) {
    const meant = findSimilarNames(to, formats);
    const hint = meant.length > 0 ? `did you mean ${meant.join(", ")}?` : `there are ${formats.join(", ")}`;
    throw new InvalidInputError(`cannot write the format "${to}"; ${hint}`);
  }
  if (output === "-") return streamOutput(to);
  const path = output.replace(/[/\\]+$/, "");
  const isFolder = path !== output;
  if (to === FRAGMENTS_FORMAT || (to === undefined && !isFolder && FRAGMENTS.test(path))) {
    return fragmentsOutput(output, path);
  }
  const named = findEnding(path, telling());
  if (to === "duckdb" || (to === undefined && !isFolder && extension(path) === "duckdb")) {
    return databaseOutput(output, path);
  }
  const wanted = to === undefined ? null : storeByShortName(to, extension(path));
  if (wanted !== null) {
    if (!isFolder) refuseOther(output, named, wanted.name);
    return storeOutput(output, path, wanted.name);
  }
  if (to !== undefined && !isFolder) refuseOther(output, named, to);
  if (to !== undefined && isStoreFormat(to)) return storeOutput(output, path, to);
  if (to === undefined && named !== null && isStoreFormat(named)) return storeOutput(output, path, named);
  if (to === undefined) refuseAmbiguous(path);
  const format = isFolder ? undefined : FILES.get(extension(path));
  if (format === undefined) {
    if (to !== undefined && isOneOf(DIRECTORY_FORMATS, to)) return { kind: "directory", format: to };
    throw new InvalidInputError(`does not say which format to write: add --to ${formats.join("|")}`, {
      source: output,
    });
  }
  if (to !== undefined && to !== format && !(to === "arrow" && format === "arrows")) {
    throw new InvalidInputError(`is a .${format} file by its name, but the format asked for is ${to}`, {
      source: output,
    });
  }
  return { kind: "file", format };
}

/**
 * Whether the output is a folder name with a trailing slash, and the format is a single file, which is then written
 * into that folder.
 */
export function isFileWithin(output: string, to: string | undefined): boolean {
  if (to === undefined || output === "-" || !/[/\\]$/.test(output)) return false;
  if (to === FRAGMENTS_FORMAT || to === "duckdb") return true;
  const store = isStoreFormat(to) ? getWrittenStore(to) : storeByShortName(to, "");
  return store !== null && store.kind !== "directory";
}

/**
 * Refuses a name that belongs to a different store than the format: `--to parquet` would create a folder called
 * `x.h5ad`.
 */
function refuseOther(output: string, named: string | null, to: string): void {
  if (named === null || !isStoreFormat(named) || to === named) return;
  // A MuData in Zarr may be called x.zarr.
  if (isStoreFormat(to) && to.endsWith(`.${named}`) && getWrittenStore(to).kind === getWrittenStore(named).kind) return;
  throw new InvalidInputError(
    `is .${named} by its name, but the format asked for is ${to}: choose another name, or one with a slash at its end for a folder`,
    { source: output },
  );
}

/**
 * @throws {InvalidInputError} for an ending that several formats' stores share; the message lists the ways to specify
 * the format.
 */
function refuseAmbiguous(path: string): void {
  const ending = extension(path);
  const sharing = listStores().filter(({ shared = [] }) => shared.includes(ending));
  if (sharing.length === 0) return;
  const likely = [...sharing.filter(({ rare }) => !rare), ...sharing.filter(({ rare }) => rare)];
  const choices = likely.map(
    ({ name, short, purpose }) => `--to ${short ?? name}${purpose === undefined ? "" : ` for ${purpose}`}`,
  );
  throw new InvalidInputError(
    `.${path.slice(-ending.length)} does not say which format to write: add ${choices.slice(0, -1).join(", ")}, or ${choices.at(-1)}`,
    { source: path },
  );
}

function streamOutput(to: string | undefined): Output {
  if (to === FRAGMENTS_FORMAT) return { kind: "fragments", to: "stdout", gzip: false };
  if (to === undefined || to === "arrow") return { kind: "stdout", format: "arrows" };
  if (isOneOf(DIRECTORY_FORMATS, to)) return { kind: "stdout", format: to };
  throw new InvalidInputError(
    `${to} is not written to the standard output, since its beginning is known last: name a file`,
  );
}

function fragmentsOutput(output: string, path: string): Output {
  const name = /\.(tsv|bed|txt)(\.gz)?$/i.exec(path);
  if (name !== null && path === output) return { kind: "fragments", to: "file", gzip: name[2] !== undefined };
  throw new InvalidInputError("is no name of a file of fragments: it ends with .tsv or .tsv.gz", { source: output });
}

function storeOutput(output: string, path: string, format: StoreFormat): Output {
  if (getWrittenStore(format).kind !== "directory" && path !== output) {
    throw new InvalidInputError(`ends with a slash, but .${format} is a file`, { source: output });
  }
  const named = FILES.get(extension(path));
  if (named !== undefined) {
    throw new InvalidInputError(`is a .${named} file by its name, but the format asked for is ${format}`, {
      source: output,
    });
  }
  return { kind: "store", format };
}

function databaseOutput(output: string, path: string): Output {
  if (path !== output) throw new InvalidInputError("ends with a slash, but .duckdb is a file", { source: output });
  const named = FILES.get(extension(path));
  if (named === undefined) return { kind: "database", format: "duckdb" };
  throw new InvalidInputError(`is a .${named} file by its name, but the format asked for is duckdb`, {
    source: output,
  });
}

function extension(path: string): string {
  return /\.([^./\\]+)$/.exec(path)?.[1].toLowerCase() ?? "";
}

function isOneOf<T extends string>(known: readonly T[], text: string): text is T {
  return known.some((one) => one === text);
}
