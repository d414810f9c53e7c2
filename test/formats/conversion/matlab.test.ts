/** Variables of MATLAB that have no names of AnnData: the caller says which is what. */

import { Field, FixedSizeList, Float64, Table, tableFromArrays, Utf8, vectorFromArray } from "apache-arrow";
import { beforeAll, expect, test } from "vitest";
import { convert, write } from "../../../packages/published/src/node.js";
import { open, place } from "./opened.js";

const source = place("mat");

const matrix = (rows: number[][]): Table =>
  new Table({
    value: vectorFromArray(rows, new FixedSizeList(rows[0].length, new Field("item", new Float64(), false))),
  });
const texts = (values: string[]): Table => new Table({ value: vectorFromArray(values, new Utf8()) });
const numbers = (...values: number[]): Table => tableFromArrays({ value: Float64Array.from(values) });

/** Three cells and two genes, in variables of other names. */
beforeAll(async () => {
  await write(
    source,
    {
      counts: matrix([
        [1, 0],
        [0, 2],
        [3, 0],
      ]),
      entries: tableFromArrays({ row: Int32Array.of(2, 0), col: Int32Array.of(0, 1), value: Float64Array.of(3, 7) }),
      "cells/barcode": texts(["a", "b", "c"]),
      "cells/depth": numbers(1, 2, 3),
      "cells/pca": matrix([
        [1, 2],
        [3, 4],
        [5, 6],
      ]),
      genes: texts(["g0", "g1"]),
      first: numbers(1, 0),
      title: texts(["three", "cells"]),
    },
    { shape: [3, 2] },
  );
});

const rows = (table: Table) => table.toArray().map((row) => JSON.parse(JSON.stringify(row)));

test("a matrix, a struct of columns and a list of names become an AnnData", async () => {
  const output = place("h5ad");
  const elements = { X: "counts", obs: "cells", var: "genes", "layers/entries": "entries", "uns/title": "title" };
  const { warnings } = await convert(source, output, { elements, index: { obs: "barcode" } });
  expect(warnings).toEqual([]);
  const data = await open(output);
  expect(data.shape).toEqual([3, 2]);
  expect([...data.tables.keys()].sort()).toEqual(["X", "layers/entries", "obs", "obsm/pca", "uns", "uns/title", "var"]);
  expect(rows(await data.table("X").read())).toEqual([{ value: [1, 0] }, { value: [0, 2] }, { value: [3, 0] }]);
  // By columns, as MATLAB stores it.
  expect(data.table("layers/entries").metadata.kind).toBe("csc_matrix");
  expect(rows(await data.table("layers/entries").read())).toEqual([
    { row: 2, col: 0, value: 3 },
    { row: 0, col: 1, value: 7 },
  ]);
  expect(rows(await data.table("obs").read())).toEqual([
    { barcode: "a", depth: 1 },
    { barcode: "b", depth: 2 },
    { barcode: "c", depth: 3 },
  ]);
  expect(rows(await data.table("var").read())).toEqual([{ _index: "g0" }, { _index: "g1" }]);
  expect(rows(await data.table("obsm/pca").read())).toEqual([{ value: [1, 2] }, { value: [3, 4] }, { value: [5, 6] }]);
  expect(rows(await data.table("uns/title").read())).toEqual([{ value: "three" }, { value: "cells" }]);
});

test("fields of structs are named as MATLAB has them, and a vector is a matrix of one column", async () => {
  const output = place("h5ad");
  await convert(source, output, { elements: { X: "cells.depth", obs: "cells/barcode" } });
  const data = await open(output);
  expect(data.shape).toEqual([3, 1]);
  expect(rows(await data.table("X").read())).toEqual([{ value: [1] }, { value: [2] }, { value: [3] }]);
  expect(rows(await data.table("obs").read())).toEqual([{ _index: "a" }, { _index: "b" }, { _index: "c" }]);
});

test.each(["loom", "bpcells"])("to %s, too, where genes are the rows", async (extension) => {
  const output = place(extension);
  await convert(source, output, { elements: { X: "counts", obs: "cells/barcode", var: "genes" } });
  const data = await open(output);
  expect(data.shape).toEqual([2, 3]);
  const entries = rows(await (await data.table("matrix").layout("coordinate")).read());
  expect(entries.map(({ row, col, value }) => `${row} ${col} ${value}`).sort()).toEqual(["0 0 1", "0 2 3", "1 1 2"]);
});

