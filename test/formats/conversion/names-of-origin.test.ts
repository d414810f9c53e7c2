/** Tables that are chosen from a dataset keep the names of their rows and columns, whatever they are written to. */

import { type Table, tableFromArrays } from "apache-arrow";
import { expect, test } from "vitest";
import { type Dataset, type WriteInput, writeBytes } from "../../../packages/published/src/index.js";
import { convert, write } from "../../../packages/published/src/node.js";
import { open, place } from "./opened.js";
import { BASE, SAMPLES } from "./samples.js";

const CELLS = ["a", "b", "c"];
const GENES = ["g0", "g1", "g2", "g3"];
const MORE_GENES = [...GENES, "g4"];

/** An AnnData of 3 cells and 4 genes, with a layer, an array along the cells and a raw matrix of 5 genes. */
async function anndata(extension = "h5ad"): Promise<string> {
  const path = place(extension);
  const { tables: layers } = SAMPLES["layers/*"];
  const { tables: arrays } = SAMPLES["obsm/*, varm/*: arrays"];
  await write(path, {
    ...BASE,
    ...layers,
    ...arrays,
    ...SAMPLES["raw/*"].tables,
    obs: tableFromArrays({ _index: CELLS, depth: Int32Array.of(3, 2, 1) }),
  });
  return path;
}

async function namesOf(data: Dataset, table: string): Promise<unknown[]> {
  const frame = await data.table(table).read();
  expect(frame.numCols, table).toBe(1);
  return [...(frame.getChildAt(0) ?? [])];
}

const TARGETS = [
  ["h5ad", "obs", "var"],
  ["zarr", "obs", "var"],
  ["zarr.zip", "obs", "var"],
  ["loom", "col_attrs", "row_attrs"],
  ["bpcells", "col_names", "row_names"],
  ["mat", "obs", "var"],
] as const;

test.each(TARGETS)("from AnnData to .%s, one matrix with its names", async (extension, cells, genes) => {
  const from = await anndata();
  for (const name of ["X", "layers/counts"]) {
    const output = place(extension);
    expect((await convert(from, output, { tables: [name] })).warnings).toEqual([]);
    const data = await open(output);
    expect(await namesOf(data, cells)).toEqual(CELLS);
    expect(await namesOf(data, genes)).toEqual(GENES);
  }
});

test("from each format to itself", async () => {
  const from = await anndata();
  for (const [extension, cells, genes] of TARGETS) {
    const own = place(extension);
    await convert(from, own, { tables: ["X", "obs"], lossy: true });
    const matrix = extension === "loom" || extension === "bpcells" ? "matrix" : "X";
    const output = place(extension);
    expect((await convert(own, output, { tables: [matrix] })).warnings, extension).toEqual([]);
    const data = await open(output);
    expect(await namesOf(data, cells), extension).toEqual(CELLS);
    expect(await namesOf(data, genes), extension).toEqual(GENES);
  }
});

test("along an axis of which nothing is chosen, too", async () => {
  const from = await anndata();
  for (const tables of [["obs"], ["obs", "X"], ["obsm/X_pca"], ["raw/X"]]) {
    const output = place("h5ad");
    expect((await convert(from, output, { tables })).warnings).toEqual([]);
    const data = await open(output);
    expect(data.shape).toEqual([3, 4]);
    expect([...((await data.table("obs").read()).getChild("_index") ?? [])]).toEqual(CELLS);
    expect(data.table("obs").schema.fields.length).toBe(tables[0] === "obs" ? 2 : 1);
    expect(await namesOf(data, "var")).toEqual(GENES);
    if (tables.includes("raw/X")) expect(await namesOf(data, "raw/var")).toEqual(MORE_GENES);
  }
});

test("from a directory of tables", async () => {
  const [directory, output] = [place("tables"), place("h5ad")];
  await convert(await anndata(), directory, { format: "parquet" });
  expect((await convert(directory, output, { tables: ["X"] })).warnings).toEqual([]);
  const data = await open(output);
  expect(await namesOf(data, "obs")).toEqual(CELLS);
  expect(await namesOf(data, "var")).toEqual(GENES);
});

test("of a modality", async () => {
  const [mudata, modality, alone] = [place("h5mu"), place("h5mu"), place("h5ad")];
  const tables = Object.entries(BASE).map(([name, table]) => [`mod/rna/${name}`, table] as const);
  await write(mudata, new Map([...tables, ["obs", tableFromArrays({ _index: CELLS })]]));
  for (const chosen of ["mod/rna/X", "mod/rna/obs"]) {
    expect((await convert(mudata, modality, { tables: [chosen], overwrite: true })).warnings).toEqual([]);
    const data = await open(modality);
    expect(await namesOf(data, "mod/rna/obs")).toEqual(CELLS);
    expect(await namesOf(data, "mod/rna/var")).toEqual(GENES);
  }
  const { warnings } = await write(alone, { X: (await open(mudata)).table("mod/rna/X") });
  expect(warnings).toEqual([]);
  expect(await namesOf(await open(alone), "var")).toEqual(GENES);
});

