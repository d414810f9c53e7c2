import { expect, test } from "vitest";
import { outputOf } from "../src/output.js";

test.each([
  ["obs.parquet", undefined, { kind: "file", format: "parquet" }],
  ["a/b.ARROW", undefined, { kind: "file", format: "arrow" }],
  ["x.arrows", "arrow", { kind: "file", format: "arrows" }],
  ["out/", "parquet", { kind: "directory", format: "parquet" }],
  ["out.parquet/", "arrow", { kind: "directory", format: "arrow" }],
  ["pbmc.h5ad/", "csv", { kind: "directory", format: "csv" }],
  ["-", undefined, { kind: "stdout", format: "arrows" }],
  ["-", "csv", { kind: "stdout", format: "csv" }],
])("%s, %s", (output, to, expected) => expect(outputOf(output, to)).toEqual(expected));

test.each([
  ["x.h5ad", undefined, "cannot write .h5ad"],
  ["x.zarr.zip", undefined, "cannot write .zarr.zip"],
  ["x.zarr/", undefined, "cannot write .zarr"],
  ["out", undefined, "out: does not say which format"],
  ["x.csv", "parquet", "x.csv: is a .csv file by its name"],
  ["out", "feather", 'cannot write the format "feather"; there are parquet, arrow, csv, tsv'],
])("%s, %s: %s", (output, to, message) => expect(() => outputOf(output, to)).toThrow(message));