test("a struct beside an axis: matrices under their names, or a table without matrices", async () => {
  const structs = place("mat");
  const pca = matrix([
    [1, 2],
    [3, 4],
  ]);
  await write(structs, { "both/pca": pca, "both/depth": numbers(5, 6), "alone/pca": pca, names: texts(["a", "b"]) });
  const alone = place("h5ad");
  await convert(structs, alone, { elements: { obs: "names", var: "names", "obsm/alone": "alone" } });
  const data = await open(alone);
  expect(rows(await data.table("obsm/alone/pca").read())).toEqual([{ value: [1, 2] }, { value: [3, 4] }]);
  const elements = { obs: "names", var: "names", "obsm/both": "both" };
  await expect(convert(structs, place("h5ad"), { elements })).rejects.toThrow(
    /both\/pca: AnnData has no place for a column of several values each, in a table/,
  );
  const { warnings } = await convert(structs, place("h5ad"), { elements, lossy: true });
  expect(warnings).toEqual([expect.stringMatching(/^left out: both\/pca/)]);
});

test("a table of MATLAB is a dataframe", async () => {
  const output = place("h5ad");
  await convert("test/fixtures/data/matlab/objects.mat", output, { elements: { obs: "frame", var: "frame" } });
  const data = await open(output);
  expect(data.table("obs").rows).toBe(2);
});

test.each([
  [
    undefined,
    /no variable X, obs, var or the like: say what is what \(--X VARIABLE, .*there are .*counts \(3 x 2 double\)/,
  ],
  [{ X: "count" }, /X: no variable "count"; there are cells \(struct\), counts \(3 x 2 double\), /],
  [{ X: "cells" }, /X: cells is a struct, no matrix of numbers/],
  [{ X: "genes" }, /X: genes is 2 x 1 cell, no matrix of numbers/],
  [{ obs: "first" }, /obs: first is 2 x 1 double: obs is a table, a struct of columns, or a list of names/],
  [{ X: "counts", var: "cells" }, /X: 2 columns, var has 3 rows/],
  [{ Y: "counts" }, /Y: no element of an AnnData: X, obs, var, layers\/NAME/],
])("%j is an error that says what to do", async (elements, message) => {
  await expect(convert(source, place("h5ad"), elements === undefined ? {} : { elements })).rejects.toThrow(message);
});

test("variables are named where there are any, and where they become elements", async () => {
  const elements = { X: "counts" };
  await expect(convert(source, place("mat"), { elements })).rejects.toThrow(/variables stay variables/);
  await expect(convert(source, place("tables"), { elements, format: "parquet" })).rejects.toThrow(
    /choose some by their names/,
  );
  await expect(convert("examples/pbmc.h5ad", place("zarr"), { elements })).rejects.toThrow(
    /anndata says itself what its elements are/,
  );
});

test("names that MATLAB has not come back", async () => {
  const [first, mat, back] = [place("h5ad"), place("mat"), place("h5ad")];
  await write(first, {
    X: matrix([
      [1, 0],
      [0, 2],
    ]),
    "layers/my counts": matrix([
      [1, 0],
      [0, 2],
    ]),
    "uns/_id/2nd": texts(["x", "y"]),
  });
  expect((await convert(first, mat)).warnings).toEqual([]);
  await convert(mat, back);
  const data = await open(back);
  expect([...data.tables.keys()].sort()).toEqual(["X", "layers/my counts", "obs", "uns", "uns/_id/2nd", "var"]);
  // And so does the file when it is written again.
  const again = place("mat");
  await convert(mat, again);
  expect([...(await open(again)).tables.keys()].sort()).toEqual([...(await open(mat)).tables.keys()].sort());
});

test("several layers need no matrix among them", async () => {
  const [first, mat, back] = [place("h5ad"), place("mat"), place("h5ad")];
  const one = () => matrix([[1, 0]]);
  await write(first, { "layers/a": one(), "layers/b": one() });
  await convert(first, mat);
  await convert(mat, back);
  expect(rows(await (await open(back)).table("layers/b").read())).toEqual([{ value: [1, 0] }]);
});

test("an array of one dimension comes back as one", async () => {
  const [before, between, after] = [place("h5ad"), place("mat"), place("h5ad")];
  const index = tableFromArrays({ _index: ["a", "b", "c"] });
  await write(
    before,
    { obs: index, "obsm/1d": numbers(1, 2, 3), "obsm/2d": matrix([[1], [2], [3]]) },
    { shape: [3, 0] },
  );
  await convert(before, between);
  await convert(between, after);
  for (const path of [before, after]) {
    const data = await open(path);
    expect(data.table("obsm/1d").metadata.shape).toEqual([3]);
    expect(data.table("obsm/2d").metadata.shape).toEqual([3, 1]);
    expect(rows(await data.table("obsm/1d").read())).toEqual([{ value: 1 }, { value: 2 }, { value: 3 }]);
    expect(rows(await data.table("obsm/2d").read())).toEqual([{ value: [1] }, { value: [2] }, { value: [3] }]);
  }
});
