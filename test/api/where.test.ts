import { join } from "node:path";
import { tableToIPC } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { type AxisSelector, slice, sql, where } from "../../packages/published/src/index.js";
import type { BatchOptions, DataTable, Layout } from "../../src/model/dataset.js";
import { open } from "../formats/conversion/opened.js";

const FILE = join("test/fixtures/data", "annotated/counts.h5ad");

/** Positions with repeats and out of order: both mean nothing. */
const ASKED = [5, 2, 2, 9];
const POSITIONS = [2, 5, 9];

test.each([
  ["obs", "row"],
  ["var", "col"],
] as const)("rows of %s are chosen by its axis", async (name, axis) => {
  const table = (await open(FILE)).table(name);
  const whole = await table.read();
  const some = await table.read({ where: { [axis]: ASKED } });
  expect(some.toArray().map(String)).toEqual(POSITIONS.map((position) => String(whole.get(position))));
  const none = await table.read({ where: { [axis]: [] } });
  expect([none.numRows, tableToIPC(none).length > 0]).toEqual([0, true]);
});

test.each(["list", "dense"] as const)("rows and columns of a matrix in the layout %s", async (layout: Layout) => {
  const table = await (await open(FILE)).table("X").layout(layout);
  const whole = await table.read();
  const rows = await table.read({ where: { row: ASKED } });
  expect(rows.toArray().map(String)).toEqual(POSITIONS.map((position) => String(whole.get(position))));
});

test("positions that an axis does not have, and tables without an axis, are errors", async () => {
  const data = await open(FILE);
  const rows = data.table("obs").rows ?? 0;
  await expect(data.table("obs").read({ where: { row: [rows] } })).rejects.toThrow(`row ${rows} was asked for`);
  const other = [...data.tables.values()].find(({ name, derived }) => name.startsWith("uns/") && !derived);
  if (other !== undefined)
    await expect(other.read({ where: { row: [0] } })).rejects.toThrow("positions can be selected");
});

/** The values of a matrix by position, from any layout. */
async function cells(table: DataTable, read: Parameters<DataTable["read"]>[0] = {}) {
  const coordinates = await table.layout("coordinate");
  const rows = (await coordinates.read(read)).toArray();
  return new Map(rows.map(({ row, col, value }) => [`${row} ${col}`, value]));
}

/** Rows and columns in the order in which they lie. */
const ROWS = [1, 6, 7];
const COLS = [0, 3, 4];

describe.each(["X", "layers/csc", "layers/dense", "raw/X", "obsm/X_pca"])("%s by both axes", (name) => {
  const chosen = { row: [7, 1, 6, 1], col: name === "obsm/X_pca" ? [1] : [4, 0, 3] };
  const cols = name === "obsm/X_pca" ? [1] : COLS;

  test("entries and lists keep their positions", async () => {
    const table = (await open(FILE)).table(name);
    const whole = await cells(table);
    const expected = [...whole].filter(([at]) => {
      const [row, col] = at.split(" ").map(Number);
      return ROWS.includes(row) && cols.includes(col);
    });
    expect(new Map(await cells(table, { where: chosen }))).toEqual(new Map(expected));
    if (!table.layouts.includes("list")) return;
    const lists = await table.layout("list");
    const byRows = lists.metadata.order !== "column";
    const found = (await lists.read({ where: chosen })).getChildAt(0)?.toJSON() ?? [];
    expect(found.length).toBe((byRows ? ROWS : COLS).length);
    const entries = found.flatMap((list, i) => {
      const major = (byRows ? ROWS : COLS)[i];
      return [...list].map(({ index, value }) => [byRows ? `${major} ${index}` : `${index} ${major}`, value] as const);
    });
    expect(new Map(entries)).toEqual(new Map(expected));
  });

  test("dense rows have the chosen columns", async () => {
    const table = await (await open(FILE)).table(name).layout("dense");
    const whole = (await table.read()).getChildAt(0)?.toJSON() ?? [];
    const some = (await table.read({ where: chosen })).getChildAt(0)?.toJSON() ?? [];
    expect(some.map((row) => [...row])).toEqual(ROWS.map((row) => cols.map((col) => [...whole[row]][col])));
    if (!table.layouts.includes("columns")) return;
    const columns = await table.layout("columns");
    const all = await columns.read();
    const names = all.schema.fields.map((field) => field.name);
    const part = await columns.read({ where: chosen });
    expect(part.schema.fields.map((field) => field.name)).toEqual(cols.map((col) => names[col]));
    expect(part.toArray().map(String)).toEqual(
      (await columns.read({ where: { row: ROWS }, columns: cols.map((col) => names[col]) })).toArray().map(String),
    );
  });
});

