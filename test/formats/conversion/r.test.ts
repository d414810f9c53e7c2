import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ConvertOptions, convert, open, write } from "../../../packages/published/src/node.js";

const folder = mkdtempSync(join(tmpdir(), "annarrow-r-"));
const made = (name: string) => `test/fixtures/data/r/${name}.rds`;

async function rows(path: string, name: string): Promise<string> {
  const data = await open(path);
  const text = JSON.stringify((await data.table(name).read()).toArray(), (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  await data.close();
  return text;
}

/** Converts an object, and compares tables of both. */
async function same(name: string, end: string, options: ConvertOptions, tables: Record<string, string>): Promise<void> {
  const output = join(folder, `${name}.${end}`);
  await convert(made(name), output, { overwrite: true, ...options });
  for (const [table, own] of Object.entries(tables))
    expect(await rows(output, table), table).toBe(await rows(made(name), own));
}

const itself = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]));

describe("an R object becomes", () => {
  test.each(["h5ad", "zarr"])("an AnnData: .%s", async (end) => {
    await same("seurat", end, { lossy: true }, itself("X", "layers/counts", "var", "obsm/X_pca", "obsm/scale.data"));
    await same("seurat", end, { lossy: true }, itself("obsp/RNA_snn", "uns/misc/note", "varm/pca"));
    await same("seurat5", end, { lossy: true }, itself("X", "layers/counts", "layers/part", "obsm/scale.data"));
    await same(
      "sce",
      end,
      { lossy: true },
      itself("X", "layers/logcounts", "layers/dense", "obsp/knn", "varm/rowRanges"),
    );
    await same("se", end, {}, itself("X", "layers/triplets", "layers/logical", "layers/pattern", "obs", "var"));
  });

  test("a MuData, where it has several assays or experiments", async () => {
    await same("seurat-assays", "h5mu", { lossy: true }, itself("mod/RNA/X", "mod/ADT/X", "mod/SCT/layers/counts"));
    await same("sce-altexp", "h5mu", { lossy: true }, itself("mod/RNA/X", "mod/ERCC/X", "mod/RNA/obsm/PCA"));
    await same("seurat-list", "h5mu", { lossy: true }, itself("mod/first/X", "mod/second.ADT/X"));
  });

  test("an AnnData of one of its assays", async () => {
    const output = join(folder, "assay.h5ad");
    const data = await open(made("seurat-assays"));
    const assay = await data.select({ modality: "ADT" });
    await write(output, assay, { lossy: true });
    for (const name of ["X", "var"])
      expect(await rows(output, name)).toBe(await rows(made("seurat-assays"), `mod/ADT/${name}`));
    await expect(convert(made("seurat-assays"), join(folder, "none.h5ad"), { lossy: true })).rejects.toThrow(
      "choose one (--modality RNA)",
    );
    await data.close();
  });

  test("a matrix of another format, with exchanged rows and columns", async () => {
    const output = join(folder, "matrix.h5ad");
    await convert(made("dgCMatrix"), output);
    const data = await open(output);
    expect(data.shape).toEqual([5, 6]);
    expect(await rows(output, "obs")).toContain('{"_index":"cell1"}');
    await same("dgCMatrix", "bpcells", { type: "double" }, itself("matrix", "row_names", "col_names"));
  });
});

test("what has no form is named, and stops a conversion that allows no losses", async () => {
  await expect(convert(made("sce"), join(folder, "strict.h5ad"))).rejects.toThrow("uns/f: a function of R's own");
});

test("a gene, cells and a part of an R object", async () => {
  const data = await open(made("sce"));
  const part = await data.select({ obs: ["cell2", "cell1"], var: ["LYZ"] });
  expect(part.shape).toEqual([2, 1]);
  expect((await part.table("layers/dense").read()).toArray().map((row) => row.value.get(0))).toEqual(
    (await data.table("layers/dense").read())
      .toArray()
      .map((row) => row.value.get(3))
      .slice(0, 2)
      .reverse(),
  );
  await data.close();
});

test("a dense matrix alone becomes an AnnData of its non-zeros, cells by features", async () => {
  const output = join(folder, "dense.h5ad");
  await convert(made("matrix"), output);
  const data = await open(output);
  expect(data.shape).toEqual([5, 6]);
  const dense = await open(made("matrix"));
  const values: number[][] = (await dense.table("matrix").read()).toArray().map(({ value }) => [...value]);
  const entries = (await data.table("X").read()).toArray().map(({ row, col, value }) => [row, col, value]);
  const expected = values.flatMap((cells, feature) => cells.map((value, cell) => [cell, feature, value]));
  const order = (a: number[], b: number[]) => a[0] - b[0] || a[1] - b[1];
  expect(entries.sort(order)).toEqual(expected.filter(([, , value]) => value !== 0).sort(order));
  expect(await rows(output, "obs")).toBe((await rows(made("matrix"), "col_names")).replaceAll("value", "_index"));
  await data.close();
  await dense.close();
});

test("columns of lists with NULL are written to Parquet", async () => {
  await same("frame-odd", "parquet", { lossy: true }, { "frame-odd": "value" });
});

test("what R has no form for is an error that names --lossy once", async () => {
  const data = {
    X: { row: [0, 1], col: [0, 1], value: [1, 2] },
    obs: { index: ["c1", "c2"] },
    var: { index: ["a", "b"] },
    "varm/words": { index: ["a", "b"], text: ["x", "y"] },
  };
  await expect(write(join(folder, "words.sce.rds"), data)).rejects.toMatchObject({
    tag: "InvalidInputError",
    element: "varm/words",
    problem: expect.stringMatching(/^no dense matrix of numbers .*; allow losses \(--lossy\) to leave it out$/),
  });
});
