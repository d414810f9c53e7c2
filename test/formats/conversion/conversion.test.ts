/** AnnData <-> BPCells, beside what BPCells' own Python package makes of the same file. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ConvertOptions, Dataset } from "../../../packages/published/src/index.js";
import { convert, write } from "../../../packages/published/src/node.js";
import { open, place } from "./opened.js";

const FIXTURES = "test/fixtures/data/annotated";
const COUNTS = `${FIXTURES}/counts.h5ad`;

interface Entries {
  readonly cell: readonly number[];
  readonly gene: readonly number[];
  readonly value: readonly number[];
}

interface Expected {
  readonly cells: readonly string[];
  readonly genes: readonly string[];
  readonly csr: Entries;
  readonly csc: Entries;
}

const expected: Expected = JSON.parse(readFileSync(`${FIXTURES}/expected.json`, "utf8"));
async function converted(input: string, extension: string, options: ConvertOptions): Promise<Dataset> {
  const output = place(extension);
  await convert(input, output, options);
  return open(output);
}

async function column(data: Dataset, table: string, name: string): Promise<unknown[]> {
  return [...((await data.table(table).read()).getChild(name) ?? [])];
}

/** The entries of a coordinate table as text, in an order of their own. */
async function entries(data: Dataset, table: string, [cell, gene]: readonly [string, string]): Promise<string[]> {
  const [cells, genes, values] = await Promise.all([cell, gene, "value"].map((name) => column(data, table, name)));
  return cells.map((place, i) => `${place} ${genes[i]} ${values[i]}`).sort();
}

const known = ({ cell, gene, value }: Entries) => cell.map((place, i) => `${place} ${gene[i]} ${value[i]}`).sort();

/** The files of a store that are not its names. */
function arrays(path: string): Record<string, string> {
  const names = readdirSync(path).filter((name) => !/_names$|^shape$|^storage_order$/.test(name));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(path, name)).toString("hex")]));
}

