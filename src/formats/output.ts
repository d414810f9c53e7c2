/**
 * The form of an output, from its name and the option `format`; and the stores that are written, by the ends of their names.
 * The command line lists these names without loading the modules of the formats.
 */

import type { Format } from "../model/dataset.js";
import { InvalidInputError, UnsupportedError } from "../model/errors.js";
import { near } from "../model/nearest.js";

/** A file, a directory of files, or a zip with the files of such a directory. */
type StoreKind = "file" | "directory" | "zip";

interface WrittenStore {
  /** Format of the tables in the store. */
  readonly format: Format;
  readonly kind: StoreKind;
}

const STORES = {
  h5ad: { format: "anndata", kind: "file" },
  zarr: { format: "anndata", kind: "directory" },
  "zarr.zip": { format: "anndata", kind: "zip" },
  bpcells: { format: "bpcells", kind: "directory" },
  "bpcells.h5": { format: "bpcells", kind: "file" },
  "bpcells.rds": { format: "bpcells", kind: "file" },
  loom: { format: "loom", kind: "file" },
  h5mu: { format: "mudata", kind: "file" },
  "mudata.zarr": { format: "mudata", kind: "directory" },
  "mudata.zarr.zip": { format: "mudata", kind: "zip" },
  mat: { format: "matlab", kind: "file" },
  hdf5: { format: "hdf5", kind: "file" },
  "plain.zarr": { format: "zarr", kind: "directory" },
  "plain.zarr.zip": { format: "zarr", kind: "zip" },
  h5seurat: { format: "h5seurat", kind: "file" },
  "seurat.rds": { format: "r", kind: "file" },
  "sce.rds": { format: "r", kind: "file" },
} as const satisfies Record<string, WrittenStore>;

/** A store that is written, by the end of its name: `h5ad`, `zarr.zip`. */
export type StoreFormat = keyof typeof STORES;

function isStoreFormat(name: string): name is StoreFormat {
  return Object.hasOwn(STORES, name);
}

const STORE_FORMATS: readonly StoreFormat[] = Object.keys(STORES).filter(isStoreFormat);

/** @throws {UnsupportedError} for another name, which JavaScript may give. */
export function storeOf(name: StoreFormat): WrittenStore {
  if (!isStoreFormat(name)) throw new UnsupportedError(`no store ${JSON.stringify(name)} is written`);
  return STORES[name];
}

/** Formats of one table; `arrow` is the IPC file, `arrows` the IPC stream. */
export type TableFormat = "parquet" | "arrow" | "arrows" | "csv" | "tsv";

/** Fragments of 10x Genomics: tab-separated text, compressed where the name ends with `.gz`. */
const FRAGMENTS_FORMAT = "10x";

const DIRECTORY_FORMATS = ["parquet", "arrow", "csv", "tsv"] as const;
export type DirectoryFormat = (typeof DIRECTORY_FORMATS)[number];

/** Short names of R's objects, which lie in files `.rds`. */
const R_OBJECTS = { seurat: "seurat.rds", sce: "sce.rds" } as const;

function isRObject(name: string): name is keyof typeof R_OBJECTS {
  return Object.hasOwn(R_OBJECTS, name);
}

/** Names of formats, as the option `format` and --to take them. */
export const OUTPUT_FORMATS = [
  ...[...DIRECTORY_FORMATS, ...STORE_FORMATS, FRAGMENTS_FORMAT, "duckdb"],
  ...(["seurat", "sce"] as const),
] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The form of an output; the path `-` is the standard output. */
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

/** The name of a file alone does not say that its arrays are plain. */
const NAMED: readonly StoreFormat[] = STORE_FORMATS.filter((name) => name !== "hdf5");

const STORE = new RegExp(`\\.(${NAMED.map((name) => name.replaceAll(".", "\\.")).join("|")})$`, "i");

/** Names of files of fragments. */
const FRAGMENTS = /(^|[/\\._-])fragments\.tsv$|\.tsv\.gz$/i;

/** Ends of names that several formats share. */
const AMBIGUOUS = /\.(h5|hdf5|rds)$/i;

/**
 * The form of an output.
 * @param to the format that the caller asks for, where given.
 * @throws {InvalidInputError} where the name and `to` tell no format, or two.
 */
