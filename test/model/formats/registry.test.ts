import { describe, expect, test } from "vitest";
import { conversions } from "../../../src/formats/formats.js";
import {
  fileEndings,
  findEnding,
  findFormat,
  listFormats,
  listStores,
  versionInWords,
} from "../../../src/model/formats/registry.js";

describe("the ending of a file", () => {
  test.each([
    ["runs/a.H5AD", "h5ad"],
    ["x.mudata.zarr.zip", "mudata.zarr.zip"],
    ["x.tar.zip", "zip"],
    ["pbmc.v2.rdata", "rdata"],
    ["fragments.tsv.gz", "tsv.gz"],
    ["counts.h5", "h5"],
    ["x.zarr", null],
    ["h5ad", null],
    ["x.h5ad.md5", null],
  ])("%s: %s", (name, ending) => expect(findEnding(name, fileEndings())).toBe(ending));
});

describe("the formats", () => {
  test("have a conversion each, tables aside", () => {
    const names = listFormats().map(({ name }) => name);
    expect(names.filter((name) => name !== "tables").toSorted()).toEqual(conversions.formats.toSorted());
  });

  test("have stores of names that no other format has", () => {
    const names = listStores().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test("are not found by names that objects have", () => {
    expect(findFormat("constructor")).toBeNull();
    expect(findFormat(null)).toBeNull();
  });

  test.each([
    ["anndata", "0.1.0", " (encoding version 0.1.0)"],
    ["loom", "3.0.0", " 3.0.0"],
    ["hdf5", "", ""],
  ] as const)("%s has the version %s in words", (format, version, words) => {
    expect(versionInWords(format, version)).toBe(words);
  });
});
