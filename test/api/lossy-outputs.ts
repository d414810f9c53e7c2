/**
 * All kinds of output, each written with losses allowed. As a process of its own, `node lossy-outputs.mjs FOLDER` writes
 * them one after the other, and prints the error of each as JSON.
 */

import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type ConvertOptions, convert } from "../../packages/published/src/node.js";
import { outputFormats } from "../../src/formats/output.js";

export interface LossyOutput {
  readonly name: string;
  readonly format: string;
  readonly input: string;
  readonly options: ConvertOptions;
  /** Bytes that are less than the output has. */
  readonly room: number;
}

const PBMC = { input: resolve("examples/pbmc.h5ad"), room: 60_000 };
const FRAGMENTS = { input: resolve("test/fixtures/data/fragments/fragments.tsv"), room: 8192 };

const isMuData = (format: string) => /^(h5mu|mudata)/.test(format);

const STORES = outputFormats()
  .filter((format) => format !== "10x" && !isMuData(format))
  .map((format) => ({
    ...{ name: `out-${format}`, format, options: { format, lossy: true }, ...PBMC },
  }));

const MUDATA = (["h5mu", "mudata.zarr", "mudata.zarr.zip"] as const).map((format) => ({
  ...{ name: `out-${format}`, format, options: { format, as: "rna", lossy: true }, ...PBMC },
}));

const FILES = (["parquet", "arrow", "arrows", "csv", "tsv"] as const).map((format) => ({
  ...{ name: `out.${format}`, format, options: { tables: ["X"], lossy: true }, ...PBMC },
}));

export const OUTPUTS: readonly LossyOutput[] = [
  ...STORES,
  ...MUDATA,
  ...FILES,
  { name: "fragments.tsv", format: "10x", options: { lossy: true }, ...FRAGMENTS },
];

/** The error of each output in `folder`; where one is written, its warnings. */
async function errorsOfAll(folder: string): Promise<Record<string, string>> {
  const errors: Record<string, string> = {};
  for (const { name, input, options } of OUTPUTS) {
    errors[name] = await convert(input, join(folder, name), options).then(
      ({ warnings }) => `written, with ${JSON.stringify(warnings)}`,
      String,
    );
  }
  return errors;
}

const [, script = "", folder = ""] = process.argv;
if (import.meta.url === pathToFileURL(script).href) process.stdout.write(JSON.stringify(await errorsOfAll(folder)));
