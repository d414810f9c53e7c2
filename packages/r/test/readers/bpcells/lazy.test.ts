import { expect, test } from "vitest";
import { open } from "../../../../../src/api/open.node.js";
import { contents, expectedObjects, fragmentRows, inside, OBJECTS } from "./objects.js";

const lazy = Object.keys(expectedObjects);

test.each(lazy)("%s holds what R gives for the same operation on a dense matrix", async (name) => {
  const data = await open(`${OBJECTS}/${name}.rds`);
  const expected = expectedObjects[name];
  // R has no names for an axis without positions.
  const named = (names: readonly string[] | null) => (names?.length === 0 || names?.[0] === "" ? null : names);
  const found = await contents(data);
  expect(found).toEqual({ ...expected, row_names: named(expected.row_names), col_names: named(expected.col_names) });
  expect(data.shape).toEqual(expected.shape);
  expect([...data.failures.keys()]).toEqual([]);
  await data.close();
});

test.each(["subset-both", "subset-transposed", "nested", "many-bound"])(
  "%s in parts, as lists, and selected",
  async (name) => {
    const data = await open(`${OBJECTS}/${name}.rds`);
    const expected = expectedObjects[name];
    const matrix = data.table("matrix");
    const rows: number[] = [];
    for await (const batch of matrix.batches({ batchBytes: 40 }))
      rows.push(...Array.from(batch.getChild("row") ?? [], Number));
    expect(rows).toEqual(expected.row);
    const some = await matrix.read({ rows: [3, 7], columns: ["value"] });
    expect(Array.from(some.getChild("value") ?? [], Number)).toEqual(expected.value.slice(3, 7));
    const lists = await (await matrix.layout("list")).read();
    expect(lists.numRows).toBe(expected.shape[expected.order === "row" ? 0 : 1]);
    const where = await matrix.read({ where: { row: [1] } });
    expect(Array.from(where.getChild("value") ?? [], Number)).toEqual(
      expected.value.filter((_, i) => expected.row[i] === 1),
    );
    await data.close();
  },
);

test.each([
  ["converted", "UnsupportedError", /ConvertMatrixType, from unpacked-uint-matrix-v2 to double/],
  ["transformed", "UnsupportedError", /lazy operation TransformLog1p/],
  ["shift", "UnsupportedError", /lazy operation ShiftFragments/],
  ["fragments-tsv", "UnsupportedError", /open "\/data\/fragments.tsv.gz" itself/],
  ["types-mixed", "UnsupportedError", /different types/],
  ["selected-outside", "InvalidDataError", /row_selection\[2\] is 10, there are 1 … 9/],
  ["lengths-differ", "InvalidDataError", /7 and 3 positions/],
  ["nothing-bound", "InvalidDataError", /empty list/],
  ["deep", "UnsupportedError", /more than 256 deep/],
  ["h5-10x", "UnsupportedError", /Cell Ranger \(10x\)/],
])("%s is a named error", async (name, tag, message) => {
  const opening = open(`${OBJECTS}/${name}.rds`);
  await expect(opening).rejects.toMatchObject({ tag, message: expect.stringMatching(message) });
});

test.each([
  ["anndata-csr", "column"],
  ["anndata-csc", "row"],
])("%s: a matrix of AnnData, features x cells", async (name, order) => {
  const data = await open(`${OBJECTS}/${name}.rds`);
  const { row_names, col_names, ...found } = await contents(data);
  const { row, col, value, shape } = inside["features x cells"];
  const byRow = row.map((at, i) => [at, col[i], value[i]]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const byColumn = row.map((at, i) => [at, col[i], value[i]]).sort((a, b) => a[1] - b[1] || a[0] - b[0]);
  expect(found).toMatchObject({ shape, order });
  expect(found.row.map((at, i) => [at, found.col[i], found.value[i]])).toEqual(order === "row" ? byRow : byColumn);
  await data.close();
});

test("a dense matrix of AnnData is a named error", async () => {
  await expect(open(`${OBJECTS}/anndata-dense.rds`)).rejects.toMatchObject({ tag: "UnsupportedError" });
});

test.each([
  // Chromosomes come in the order of the selection.
  ["chr-index", ["chr2 20 25 x", "chr2 21 30 y", "chr1 5 15 z", "chr1 5 8 y", "chr1 9 12 x"]],
  ["chr-name", ["chr2 20 25 x", "chr2 21 30 y"]],
  ["cell-index", ["chr2 20 25 x", "chr2 21 30 y", "chr1 5 8 y", "chr1 9 12 x"]],
  ["cell-name", ["chr1 5 15 z"]],
  ["chr-rename", ["2 20 25 x", "2 21 30 y", "1 5 15 z", "1 5 8 y", "1 9 12 x"]],
  ["cell-prefix", ["chr2 20 25 s_p", "chr2 21 30 s_q", "chr1 5 15 s_r", "chr1 5 8 s_q", "chr1 9 12 s_p"]],
  ["cell-merge", ["chr2 20 25 v", "chr2 21 30 u", "chr1 5 15 v", "chr1 5 8 u", "chr1 9 12 v"]],
])("fragments: %s", async (name, expected) => {
  const data = await open(`${OBJECTS}/${name}.rds`);
  expect(await fragmentRows(data)).toEqual(expected);
  await data.close();
});
