/** Loom -> AnnData, beside what loompy and numpy say is in the Loom file. */

import { describe, expect, test } from "vitest";
import type { ConvertOptions, Dataset } from "../../../packages/published/src/index.js";
import { convert } from "../../../packages/published/src/node.js";
import type { ExpectedTable } from "../../readers/anndata/expected.js";
import { expectedOf } from "../../readers/loom/fixtures.js";
import { open, place } from "./opened.js";

const loom = (name: string) => `test/fixtures/data/loom/${name}.loom`;

interface Converted {
  readonly data: Dataset;
  readonly warnings: readonly string[];
}

async function anndata(name: string, options: ConvertOptions = {}, extension = "h5ad"): Promise<Converted> {
  const output = place(extension);
  const { warnings } = await convert(loom(name), output, options);
  return { data: await open(output), warnings };
}

async function values(data: Dataset, table: string, column = "value"): Promise<unknown[]> {
  const rows = (await data.table(table).read()).getChild(column);
  return rows === null ? [] : JSON.parse(JSON.stringify([...rows], text));
}

/** As the fixtures' makers write values: integers of 64 bits as text. */
function text(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : String(value);
  return Object.is(value, -0) ? "-0.0" : ArrayBuffer.isView(value) ? [...(value as Float64Array)] : value;
}

/** The entries of a sparse matrix of cells and genes, and those of the dense matrix of genes and cells. */
async function entries(data: Dataset, table: string): Promise<string[]> {
  const [cells, genes, all] = await Promise.all(["row", "col", "value"].map((name) => values(data, table, name)));
  return cells.map((cell, i) => `${genes[i]} ${cell} ${all[i]}`).sort();
}

function known({ columns }: ExpectedTable): string[] {
  const rows = columns.value as (number | string)[][];
  return rows
    .flatMap((row, gene) => row.flatMap((value, cell) => (value === 0 ? [] : `${gene} ${cell} ${value}`)))
    .sort();
}

describe("what loompy wrote", () => {
  const expected = expectedOf("loompy");

  test.each(["h5ad", "zarr"])("every element, as .%s", async (extension) => {
    const { data, warnings } = await anndata("loompy", {}, extension);
    expect(warnings).toEqual([]);
    expect(data.shape).toEqual([9, 70]);
    expect(data.table("X").metadata).toMatchObject({ kind: "csc_matrix", shape: [9, 70] });
    expect(await entries(data, "X")).toEqual(known(expected.matrix));
    expect(await entries(data, "layers/counts")).toEqual(known(expected["layers/counts"]));
    expect(await values(data, "obs", "CellID")).toEqual(expected.col_attrs.columns.CellID);
    expect(data.table("obs").metadata).toMatchObject({ kind: "dataframe", index: "CellID" });
    expect(await values(data, "var", "Gene")).toEqual(expected.row_attrs.columns.Gene);
    expect(await values(data, "var", "Valid")).toEqual(expected.row_attrs.columns.Valid);
    expect(await values(data, "obsm/X_pca")).toEqual(expected.col_attrs.columns.X_pca);
    expect(await values(data, "uns/title")).toEqual(["by loompy"]);
    expect(await values(data, "uns/vector")).toEqual(expected["attrs/vector"].columns.value);
    expect([...data.tables.keys()]).not.toContain("uns/LOOM_SPEC_VERSION");
  });

  test("a graph has the same rows and columns, sorted by row", async () => {
    const { data } = await anndata("loompy");
    const graph = expected["col_graphs/KNN"].columns as Record<string, readonly number[]>;
    const edges = graph.row.map((a, i) => `${a} ${graph.col[i]} ${graph.value[i]}`).sort();
    const [row, col, value] = await Promise.all(["row", "col", "value"].map((name) => values(data, "obsp/KNN", name)));
    expect(data.table("obsp/KNN").metadata).toMatchObject({ kind: "csr_matrix", shape: [9, 9] });
    expect(row.map((a, i) => `${a} ${col[i]} ${value[i]}`).sort()).toEqual(edges);
  });

  test("another matrix is X, and the main one a layer, as with anndata's own reader", async () => {
    const { data } = await anndata("loompy", { matrix: "layers/counts" });
    expect(await entries(data, "X")).toEqual(known(expected["layers/counts"]));
    expect(await entries(data, "layers/matrix")).toEqual(known(expected.matrix));
    expect(data.tables.has("layers/counts")).toBe(false);
  });

  test("one matrix alone is X and keeps its names", async () => {
    const { data, warnings } = await anndata("loompy", { tables: ["layers/counts"] });
    expect(warnings).toEqual([]);
    expect(await entries(data, "X")).toEqual(known(expected["layers/counts"]));
    expect(data.table("var").schema.fields.map(({ name }) => name)).toEqual(["Gene"]);
    expect(await values(data, "obs", "CellID")).toEqual(expected.col_attrs.columns.CellID);
  });

  test("by tables in files, and in BPCells", async () => {
    const tables = place("tables");
    await convert(loom("loompy"), tables, { format: "parquet" });
    const output = place("h5ad");
    await convert(tables, output);
    const data = await open(output);
    expect(await entries(data, "X")).toEqual(known(expected.matrix));
    expect(await values(data, "obsm/X_pca")).toEqual(expected.col_attrs.columns.X_pca);
    expect(await values(data, "var", "Gene")).toEqual(expected.row_attrs.columns.Gene);
    const packed = place("bpcells");
    await convert(tables, packed, { tables: ["layers/counts"] });
    const store = await open(packed);
    expect(store.shape).toEqual([70, 9]);
    const [row, col, value] = await Promise.all(["row", "col", "value"].map((name) => values(store, "matrix", name)));
    expect(row.map((gene, i) => `${gene} ${col[i]} ${value[i]}`).sort()).toEqual(known(expected["layers/counts"]));
    expect(await values(store, "row_names")).toEqual(expected.row_attrs.columns.Gene);
  });

  test.each<[ConvertOptions, RegExp]>([
    [{ obsNames: "Cell" }, /col_attrs: no attribute "Cell"; there are CellID/],
    [{ obsNames: "X_pca" }, /col_attrs: the attribute "X_pca" is no list of names; there are CellID/],
    [{ matrix: "layers/none" }, /layers\/none: no matrix of that name is converted; there are matrix, layers\/counts/],
    [{ layout: "dense" }, /from loom to anndata, rows become columns, which entries do alone: leave out the layout/],
    [{ tables: ["matrix"], varNames: "Gene", format: "parquet" }, /files of tables keep the names of columns/],
  ])("refused: %j", async (options, message) => {
    const output = place(options.format === undefined ? "h5ad" : "tables");
    await expect(convert(loom("loompy"), output, options)).rejects.toThrow(message);
  });

  test("names of attributes are chosen where there is a Loom alone", async () => {
    const { data } = await anndata("loompy", { varNames: "Valid" });
    expect((await values(data, "var", "Valid")).slice(0, 3)).toEqual(["0", "1", "0"]);
    const packed = place("bpcells");
    const anndataOnly = convert("test/fixtures/data/annotated/counts.h5ad", packed, { tables: ["X"], obsNames: "a" });
    await expect(anndataOnly).rejects.toThrow(/no Loom is read or written: there is no attribute of names to choose/);
  });

  test("what BPCells has no place for goes by the names of Loom", async () => {
    await expect(convert(loom("loompy"), place("bpcells"))).rejects.toThrow(
      /layers\/counts: BPCells has no place for it, nor for .*row_attrs.*col_attrs\/X_pca.*col_graphs\/KNN.*attrs/,
    );
  });
});