export function outputOf(output: string, to?: string): Output {
  if (to !== undefined && !isOneOf(OUTPUT_FORMATS, to)) {
    const meant = near(to, OUTPUT_FORMATS);
    const hint = meant.length > 0 ? `did you mean ${meant.join(", ")}?` : `there are ${OUTPUT_FORMATS.join(", ")}`;
    throw new InvalidInputError(`cannot write the format "${to}"; ${hint}`);
  }
  if (output === "-") return streamOutput(to);
  const path = output.replace(/[/\\]+$/, "");
  const isFolder = path !== output;
  if (to === FRAGMENTS_FORMAT || (to === undefined && !isFolder && FRAGMENTS.test(path))) {
    return fragmentsOutput(output, path);
  }
  const named = STORE.exec(path)?.[1].toLowerCase();
  if (to === "duckdb" || (to === undefined && !isFolder && extension(path) === "duckdb")) {
    return databaseOutput(output, path);
  }
  if (to !== undefined && isRObject(to)) {
    if (!isFolder) refuseOther(output, named, R_OBJECTS[to]);
    return storeOutput(output, path, R_OBJECTS[to]);
  }
  if (to === "bpcells") return storeOutput(output, path, bpcellsIn(output, path, named));
  if (to !== undefined && !isFolder) refuseOther(output, named, to);
  if (to !== undefined && isStoreFormat(to)) return storeOutput(output, path, to);
  if (to === undefined && named !== undefined && isStoreFormat(named)) return storeOutput(output, path, named);
  if (to === undefined) refuseAmbiguous(path);
  const format = isFolder ? undefined : FILES.get(extension(path));
  if (format === undefined) {
    if (to !== undefined) return { kind: "directory", format: to };
    throw new InvalidInputError(`does not say which format to write: add --to ${OUTPUT_FORMATS.join("|")}`, {
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

/** Whether the output is the name of a folder, with a slash, and the format one file, which lies within. */
export function isFileWithin(output: string, to: string | undefined): boolean {
  if (to === undefined || output === "-" || !/[/\\]$/.test(output)) return false;
  if (to === FRAGMENTS_FORMAT || to === "duckdb" || isRObject(to)) return true;
  return isStoreFormat(to) && STORES[to].kind !== "directory";
}

/** Refuses a name that says another store than the format: `--to parquet` would make a folder called `x.h5ad`. */
function refuseOther(output: string, named: string | undefined, to: OutputFormat): void {
  if (named === undefined || !isStoreFormat(named) || to === named) return;
  // A MuData in Zarr may be called x.zarr.
  if (isStoreFormat(to) && to.endsWith(`.${named}`) && storeOf(to).kind === storeOf(named).kind) return;
  throw new InvalidInputError(
    `is .${named} by its name, but the format asked for is ${to}: choose another name, or one with a slash at its end for a folder`,
    { source: output },
  );
}

function refuseAmbiguous(path: string): void {
  const ambiguous = AMBIGUOUS.exec(path)?.[1];
  if (ambiguous !== undefined) {
    const choices =
      ambiguous.toLowerCase() === "rds"
        ? "--to seurat, --to sce, or --to bpcells"
        : "--to bpcells, or --to hdf5 for every table as an array";
    throw new InvalidInputError(`.${ambiguous} does not say which format to write: add ${choices}`, {
      source: path,
    });
  }
}

function streamOutput(to: OutputFormat | undefined): Output {
  if (to === FRAGMENTS_FORMAT) return { kind: "fragments", to: "stdout", gzip: false };
  if (to === undefined || to === "arrow") return { kind: "stdout", format: "arrows" };
  if (to === "duckdb" || isStoreFormat(to) || isRObject(to)) {
    throw new InvalidInputError(
      `${to} is not written to the standard output, since its beginning is known last: name a file`,
    );
  }
  return { kind: "stdout", format: to };
}

function fragmentsOutput(output: string, path: string): Output {
  const name = /\.(tsv|bed|txt)(\.gz)?$/i.exec(path);
  if (name !== null && path === output) return { kind: "fragments", to: "file", gzip: name[2] !== undefined };
  throw new InvalidInputError("is no name of a file of fragments: it ends with .tsv or .tsv.gz", { source: output });
}

/** The container of BPCells by the output's name: HDF5, an R object, else a directory. */
function bpcellsIn(output: string, path: string, named: string | undefined): StoreFormat {
  if (named !== undefined && !named.startsWith("bpcells")) {
    throw new InvalidInputError(`is .${named} by its name, but the format asked for is bpcells`, { source: output });
  }
  switch (extension(path)) {
    case "h5":
    case "hdf5":
      return "bpcells.h5";
    case "rds":
      return "bpcells.rds";
    default:
      return "bpcells";
  }
}

function storeOutput(output: string, path: string, format: StoreFormat): Output {
  if (storeOf(format).kind !== "directory" && path !== output) {
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
