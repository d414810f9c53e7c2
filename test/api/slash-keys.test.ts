/** Elements whose keys contain `/`, which anndata up to 0.12 stores nested: parts of them are what anndata takes. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Dataset, type DataTable, sql } from "../../packages/published/src/index.js";
import { split } from "../../packages/published/src/node.js";
import { findElementsOffAxes } from "../../src/selection/part-of-dataset.js";
import { folder, open } from "../formats/conversion/opened.js";

const DATA = "test/fixtures/data/slash-keys";
const EXPECTED = JSON.parse(readFileSync(join(DATA, "expected.json"), "utf8"));

/** The values of each element, as lists of rows. */
async function valuesOf(data: Dataset): Promise<Record<string, Plain>> {
  const found: Record<string, Plain> = {};
  for (const [name, table] of data.tables) {
    if (!table.derived && /(^|\/)(X|(layers|obsm|varm|obsp|varp|uns)\/.+)$/.test(name))
      found[name] = await rowsOf(table);
  }
  return found;
}

async function rowsOf(table: DataTable): Promise<Plain[]> {
  const { shape, kind } = table.metadata;
  const rows = [...(await table.read())].map((row) => Object.values(row.toJSON()).map(plainValue));
  if (kind === "dataframe") return rows.map(([, ...values]) => values);
  if (kind === "array") return rows.map(([value]) => value);
  const dense: number[][] = Array.from({ length: shape?.[0] ?? 0 }, () => new Array<number>(shape?.[1] ?? 0).fill(0));
  for (const [row, col, value] of rows) dense[Number(row)][Number(col)] = Number(value);
  return dense;
}

type Plain = string | number | Plain[];

/** Numbers, texts and lists of them, as JSON has them. */
function plainValue(value: unknown): Plain {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value !== null && Symbol.iterator in value) {
    return Array.from(value as Iterable<unknown>, plainValue);
  }
  return Number(value);
}

test("a part has the positions of every element, however deep it is stored", async () => {
  const data = await open(join(DATA, "keys.h5ad"));
  const part = await data.select({ obs: EXPECTED.obs, var: EXPECTED.var });
  expect(part.failures.size).toBe(0);
  expect(await valuesOf(part)).toMatchObject(EXPECTED["keys.h5ad"]);
});

test("a part by a condition follows in the modalities of a MuData", async () => {
  const data = await open(join(DATA, "keys.h5mu"));
  const part = await data.select({ obs: ["rc3", "rc2"] });
  expect(await valuesOf(part)).toMatchObject(EXPECTED["keys.h5mu"]);
});

test("a split has the rows of each output", async () => {
  const out = join(folder(), "split-slash");
  const data = await open(join(DATA, "keys.h5ad"));
  const { parts } = await split(data, out, { rows: 2 });
  expect(parts.map(({ count }) => count)).toEqual([2, 2]);
  const second = await open(join(out, parts[1].file));
  const whole = await data.select({ obs: [2, 3] });
  for (const name of ["layers/a/b", "layers/a/c/d", "obsm/X/umap", "obsm/frames/df", "obsp/knn/d"])
    expect([name, await rowsOf(second.table(name))]).toEqual([name, await rowsOf(whole.table(name))]);
  expect(await rowsOf(second.table("obsm/X/umap"))).toEqual([
    [5, 6],
    [8, 9],
  ]);
});

test("a layer has its genes, and can be the main matrix", async () => {
  const data = await open(join(DATA, "keys.h5ad"));
  expect([...(await data.gene("g1", { layer: "a/b" }))].map(Number)).toEqual([10, 40, 70, 100]);
  const main = await data.select({ X: "layers/a/b" });
  expect([...(await main.gene("g1"))].map(Number)).toEqual([10, 40, 70, 100]);
  const chosen = await data.table("layers/a/b").read({ where: { row: sql`a = 1`, col: ["g2"] } });
  expect([...chosen].map((row) => Number(row.value))).toEqual([50]);
});

test("an element that is longer than the axes of its part is an error that names it", async () => {
  const data = await open(join(DATA, "keys.h5ad"));
  const axes = (name: string) =>
    data.table(name).metadata.kind === "dataframe" ? (["obs", null] as const) : (["obs", "var"] as const);
  const wanted = ["X", "layers/a/c/d", "obs"];
  const tables = new Map(wanted.map((name) => [name, data.table(name)]));
  const beyond = (obs: number, vars: number) =>
    findElementsOffAxes(tables, {
      chosen: new Map([
        ["obs", new Int32Array(obs)],
        ["var", new Int32Array(vars)],
      ]),
      axesOf: axes,
    });
  expect([...beyond(4, 3).keys()]).toEqual([]);
  expect([...beyond(2, 3)].map(([, error]) => error.message)).toEqual([
    "X: 4 rows, where the part has 2 positions of obs: it was not cut to them",
    "layers/a/c/d: 4 rows, where the part has 2 positions of obs: it was not cut to them",
    "obs: 4 rows, where the part has 2 positions of obs: it was not cut to them",
  ]);
  expect([...beyond(5, 2).keys()]).toEqual(["X", "layers/a/c/d"]);
});