describe("AnnData -> BPCells", () => {
  test.each([
    ["X", "csr", "column"],
    ["layers/csc", "csc", "row"],
  ] as const)("%s: the arrays that BPCells makes, byte for byte", async (name, store, order) => {
    const output = place("bpcells");
    const result = await convert(COUNTS, output, { tables: [name], type: "uint" });
    expect(result.warnings).toEqual([]);
    expect(result.tables.map((table) => table.name).sort()).toEqual(["col_names", "matrix", "row_names"]);
    expect(arrays(output)).toEqual(arrays(`${FIXTURES}/${store}`));
    const data = await open(output);
    expect(data.shape).toEqual([45, 70]);
    expect(data.table("matrix").metadata).toMatchObject({ order, version: "packed-uint-matrix-v2" });
    expect(await column(data, "col_names", "value")).toEqual(expected.cells);
    expect(await column(data, "row_names", "value")).toEqual(expected.genes);
    expect(await entries(data, "matrix", ["col", "row"])).toEqual(known(expected[store]));
  });

  test("floats stay floats, and a dense layer is its non-zeros", async () => {
    const data = await converted(COUNTS, "bpcells", { tables: ["layers/dense"] });
    expect(data.version).toBe("packed-float-matrix-v2");
    expect(data.table("matrix").metadata).toMatchObject({ order: "column" });
    expect(await entries(data, "matrix", ["col", "row"])).toEqual(known(expected.csr));
  });

  test.each(["column", "row"] as const)("in %s order where that is asked for", async (order) => {
    const data = await converted(COUNTS, "bpcells", { tables: ["X"], order, type: "double", packed: false });
    expect(data.version).toBe("unpacked-double-matrix-v2");
    expect(data.table("matrix").metadata).toMatchObject({ order });
    expect(await entries(data, "matrix", ["col", "row"])).toEqual(known(expected.csr));
  });

  test("raw/X has the names of raw/var", async () => {
    const data = await converted(COUNTS, "bpcells", { tables: ["raw/X"] });
    expect(data.shape).toEqual([50, 70]);
    expect((await column(data, "row_names", "value")).slice(45)).toEqual(["more0", "more1", "more2", "more3", "more4"]);
  });

  test("in a group of an HDF5 file, and compressed", async () => {
    const output = place("h5");
    await convert(COUNTS, output, { format: "bpcells", tables: ["X"], group: "rna/counts", compression: "gzip" });
    const data = await open(output, { path: "rna/counts" });
    expect(data.container).toBe("hdf5");
    expect(await entries(data, "matrix", ["col", "row"])).toEqual(known(expected.csr));
  });

  test("what it has no place for is an error that names it, and what to do", async () => {
    const output = place("bpcells");
    await expect(convert(COUNTS, output)).rejects.toThrow(
      /: (layers\/csc|obs): BPCells has no place for .*, nor for .*obsm\/X_pca.*; choose what is written \(--table\), or allow losses \(--lossy\)$/,
    );
    await expect(open(output)).rejects.toThrow("no such file");
  });

  test("or one warning for each, where losses are allowed", async () => {
    const output = place("bpcells");
    const { warnings } = await convert(COUNTS, output, { lossy: true, type: "uint" });
    expect([...warnings].sort()).toEqual([
      "left out: layers/csc: BPCells has no place for it",
      "left out: layers/dense: BPCells has no place for it",
      "left out: obs: BPCells has no place for its columns (depth)",
      "left out: obsm/X_pca: BPCells has no place for it",
      "left out: raw/X: BPCells has no place for it",
      "left out: raw/var: BPCells has no place for it",
      "left out: uns: BPCells has no place for it",
    ]);
    expect(arrays(output)).toEqual(arrays(`${FIXTURES}/csr`));
  });

  test("another matrix than X, with all the rest left out", async () => {
    const output = place("bpcells");
    const { warnings } = await convert(COUNTS, output, { lossy: true, type: "uint", matrix: "layers/csc" });
    expect(warnings).toContain("left out: X: BPCells has no place for it");
    expect(arrays(output)).toEqual(arrays(`${FIXTURES}/csc`));
  });

  test.each<[ConvertOptions, RegExp]>([
    [{ tables: ["X", "obs"] }, /obs: BPCells has no place for its columns \(depth\); choose/],
    [{ tables: ["layers/csc", "layers/dense"] }, /2 matrices and no X: say which is the matrix \(--matrix\)/],
    [{ tables: ["X"], matrix: "raw/X" }, /raw\/X: no matrix of that name is converted; there are X/],
    [{ tables: ["uns/seed"] }, /uns: BPCells has no place for it/],
    [{ tables: ["X"], zarrFormat: 3 }, /\.bpcells has no choice of a version of Zarr/],
    [{ tables: ["X"], compression: "gzip" }, /a directory of BPCells is packed, not compressed by gzip/],
    [{ tables: ["X"], group: "rna" }, /\.bpcells has no choice of a group/],
    [{ tables: ["X"], positions: true }, /positions are columns of tables/],
  ])("refused: %j", async (options, message) => {
    await expect(convert(COUNTS, place("bpcells"), options)).rejects.toThrow(message);
  });

  test.each<[string, ConvertOptions, RegExp]>([
    ["h5ad", { order: "row" }, /\.h5ad has no order "row"; there are csr, csc/],
    ["h5ad", { packed: false }, /\.h5ad has no choice of packed arrays/],
    ["h5ad", { matrix: "layers/csc" }, /there is no matrix to choose/],
    ["parquet", { tables: ["obs"], type: "uint" }, /files of tables have no choice of a type of its values/],
  ])("no option of BPCells for .%s: %j", async (extension, options, message) => {
    await expect(convert(COUNTS, place(extension), options)).rejects.toThrow(message);
  });
});

describe("BPCells -> AnnData", () => {
  test.each(["h5ad", "zarr"])("there and back by .%s", async (extension) => {
    const packed = place("bpcells");
    await convert(COUNTS, packed, { tables: ["X"], type: "uint" });
    const anndata = place(extension);
    const { warnings, tables } = await convert(packed, anndata);
    expect(warnings).toEqual([]);
    expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(["X", "obs", "var"]));
    const data = await open(anndata);
    expect(data.shape).toEqual([70, 45]);
    expect(data.table("X").metadata).toMatchObject({ kind: "csr_matrix", order: "row" });
    expect(await column(data, "obs", "_index")).toEqual(expected.cells);
    expect(await column(data, "var", "_index")).toEqual(expected.genes);
    expect(await entries(data, "X", ["row", "col"])).toEqual(known(expected.csr));
    const again = place("bpcells");
    await convert(anndata, again);
    expect(arrays(again)).toEqual(arrays(packed));
    expect(readFileSync(join(again, "col_names"))).toEqual(readFileSync(join(packed, "col_names")));
  });

  test("a store without names has positions", async () => {
    const data = await converted(`${FIXTURES}/csr`, "h5ad", {});
    expect(data.shape).toEqual([45, 70]);
    expect((await column(data, "obs", "_index")).slice(0, 3)).toEqual(["0", "1", "2"]);
  });

  test("one of several matrices, with its names", async () => {
    const several = "test/fixtures/data/bpcells/several.h5";
    await expect(convert(several, place("h5ad"))).rejects.toThrow(
      /3 matrices, and one is converted: choose it \(--table\); adt\/matrix, rna\/counts\/matrix, rna\/data\/matrix/,
    );
    const data = await converted(several, "h5ad", { tables: ["rna/counts/matrix"] });
    expect([...data.tables.keys()]).toEqual(expect.arrayContaining(["X", "obs", "var"]));
    expect((await column(data, "var", "_index"))[1]).toBe("gene1");
    const output = place("h5ad");
    const { warnings } = await convert(several, output, { matrix: "rna/counts/matrix", lossy: true });
    expect([...warnings].sort()).toEqual([
      "left out: adt/matrix: AnnData has no place for it",
      ...["col_names", "matrix", "row_names"].map((name) => `left out: rna/data/${name}: AnnData has no place for it`),
    ]);
  });
});