test("old text, records, and globals of the root", async () => {
  const { columns } = expectedOf("spec-2").row_attrs;
  const { data, warnings } = await anndata("spec-2");
  expect(warnings).toEqual([]);
  expect(await values(data, "var", "Gene")).toEqual(columns.Gene);
  const pairs = columns.pairs as { readonly name: string; readonly n: number }[];
  expect(data.table("varm/pairs").metadata.kind).toBe("dataframe");
  expect(await values(data, "varm/pairs", "name")).toEqual(pairs.map(({ name }) => name));
  expect(await values(data, "varm/pairs", "n")).toEqual(pairs.map(({ n }) => n));
  expect(await values(data, "uns/title")).toEqual(["naïve"]);
  expect(await values(data, "uns/words")).toEqual(["one", "two"]);
});

describe("dialects", () => {
  const wanted = ["matrix", "row_attrs", "col_attrs", "row_edges/old", "col_graphs/counted", "attrs/MetaData"];

  test("enums are categories, logicals may be missing, old graphs are graphs", async () => {
    const { columns } = expectedOf("dialect").row_attrs;
    const { data, warnings } = await anndata("dialect", { tables: wanted, lossy: true });
    expect(await values(data, "var", "factor")).toEqual(columns.factor);
    expect(
      data
        .table("var")
        .schema.fields.find(({ name }) => name === "factor")
        ?.metadata.get("annarrow"),
    ).toMatch(/categorical/);
    expect(await values(data, "var", "logical")).toEqual(columns.logical);
    expect(data.table("obsm/cube").metadata).toMatchObject({ kind: "array", shape: [5, 2, 3] });
    expect(await values(data, "varp/old", "row")).toEqual(["0", "5", "5"].map(Number));
    expect(await values(data, "obsp/counted", "row")).toEqual([0, 4]);
    expect(await values(data, "obsp/counted", "col")).toEqual([1, 0]);
    expect(warnings).toEqual(
      expect.arrayContaining([
        "left out: row_attrs/GRanges: AnnData has no place for records within records",
        "col_graphs/counted: the ends of its edges are counted from 1, positions in obsp/counted from 0",
        expect.stringMatching(
          /^col_attrs: no attribute CellID, obs_names, cell_names: the names of cells are their pos/,
        ),
      ]),
    );
    expect(data.table("obs").schema.fields.map(({ name }) => name)).toEqual(["_index"]);
    expect(await values(data, "obs", "_index")).toEqual(["0", "1", "2", "3", "4"]);
  });

  test("groups that AnnData has no place for", async () => {
    await expect(convert(loom("dialect"), place("h5ad"))).rejects.toThrow(
      /row_attrs\/GRanges: AnnData has no place for records within records, nor for row_attrs\/GRangesList\/lengths, singlecellexperiment\/x; choose/,
    );
  });

  test("a file with a matrix and nothing else", async () => {
    const { data } = await anndata("matrix-only");
    expect(data.shape).toEqual([3, 2]);
    expect(await values(data, "obs", "_index")).toEqual(["0", "1", "2"]);
    expect(await entries(data, "X")).toEqual(["0 1 1", "0 2 2", "1 0 3", "1 1 4", "1 2 5"]);
  });
});
