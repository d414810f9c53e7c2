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
  ["x.h5ad", undefined, { kind: "store", format: "h5ad" }],
  ["a/X.ZARR.zip", undefined, { kind: "store", format: "zarr.zip" }],
  ["x.zarr/", undefined, { kind: "store", format: "zarr" }],
  ["store", "zarr", { kind: "store", format: "zarr" }],
])("%s, %s", (output, to, expected) => expect(outputOf(output, to)).toEqual(expected));

test.each([
  ["x.loom", undefined, "cannot write .loom"],
  ["x.h5mu", undefined, "cannot write .h5mu"],
  ["x.h5ad/", undefined, "x.h5ad/: ends with a slash, but .h5ad is a file"],
  ["x.parquet", "h5ad", "x.parquet: is a .parquet file by its name"],
  ["-", "h5ad", "h5ad is not written to the standard output"],
  ["out", undefined, "out: does not say which format"],
  ["x.csv", "parquet", "x.csv: is a .csv file by its name"],
  ["out", "feather", 'cannot write the format "feather"; there are parquet, arrow, csv, tsv, h5ad'],
])("%s, %s: %s", (output, to, message) => expect(() => outputOf(output, to)).toThrow(message));
