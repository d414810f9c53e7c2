/** AnnData -> Loom: what lies where, what it is called, and what is refused. rules.test.ts goes both ways. */

import { Dictionary, Int8, Table, tableFromArrays, Utf8, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import type { ConvertOptions, Dataset, StoreOptions, WriteInput } from "../../../packages/published/src/index.js";
import { convert, write } from "../../../packages/published/src/node.js";
import { open, place } from "./opened.js";
import { BASE, SAMPLES } from "./samples.js";

const COUNTS = "test/fixtures/data/annotated/counts.h5ad";

async function written(data: Exclude<WriteInput, Dataset>, options: StoreOptions = {}): Promise<Dataset> {
  const output = place("loom");
  await write(output, data, options);
  return open(output);
}

async function values(data: Dataset, table: string, column = "value"): Promise<unknown[]> {
  const rows = (await data.table(table).read()).getChild(column);
  return JSON.parse(JSON.stringify([...(rows ?? [])], (_, one) => (typeof one === "bigint" ? String(one) : one)));
}

const names = (data: Dataset, table: string) =>
  data
    .table(table)
    .schema.fields.map(({ name }) => name)
    .sort();

test("a whole dataset: genes are rows, cells are columns", async () => {
  const given = Object.assign({}, BASE, ...["layers/*", "obsm/*, varm/*: arrays", "obsp/*, varp/*"].map(tablesOf));
  const data = await written({ ...given, obs: SAMPLES["obs, var: columns of numbers or text"].tables.obs });
  expect(data.version).toBe("3.0.0");
  expect(data.shape).toEqual([4, 3]);
  expect(await values(data, "matrix")).toEqual([
    [0, 0, 7],
    [0.5, 0, 0],
    [0, 0, 0],
    [-1, 0, 0],
  ]);
  expect(await values(data, "layers/counts")).toEqual([
    [3, 0, 0],
    [0, 0, 0],
    [0, 4, 0],
    [0, 0, 0],
  ]);
  expect(names(data, "col_attrs")).toEqual(["CellID", "X_pca", "depth", "tissue"]);
  expect(await values(data, "col_attrs", "CellID")).toEqual(["a", "b", "c"]);
  expect(await values(data, "col_attrs", "X_pca")).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
  ]);
  expect(await values(data, "row_attrs", "Gene")).toEqual(["g0", "g1", "g2", "g3"]);
  expect(await values(data, "col_graphs/knn", "row")).toEqual([0, 1, 2]);
  expect(await values(data, "col_graphs/knn", "col")).toEqual([1, 2, 2]);
  expect(await values(data, "col_graphs/knn", "value")).toEqual([0.5, 1, 2]);
});

function tablesOf(element: string): Readonly<Record<string, Table>> {
  return Object.entries(SAMPLES).find(([name]) => name === element)?.[1].tables ?? {};
}

describe("names", () => {
  test("are called as the caller says, on the way there and back", async () => {
    const loom = place("loom");
    await write(loom, BASE, { obsNames: "Barcode", varNames: "Accession", version: "2.0.1" });
    const data = await open(loom);
    expect(data.version).toBe("2.0.1");
    expect([names(data, "col_attrs"), names(data, "row_attrs")]).toEqual([["Barcode"], ["Accession"]]);
    const back = place("h5ad");
    await convert(loom, back, { obsNames: "Barcode", varNames: "Accession" });
    expect(await values(await open(back), "obs", "Barcode")).toEqual(["a", "b", "c"]);
  });

  test("those that readers know stay what they are", async () => {
    const obs = tableFromArrays({ obs_names: ["a", "b", "c"] });
    expect(names(await written({ ...BASE, obs }), "col_attrs")).toEqual(["obs_names"]);
    const both = tableFromArrays({ obs_names: ["a", "b", "c"], CellID: ["a", "b", "c"] });
    expect(names(await written({ ...BASE, obs: both }), "col_attrs")).toEqual(["CellID"]);
  });

  test("a column of that name holds the same, or is an error that says what to do", async () => {
    const obs = (ids: string[]) => new Table({ _index: text(["a", "b", "c"]), CellID: text(ids) });
    expect(await values(await written({ ...BASE, obs: obs(["a", "b", "c"]) }), "col_attrs", "CellID")).toEqual([
      ...["a", "b", "c"],
    ]);
    const other = { ...BASE, obs: obs(["a", "b", "d"]) };
    await expect(written(other)).rejects.toThrow(
      /the index becomes the column "CellID", and there is one with other values \(row 2: "c", "d"\): choose another name \(--obs-attr\)/,
    );
    expect(names(await written(other, { obsNames: "name" }), "col_attrs")).toEqual(["CellID", "name"]);
  });

  test("categories are names as well", async () => {
    const obs = new Table({ barcode: vectorFromArray(["a", "b", "a"], new Dictionary(new Utf8(), new Int8())) });
    const data = await written({ ...BASE, obs }, { index: { obs: "barcode" } });
    expect(await values(data, "col_attrs", "CellID")).toEqual(["a", "b", "a"]);
  });

  test("there are none where rows have but positions", async () => {
    const obs = tableFromArrays({ depth: Int32Array.of(1, 2, 3) });
    expect(names(await written({ ...BASE, obs }), "col_attrs")).toEqual(["depth"]);
  });
});