describe("BPCells -> BPCells", () => {
  test.each(["packed", "packed-row", "packed-double", "empty"])("%s, by tables and HDF5", async (store) => {
    const original = `test/fixtures/data/bpcells/${store}`;
    const tables = place("tables");
    await convert(original, tables, { format: "parquet" });
    const hdf5 = place("bpcells.h5");
    await convert(tables, hdf5);
    const output = place("bpcells");
    await convert(hdf5, output);
    expect(arrays(output)).toEqual(arrays(original));
    for (const name of ["row_names", "col_names", "shape", "storage_order"]) {
      expect(readFileSync(join(output, name)), name).toEqual(readFileSync(join(original, name)));
    }
  });

  test("several objects stay in their groups, and one is chosen for a directory", async () => {
    const several = "test/fixtures/data/bpcells/several.h5";
    const copy = await converted(several, "bpcells.h5", {});
    const data = await open(several);
    expect([...copy.tables.keys()].sort()).toEqual([...data.tables.keys()].sort());
    await expect(convert(several, place("bpcells"))).rejects.toThrow(
      /3 objects \(.*\), and a directory holds one: choose it \(--table\), or write \.bpcells\.h5/,
    );
    const one = await converted(several, "bpcells", { tables: ["rna/counts/matrix"] });
    expect([...one.tables.keys()].sort()).toEqual(["col_names", "matrix", "row_names"]);
    const other = await converted(several, "bpcells.h5", { tables: ["adt/matrix"], group: "protein" });
    expect([...other.tables.keys()]).toEqual(["matrix"]);
  });
});

describe("tables of the caller -> BPCells", () => {
  const coordinates = async () => (await open(COUNTS)).table("X").read();

  test("by the names of AnnData, or of BPCells", async () => {
    const { tableFromArrays } = await import("apache-arrow");
    const frames = {
      obs: tableFromArrays({ index: [...expected.cells] }),
      var: tableFromArrays({ symbol: [...expected.genes] }),
    };
    const annotated = place("bpcells");
    await write(annotated, { X: await coordinates(), ...frames }, { type: "uint", index: { var: "symbol" } });
    expect(arrays(annotated)).toEqual(arrays(`${FIXTURES}/csr`));
    expect(readFileSync(join(annotated, "row_names"), "utf8")).toBe(`${expected.genes.join("\n")}\n`);
    const own = place("bpcells");
    const data = await open(annotated);
    await write(own, {
      matrix: await data.table("matrix").read(),
      row_names: await data.table("row_names").read(),
      col_names: await data.table("col_names").read(),
    });
    expect(arrays(own)).toEqual(arrays(annotated));
    expect(readFileSync(join(own, "col_names"))).toEqual(readFileSync(join(annotated, "col_names")));
  });

  test("into a Map", async () => {
    const store = new Map<string, Uint8Array>();
    await write(store, { X: await coordinates() }, { format: "bpcells", type: "uint" });
    const data = await open(store);
    expect(data).toMatchObject({ format: "bpcells", shape: [45, 70] });
    expect(await entries(data, "matrix", ["col", "row"])).toEqual(known(expected.csr));
  });

  test("names that do not fit name both", async () => {
    const { tableFromArrays } = await import("apache-arrow");
    const obs = tableFromArrays({ index: expected.cells.slice(1) });
    await expect(write(place("bpcells"), { X: await coordinates(), obs })).rejects.toThrow(
      /col of entry \d+ is 69, outside 0 … 68; the shape is \[45,69\]/,
    );
  });
});
