/** What the name of an output says about how it is written. */

import { InvalidInputError, UnsupportedError } from "./errors.js";

/** Formats of one table; `arrow` is the IPC file, `arrows` the IPC stream. */
export type TableFormat = "parquet" | "arrow" | "arrows" | "csv" | "tsv";

export const OUTPUT_FORMATS = ["parquet", "arrow", "csv", "tsv"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** `-` is the standard output. */
export type Output =
  | { readonly kind: "file" | "stdout"; readonly format: TableFormat }
  | { readonly kind: "directory"; readonly format: OutputFormat };

const FILES: ReadonlyMap<string, TableFormat> = new Map([
  ["parquet", "parquet"],
  ["arrow", "arrow"],
  ["arrows", "arrows"],
  ["csv", "csv"],
  ["tsv", "tsv"],
]);

/** Formats of annotated matrices, which are read. */
const READ_ONLY = /\.(h5ad|h5mu|h5|zarr|zarr\.zip|loom|mat|bpcells)$/i;

/**
 * @throws {UnsupportedError} for formats that cannot be written.
 * @throws {InvalidInputError} where the name and `to` do not say which format, or say two.
 */
export function outputOf(output: string, to?: string): Output {
  if (to !== undefined && !isOutputFormat(to)) {
    throw new InvalidInputError(`cannot write the format "${to}"; there are ${OUTPUT_FORMATS.join(", ")}`);
  }
  if (output === "-") return { kind: "stdout", format: to === undefined || to === "arrow" ? "arrows" : to };
  const path = output.replace(/[/\\]+$/, "");
  const unwritable = READ_ONLY.exec(path);
  if (unwritable !== null && to === undefined) {
    throw new UnsupportedError(`cannot write .${unwritable[1]}; write a directory of tables: OUT/ --to parquet|arrow`);
  }
  const format = path === output ? FILES.get(/\.([^./\\]+)$/.exec(path)?.[1].toLowerCase() ?? "") : undefined;
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

function isOutputFormat(text: string): text is OutputFormat {
  return OUTPUT_FORMATS.some((format) => format === text);
}
