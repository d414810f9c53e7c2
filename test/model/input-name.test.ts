import { expect, test } from "vitest";
import { createInputKeys } from "../../src/model/input-name.js";

test.each<[readonly string[], readonly string[]]>([
  [
    ["runs/a.h5ad", "b.zarr", "c.loom"],
    ["a", "b", "c"],
  ],
  [
    ["https://host/d.h5ad?token=1", "e/"],
    ["d", "e"],
  ],
  [
    ["runs/x.seurat.rds", "pbmc.fragments.tsv.gz", "b.mudata.zarr", "notes.txt", "v1.2/counts.v2.h5"],
    ["x", "pbmc", "b", "notes", "counts.v2"],
  ],
  [
    ["one/counts.h5ad", "two/counts.h5ad", "b.h5ad"],
    ["one/counts.h5ad", "two/counts.h5ad", "b.h5ad"],
  ],
])("files %j have the keys %j", (inputs, keys) => {
  expect(createInputKeys(inputs)).toEqual(keys);
});
