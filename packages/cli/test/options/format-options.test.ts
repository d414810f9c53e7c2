/** The flags that follow from the options of formats. */

import { Command, CommanderError } from "commander";
import { expect, test } from "vitest";
import { listFormats } from "../../../../src/model/formats/registry.js";
import {
  addFormatOptions,
  addSharedFormatOptions,
  type FormatFlags,
  impliedFormat,
} from "../../src/options/format-options.js";

function command(): Command {
  const made = new Command("convert").exitOverride().configureOutput({ writeErr: () => undefined });
  addFormatOptions(addSharedFormatOptions(made), "Output");
  return addFormatOptions(made, null);
}

const parsed = (...words: string[]) => command().parse(words, { from: "user" }).opts<FormatFlags>().formatOptions;

test.each([
  [["--zarr-format", "3"], { zarrFormat: 3 }],
  [["--anndata", "0.13", "--check"], { anndata: "0.13", check: true }],
  [["--order", "column"], { order: "column" }],
  [["--order=csc"], { order: "csc" }],
  [["--unpacked", "--type", "uint"], { packed: false, type: "uint" }],
  [["--loom-version", "2.0.1", "--obs-attr", "Barcode"], { version: "2.0.1", obsNames: "Barcode" }],
  [["--mat-profile", "hdf5storage", "--as", "rna"], { profile: "hdf5storage", as: "rna" }],
  [[], undefined],
])("%j", (words, options) => expect(parsed(...words)).toEqual(options));

test("a value that no format has is refused with the one that is meant", () => {
  expect(() => parsed("--order", "colum")).toThrow(CommanderError);
  expect(() => parsed("--order", "colum")).toThrow(/Did you mean column\?/);
  expect(() => parsed("--zarr-format", "4")).toThrow(/Allowed choices are 2, 3/);
});

test("every option of a format has a flag, and a flag of several formats has the help of each", () => {
  const { options } = command();
  const flags = new Set(options.map(({ flags }) => flags));
  const described = listFormats().flatMap(({ options }) => Object.values(options).map(({ flag }) => flag));
  expect(flags).toEqual(new Set(described));
  expect(options.find(({ long }) => long === "--as")?.description).toBe(
    "to MuData: the name of the modality, as rna; to R: of the assay (default: RNA)",
  );
});

test("a version of Seurat says the format", () => {
  expect(impliedFormat({ seurat: "v5" })).toBe("seurat");
  expect(impliedFormat({ zarrFormat: 3 })).toBeUndefined();
  expect(impliedFormat()).toBeUndefined();
});
