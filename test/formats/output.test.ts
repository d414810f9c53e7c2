import { expect, test } from "vitest";
import { isFileWithin, parseOutput } from "../../src/formats/output.js";

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
  ["x.mat", undefined, { kind: "store", format: "mat" }],
  ["a/X.ZARR.zip", undefined, { kind: "store", format: "zarr.zip" }],
  ["x.zarr/", undefined, { kind: "store", format: "zarr" }],
  ["store", "zarr", { kind: "store", format: "zarr" }],
  ["x.loom", undefined, { kind: "store", format: "loom" }],
  ["x.h5mu", undefined, { kind: "store", format: "h5mu" }],
  ["x.mudata.zarr.zip", undefined, { kind: "store", format: "mudata.zarr.zip" }],
  ["store", "mudata.zarr", { kind: "store", format: "mudata.zarr" }],
  ["x.bpcells", undefined, { kind: "store", format: "bpcells" }],
  ["x.BPCells/", undefined, { kind: "store", format: "bpcells" }],
  ["store", "bpcells", { kind: "store", format: "bpcells" }],
  ["x.h5", "bpcells", { kind: "store", format: "bpcells.h5" }],
  ["a.b/x.hdf5", "bpcells", { kind: "store", format: "bpcells.h5" }],
  ["x.bpcells.h5", undefined, { kind: "store", format: "bpcells.h5" }],
  ["x.rds", "bpcells", { kind: "store", format: "bpcells.rds" }],
  ["x.zarr", "mudata.zarr", { kind: "store", format: "mudata.zarr" }],
  ["x.h5ad/", "parquet", { kind: "directory", format: "parquet" }],
  ["x.rds", "seurat", { kind: "store", format: "seurat.rds" }],
  ["x.sce.rds", "sce", { kind: "store", format: "sce.rds" }],
  ["x.any", "bpcells.rds", { kind: "store", format: "bpcells.rds" }],
  ["x.tsv", undefined, { kind: "file", format: "tsv" }],
  ["x.tsv.gz", undefined, { kind: "fragments", to: "file", gzip: true }],
  ["a/atac_fragments.tsv", undefined, { kind: "fragments", to: "file", gzip: false }],
  ["x.tsv", "10x", { kind: "fragments", to: "file", gzip: false }],
  ["fragments.tsv", "tsv", { kind: "file", format: "tsv" }],
  ["-", "10x", { kind: "fragments", to: "stdout", gzip: false }],
])("%s, %s", (output, to, expected) => expect(parseOutput(output, to)).toEqual(expected));

test.each([
  ["x.h5ad/", undefined, "x.h5ad/: ends with a slash, but .h5ad is a file"],
  ["x.parquet", "h5ad", "x.parquet: is a .parquet file by its name"],
  ["x.h5", undefined, "x.h5: .h5 does not say which format to write: add --to bpcells"],
  ["x.rds", undefined, "x.rds: .rds does not say which format to write: add --to seurat, --to sce, or --to bpcells"],
  ["x.h5/", "bpcells", "x.h5/: ends with a slash, but .bpcells.h5 is a file"],
  ["x.h5ad", "bpcells", "x.h5ad: is .h5ad by its name, but the format asked for is bpcells"],
  ["x.h5ad", "parquet", "x.h5ad: is .h5ad by its name, but the format asked for is parquet: choose another name"],
  ["x.zarr", "h5ad", "x.zarr: is .zarr by its name, but the format asked for is h5ad"],
  ["x.zarr", "zarr.zip", "x.zarr: is .zarr by its name, but the format asked for is zarr.zip"],
  ["x.h5ad", "seurat", "x.h5ad: is .h5ad by its name, but the format asked for is seurat.rds"],
  ["x.sce.rds", "seurat", "x.sce.rds: is .sce.rds by its name, but the format asked for is seurat.rds"],
  ["x.h5", "10x", "x.h5: is no name of a file of fragments: it ends with .tsv or .tsv.gz"],
  ["-", "bpcells", "bpcells is not written to the standard output"],
  ["-", "h5ad", "h5ad is not written to the standard output"],
  ["out", undefined, "out: does not say which format"],
  ["x.csv", "parquet", "x.csv: is a .csv file by its name"],
  ["out", "feather", 'cannot write the format "feather"; there are parquet, arrow, csv, tsv, h5ad'],
])("%s, %s: %s", (output, to, message) => expect(() => parseOutput(output, to)).toThrow(message));

test.each([
  ["out/", "h5ad", true],
  ["out/", "seurat", true],
  ["out/", "zarr", false],
  ["out", "seurat", false],
])("whether the output of --to lies within the folder: %s, %s: %s", (output, to, within) => {
  expect(isFileWithin(output, to)).toBe(within);
});
