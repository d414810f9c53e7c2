/** What the name of an output says about how it is written. */

import { InvalidInputError, UnsupportedError } from "./errors.js";

/** Formats of one table; `arrow` is the IPC file, `arrows` the IPC stream. */
export type TableFormat = "parquet" | "arrow" | "arrows" | "csv" | "tsv";

/** Files and stores of annotated matrices. */
export const STORE_FORMATS = ["h5ad", "zarr", "zarr.zip"] as const;
export type StoreFormat = (typeof STORE_FORMATS)[number];

const DIRECTORY_FORMATS = ["parquet", "arrow", "csv", "tsv"] as const;
export type DirectoryFormat = (typeof DIRECTORY_FORMATS)[number];

/** What `to` may be. */
export const OUTPUT_FORMATS = [...DIRECTORY_FORMATS, ...STORE_FORMATS] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** `-` is the standard output. */
export type Output =
  | { readonly kind: "file" | "stdout"; readonly format: TableFormat }
  | { readonly kind: "directory"; readonly format: DirectoryFormat }
  | { readonly kind: "store"; readonly format: StoreFormat };

const FILES: ReadonlyMap<string, TableFormat> = new Map([
  ["parquet", "parquet"],
  ["arrow", "arrow"],
  ["arrows", "arrows"],
  ["csv", "csv"],
  ["tsv", "tsv"],
]);

const STORE = /\.(h5ad|zarr|zarr\.zip)$/i;

/** Formats of annotated matrices that are not written. */
const UNWRITTEN = /\.(h5mu|h5|loom|mat|bpcells)$/i;

/**
 * @throws {UnsupportedError} for formats that cannot be written.
 * @throws {InvalidInputError} where the name and `to` do not say which format, or say two.
 */
export function outputOf(output: string, to?: string): Output {
  if (to !== undefined && !isOneOf(OUTPUT_FORMATS, to)) {
    throw new InvalidInputError(`cannot write the format "${to}"; there are ${OUTPUT_FORMATS.join(", ")}`);
  }
  if (output === "-") return { kind: "stdout", format: streamFormat(to) };
  const path = output.replace(/[/\\]+$/, "");
  if (to !== undefined && isOneOf(STORE_FORMATS, to)) return storeOutput(output, path, to);
  const store = STORE.exec(path)?.[1].toLowerCase();
  if (to === undefined && store !== undefined && isOneOf(STORE_FORMATS, store)) {
    return storeOutput(output, path, store);
  }
  const unwritten = UNWRITTEN.exec(path);
  if (unwritten !== null && to === undefined) {
    throw new UnsupportedError(
      `cannot write .${unwritten[1]}; there are .h5ad, .zarr, and tables (--to parquet|arrow)`,
    );
  }
  const format = path === output ? FILES.get(extension(path)) : undefined;
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

function streamFormat(to: OutputFormat | undefined): TableFormat {
  if (to === undefined || to === "arrow") return "arrows";
  if (isOneOf(STORE_FORMATS, to)) {
    throw new InvalidInputError(`${to} is not written to the standard output: it ends with what is known last`);
  }
  return to;
}

function storeOutput(output: string, path: string, format: StoreFormat): Output {
  if (format !== "zarr" && path !== output) {
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

function extension(path: string): string {
  return /\.([^./\\]+)$/.exec(path)?.[1].toLowerCase() ?? "";
}

function isOneOf<T extends string>(known: readonly T[], text: string): text is T {
  return known.some((one) => one === text);
}
