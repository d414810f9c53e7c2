import { describe, expect, test } from "vitest";
import { checkStoreOptions } from "../../../src/formats/formats.js";
import type { StoreOptions } from "../../../src/formats/store-options.js";
import {
  areOptionValues,
  choice,
  type OptionValues,
  optionInWords,
  text,
  toggle,
} from "../../../src/model/formats/option-table.js";
import { isStoreFormat } from "../../../src/model/formats/registry.js";

const table = {
  version: choice(["1", 2], "a version", { flag: "--version <version>", help: "1 or 2" }),
  group: text("a group", { flag: "--group <path>", help: "where it lies", note: "only files have groups" }),
  packed: toggle("packed arrays", { flag: "--unpacked", help: "plain arrays", gives: false }),
};

type Options = OptionValues<typeof table>;

test("the type of the options follows from their table", () => {
  const options: Required<Options> = { version: "1", group: "a", packed: false };
  const versions: readonly Options["version"][] = ["1", 2, undefined];
  // The compiler refuses this array for every other type.
  const same: readonly (Options["version"] extends "1" | 2 | undefined ? true : false)[] = [true];
  expect([
    areOptionValues(options, table),
    ...versions.map((version) => areOptionValues({ version }, table)),
    ...same,
  ]).toEqual(Array.from({ length: 5 }, () => true));
});

test.each([
  [{ version: 2, group: "a", packed: false }, true],
  [{ version: undefined, other: 5 }, true],
  [{ version: "2" }, false],
  [{ packed: 1 }, false],
  [{ group: null }, false],
  [null, false],
])("%j: %s", (options, fit) => expect(areOptionValues(options, table)).toBe(fit));

test("errors call an option by its flag", () => {
  expect(optionInWords(table.version)).toBe("a version (--version)");
  expect(optionInWords(table.group)).toBe("a group (--group): only files have groups");
});

/** An option of a store that the compiler takes, as `T` is no more than it says. */
const fitting = <const T extends StoreOptions & { readonly format: string }>(options: T) => options;
/** An option of a store that the compiler refuses. */
const refused = <const T extends { readonly format: string }>(options: T extends StoreOptions ? never : T) => options;

describe("the type and the check of a store's options", () => {
  test.each([
    fitting({ format: "zarr", zarrFormat: 3 }),
    fitting({ format: "mudata.zarr", zarrFormat: 3, as: "rna", order: "csc" }),
    fitting({ format: "bpcells.h5", group: "rna", order: "row" }),
    fitting({ format: "seurat.rds", seurat: "v5", as: "RNA" }),
    fitting({ format: "h5ad", obsNames: "CellID" }),
  ])("take %j", ({ format, ...options }) => {
    expect(isStoreFormat(format)).toBe(true);
    if (isStoreFormat(format)) expect(() => checkStoreOptions(format, options)).not.toThrow();
  });

  test.each([
    [refused({ format: "h5ad", zarrFormat: 3 }), ".h5ad has no choice of a version of Zarr (--zarr-format)"],
    [refused({ format: "h5ad", order: "row" }), '.h5ad has no order "row"; there are csr, csc'],
    [refused({ format: "h5ad", as: "rna" }), "the name of a modality (--as): MuData has modalities"],
    [refused({ format: "sce.rds", seurat: "v5" }), ".sce.rds has no choice of a version of Seurat (--seurat)"],
    [refused({ format: "loom", profile: "MATLAB" }), ".loom has no choice of a profile of MATLAB (--mat-profile)"],
  ])("refuse %j", ({ format, ...options }, problem) => {
    expect(isStoreFormat(format)).toBe(true);
    if (isStoreFormat(format)) expect(() => checkStoreOptions(format, options)).toThrow(problem);
  });

  test("refuse a value that is no text", () => {
    expect(() => checkStoreOptions("bpcells.h5", { group: 5 })).toThrow("group of .bpcells.h5 is text, not 5");
    expect(() => checkStoreOptions("bpcells", { packed: "no" })).toThrow('.bpcells has no packed "no"');
  });

  test("zarr stands for what the tables are, bpcells for the store that the output's name tells", () => {
    const both = [
      fitting({ format: "zarr", as: "rna", compression: "keep" }),
      fitting({ format: "bpcells", group: "rna" }),
    ];
    expect(both.map(({ format }) => format)).toEqual(["zarr", "bpcells"]);
  });
});