test.each(TARGETS)(
  "tables that are written by name to .%s know where they come from",
  async (extension, cells, genes) => {
    const data = await open(await anndata());
    const output = place(extension);
    expect((await write(output, { X: data.table("X") })).warnings).toEqual([]);
    const written = await open(output);
    expect(await namesOf(written, cells)).toEqual(CELLS);
    expect(await namesOf(written, genes)).toEqual(GENES);
  },
);

test("under another name, in another layout, as bytes: by the places of rows and columns", async () => {
  const data = await open(await anndata());
  const dense = await data.table("layers/counts").layout("dense");
  for (const [table, genes] of [
    [data.table("raw/X"), MORE_GENES],
    [dense, GENES],
  ] as const) {
    const written = await open(await writeBytes("h5ad", { X: table }));
    expect(await namesOf(written, "obs")).toEqual(CELLS);
    expect(await namesOf(written, "var")).toEqual(genes);
  }
  const loom = place("loom");
  await convert(await anndata(), loom, { tables: ["X"] });
  // Under a name of AnnData its rows, the genes, are observations.
  const turned = await open(await writeBytes("h5ad", { X: (await open(loom)).table("matrix") }));
  expect(await namesOf(turned, "obs")).toEqual(GENES);
  expect(await namesOf(turned, "var")).toEqual(CELLS);
});

test("a frame that is given decides", async () => {
  const data = await open(await anndata());
  const obs = tableFromArrays({ _index: ["x", "y", "z"] });
  const written = await open(await writeBytes("h5ad", { X: data.table("X"), obs }));
  expect(await namesOf(written, "obs")).toEqual(["x", "y", "z"]);
  expect(await namesOf(written, "var")).toEqual(GENES);
});

/** What the index of a frame is, and all warnings, where tables have no names. */
const inMemory = (table: Table) => write(place("h5ad"), { X: table }, { shape: [3, 4] });

test("where there are no names, it is said", async () => {
  const data = await open(await anndata());
  const expected = [
    expect.stringMatching(/^obs: nothing names the 3 rows/),
    expect.stringMatching(/^var: nothing names the 4 rows/),
  ];
  expect((await inMemory(BASE.X)).warnings).toEqual(expected);
  expect((await inMemory(await data.table("X").read())).warnings).toEqual(expected);
  const bpcells = place("bpcells");
  await write(bpcells, { matrix: BASE.X }, { shape: [3, 4] });
  expect((await convert(bpcells, place("h5ad"))).warnings).toEqual([
    expect.stringMatching(/^obs: nothing names the 4 rows/),
    expect.stringMatching(/^var: nothing names the 3 rows/),
  ]);
});

test("two datasets with the same names go together, with others not", async () => {
  const [one, same] = await Promise.all([open(await anndata()), open(await anndata("zarr"))]);
  const together = await open(await writeBytes("h5ad", { X: one.table("X"), "layers/b": same.table("X") }));
  expect(await namesOf(together, "obs")).toEqual(CELLS);

  const path = place("h5ad");
  await write(path, { ...BASE, obs: tableFromArrays({ _index: ["a", "c", "b"] }) });
  const other = await open(path);
  const pairs: readonly WriteInput[] = [
    { X: one.table("X"), "layers/b": other.table("X") },
    { X: one.table("X"), obs: other.table("obs") },
  ];
  for (const tables of pairs) {
    const error = String(await writeBytes("h5ad", tables).catch((problem: unknown) => problem));
    expect(error).toMatch(/obs: .*other names: position 1 is "[bc]" in .*, "[bc]" in .*; give obs as a table/);
    expect(error).toContain(one.source);
    expect(error).toContain(other.source);
  }
  const obs = await other.table("obs").read();
  const written = await open(await writeBytes("h5ad", { X: one.table("X"), "layers/b": other.table("X"), obs }));
  expect(await namesOf(written, "obs")).toEqual(["a", "c", "b"]);

  const longer = place("h5ad");
  await write(longer, { obs: tableFromArrays({ _index: [...CELLS, "d"] }), var: BASE.var });
  await expect(writeBytes("h5ad", { X: one.table("X"), obs: (await open(longer)).table("obs") })).rejects.toThrow(
    /position 3 is "d" in .*, nothing in |position 3 is nothing in .*, "d" in /,
  );
});