test("pairs lie along one axis twice, in every layout", async () => {
  const data = await open("test/fixtures/data/anndata/modern.h5ad");
  const [rows = 0] = data.shape ?? [];
  const names = (await data.obsNames()) ?? [];
  for (const [name, axis] of [...data.tables].flatMap(([name]) => {
    const [, group] = /^(obs|var)p\//.exec(name) ?? [];
    return group === undefined ? [] : [[name, group] as const];
  })) {
    const own = axis === "obs" ? names : ((await data.varNames()) ?? []);
    const [first, last] = [0, own.length - 1];
    const table = data.table(name);
    const whole = await cells(table);
    const part = await cells(table, { where: { row: [own[last]], col: [own[first], own[last]] } });
    expect(part).toEqual(new Map([...whole].filter(([at]) => [`${last} ${first}`, `${last} ${last}`].includes(at))));
    const dense = await (await table.layout("dense")).read({ where: { row: [own[last]], col: [own[first]] } });
    expect([...(dense.getChildAt(0)?.get(0) ?? [])].map(Number)).toEqual([Number(whole.get(`${last} ${first}`) ?? 0)]);
  }
  expect(rows).toBeGreaterThan(0);
});

describe("selectors", () => {
  test.each<[string, "obs" | "var", AxisSelector | Iterable<number>, readonly number[]]>([
    ["names", "obs", ["CELL 9", "CELL 2"], [2, 9]],
    ["a mask", "var", Array.from({ length: 45 }, (_, i) => i === 3 || i === 40), [3, 40]],
    ["a range", "var", slice(43), [43, 44]],
    ["a set", "obs", new Set([5, 4]), [4, 5]],
    ["a function", "obs", where(["depth"], (depth) => Number(depth) >= 0), Array.from({ length: 70 }, (_, i) => i)],
  ])("%s", async (_, axis, given, expected) => {
    const data = await open(FILE);
    const names = (await data.obsNames()) ?? [];
    const selector =
      Array.isArray(given) && typeof given[0] === "string"
        ? given.map((text) => names[Number(String(text).slice(5))])
        : given;
    const key = axis === "obs" ? "row" : "col";
    const [frame, X] = [data.table(axis), data.table("X")];
    const all = await frame.read();
    const some = await frame.read({ where: { [key]: selector } });
    expect(some.toArray().map(String)).toEqual(expected.map((position) => String(all.get(position))));
    expect(await cells(X, { where: { [key]: selector } })).toEqual(await cells(X, { where: { [key]: expected } }));
  });

  test("a condition in SQL", async () => {
    const data = await open(FILE);
    const depths = (await data.table("obs").read()).getChild("depth")?.toJSON() ?? [];
    const wanted = [...depths.entries()].flatMap(([row, depth]) => (Number(depth) > 1 ? [row] : []));
    const X = data.table("X");
    expect(await cells(X, { where: { row: sql`depth > 1` } })).toEqual(await cells(X, { where: { row: wanted } }));
  });

  test("names of the cells of a part, of raw, of a modality, and of Loom's and BPCells' own axes", async () => {
    const part = await (await open(FILE)).select({ obs: [9, 5, 2] });
    const [, second] = (await part.obsNames()) ?? [];
    expect([...(await cells(part.table("X"), { where: { row: [second] } })).keys()].every((at) => at[0] === "1")).toBe(
      true,
    );
    const raw = part.table("raw/X");
    const rawNames = (await part.table("raw/var").read()).getChildAt(0)?.toJSON() ?? [];
    expect(await cells(raw, { where: { col: [String(rawNames[48])] } })).toEqual(
      await cells(raw, { where: { col: [48] } }),
    );
    const mudata = await open("test/fixtures/data/mudata/axis0.h5mu");
    const matrices = [...mudata.tables.keys()].filter((name) => /^mod\/[^/]+\/X$/.test(name));
    for (const name of matrices) {
      const frame = await mudata.table(name.replace(/X$/, "var")).read();
      const [X, last] = [mudata.table(name), frame.numRows - 1];
      const gene = String(frame.getChildAt(0)?.get(last));
      expect(await cells(X, { where: { col: [gene] } })).toEqual(await cells(X, { where: { col: [last] } }));
    }
    expect(matrices.length).toBeGreaterThan(0);
    const loom = await open("test/fixtures/data/loom/loompy.loom");
    const [cell] = (await loom.obsNames()) ?? [];
    const matrix = loom.table("matrix");
    expect(await cells(matrix, { where: { col: [cell] } })).toEqual(await cells(matrix, { where: { col: [0] } }));
  });

  test.each<[string, string, NonNullable<BatchOptions["where"]>, RegExp]>([
    ["a name", "X", { col: ["gen1"] }, /var has no "gen1" \(did you mean/],
    ["a mask", "X", { row: [true] }, /a mask of 1 values for obs, which has 70/],
    ["names of columns", "obsm/X_pca", { col: ["PC1"] }, /no names and columns describe positions by col/],
    ["names of an array", "uns/seed", { row: ["a"] }, /no names and columns describe positions by row/],
    ["columns of a dataframe", "obs", { col: [0] }, /the rows of this table are chosen by row, and nothing by col/],
    ["rows of var", "var", { row: [0] }, /the rows of this table are chosen by col, and nothing by row/],
  ])("%s that is not there is an error", async (_, name, chosen, message) => {
    const table = (await open(FILE)).table(name);
    await expect(table.read({ where: chosen })).rejects.toThrow(message);
  });
});