const text = (texts: string[]) => vectorFromArray(texts, new Utf8());

describe("the matrix", () => {
  test("another than X, which is a layer then", async () => {
    const output = place("loom");
    const { warnings } = await convert(COUNTS, output, { matrix: "layers/csc", lossy: true });
    expect(warnings).toEqual([
      "left out: raw/X: Loom has no place for it",
      "left out: raw/var: Loom has no place for it",
    ]);
    const data = await open(output);
    expect([...data.tables.keys()]).toEqual(expect.arrayContaining(["matrix", "layers/X", "layers/dense"]));
    expect(await values(data, "layers/X")).toEqual(await values(data, "layers/dense"));
  });

  test("raw/X, with the genes of raw/var", async () => {
    const output = place("loom");
    await convert(COUNTS, output, { tables: ["raw/X"] });
    const data = await open(output);
    expect(data.shape).toEqual([50, 70]);
    expect((await values(data, "row_attrs", "Gene")).at(-1)).toBe("more4");
    expect(names(data, "col_attrs")).toEqual(["CellID"]);
  });

  test("dense is written as it is", async () => {
    const output = place("loom");
    await convert(COUNTS, output, { tables: ["layers/dense"] });
    const back = place("h5ad");
    await convert(output, back);
    const [data, source] = [await open(back), await open(COUNTS)];
    const sums = async (one: Dataset, name: string) => {
      let sum = 0;
      for (const value of await values(one, name)) sum += Number(value);
      return sum;
    };
    expect(await sums(data, "X")).toBe(await sums(source, "X"));
  });
});

test.each<[ConvertOptions, RegExp]>([
  [{}, /raw\/X: Loom has no place for it, nor for raw\/var; choose what is written \(--table\), or allow losses/],
  [{ tables: ["obs"] }, /matrix/],
  [{ tables: ["X"], zarrFormat: 3 }, /\.loom has no choice of a version of Zarr/],
  [{ tables: ["X"], anndata: "0.13" }, /\.loom has no choice of encodings of AnnData/],
  [{ tables: ["X", "raw/var"] }, /raw\/var: Loom has no place for it/],
])("refused: %j", async (options, message) => {
  await expect(convert(COUNTS, place("loom"), options)).rejects.toThrow(message);
});

test("a version of Loom is chosen for Loom alone, and names not within one format", async () => {
  await expect(convert(COUNTS, place("h5ad"), { version: "2.0.1" })).rejects.toThrow(
    /\.h5ad has no choice of a version of the specification \(--loom-version\)/,
  );
  const loom = "test/fixtures/data/loom/loompy.loom";
  await expect(convert(loom, place("loom"), { obsNames: "CellID" })).rejects.toThrow(
    /Loom stays Loom, with the names that it has/,
  );
});

test("two elements that would be one attribute", async () => {
  const obs = new Table({ _index: text(["a", "b", "c"]), X_pca: text(["x", "y", "z"]) });
  await expect(written({ ...BASE, ...SAMPLES["obsm/*, varm/*: arrays"].tables, obs })).rejects.toThrow(
    /obsm\/X_pca: a column "X_pca", and obs has one as well: rename one, or leave one out/,
  );
});
