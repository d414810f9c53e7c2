/** `--compression keep` of datasets that are put together: their chunks stay where they lie on the grid of the result. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Field, FixedSizeList, Float32, makeData, Table, tableFromArrays, Vector } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { concat, type Dataset, open, slice, write } from "../../packages/published/src/node.js";
import type { StoredArray } from "../../src/containers/tree/container.js";
import { listPlanArrays } from "../../src/jobs/plan/plan.js";
import { findStoredRows } from "../../src/tables/column-table.js";
import { toColumnTable } from "../../src/tables/given/table-forms.js";
import { chunksOf } from "../stored-chunks.js";

let folder: string;
const at = (name: string) => join(folder, name);

const ROWS = 6;
const GENES = ["g0", "g1", "g2"];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-keep-concat-"));
  // The arrays of a small matrix are one chunk each, and end with it: the next input begins on the grid.
  await write(at("in.zarr"), tables(GENES), { compression: "gzip" });
  await write(at("in.h5ad"), tables(GENES), { compression: "gzip", level: 1 });
  await write(at("other.zarr"), tables(["g2", "g1", "g0"]));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Two entries in each row of X, and a dense matrix. */
function tables(genes: readonly string[]) {
  const row = Int32Array.from({ length: 2 * ROWS }, (_, i) => i >> 1);
  const col = Int32Array.from(row, (_, i) => 2 * (i & 1));
  const value = Float32Array.from(row, (_, i) => i + 1);
  const obs = tableFromArrays({ _index: Array.from({ length: ROWS }, (_, i) => `c${i}`) });
  const list = new FixedSizeList(2, new Field("item", new Float32(), false));
  const x = new Table({
    x: new Vector([
      makeData({ type: list, length: ROWS, child: makeData({ type: new Float32(), data: value.slice() }) }),
    ]),
  });
  return { X: tableFromArrays({ row, col, value }), obs, var: tableFromArrays({ _index: [...genes] }), "obsm/x": x };
}

/** The stored arrays in chunks: `data` and `indices` of X, and in Zarr the dense matrix. */
async function chunked(data: Dataset): Promise<readonly StoredArray[]> {
  const found: StoredArray[] = [];
  for (const name of ["X", "obsm/x"]) {
    const rows = findStoredRows(await toColumnTable(data.table(name)));
    if (rows === null) throw new TypeError(`${name} is stored`);
    found.push(...listPlanArrays(rows).filter(({ path }) => !path.endsWith("indptr")));
  }
  return found.filter(({ capabilities }) => capabilities?.storedChunks !== undefined);
}

async function expectSameChunks(input: string, output: string, times: number): Promise<void> {
  const [one, all] = [await open(at(input)), await open(at(output))];
  const [before, after] = [await chunked(one), await chunked(all)];
  expect(before.length).toBe(input.endsWith(".zarr") ? 3 : 2);
  for (const [i, array] of after.slice(0, before.length).entries()) {
    expect(array.path).toBe(before[i].path);
    const [[own], copies] = [[...(await chunksOf(before[i])).values()], await chunksOf(array)];
    expect([...copies.keys()], array.path).toEqual(Array.from({ length: times }, (_, k) => k));
    for (const copy of copies.values()) expect(copy.equals(own), array.path).toBe(true);
  }
  await one.close();
  await all.close();
}

async function expectCopies(output: string, times: number): Promise<void> {
  const data = await open(at(output));
  const entries = await data.table("X").read();
  expect(entries.getChild("row")?.toArray()).toEqual(Int32Array.from({ length: 2 * ROWS * times }, (_, i) => i >> 1));
  expect(entries.getChild("value")?.toArray()).toEqual(
    Float32Array.from({ length: 2 * ROWS * times }, (_, i) => (i % (2 * ROWS)) + 1),
  );
  await data.close();
}

/** The warnings of a write, but for the one of names that inputs share: here, one file is given several times. */
async function writtenWarnings(output: string, data: Dataset): Promise<readonly string[]> {
  const { warnings } = await write(at(output), data, { compression: "keep" });
  return warnings.filter((warning) => !warning.includes("--index-unique"));
}

describe.each([
  ["in.h5ad", "h5ad", [2, 65]],
  ["in.zarr", "zarr", [5]],
] as const)("inputs like %s", (input, format, counts) => {
  test.each(counts)("%d of them keep their chunks", async (count) => {
    const output = `all-${count}.${format}`;
    const all = await concat(Array<string>(count).fill(at(input)));
    const warnings = await writtenWarnings(output, all);
    await all.close();
    expect(warnings).toEqual([]);
    await expectSameChunks(input, output, count);
    await expectCopies(output, count);
  });

  test("the first cells of the result keep their chunks", async () => {
    const all = await concat(Array<string>(5).fill(at(input)));
    const part = await all.select({ obs: slice(0, 3 * ROWS) });
    const warnings = await writtenWarnings(`part.${format}`, part);
    await all.close();
    expect(warnings).toEqual([]);
    await expectSameChunks(input, `part.${format}`, 3);
    await expectCopies(`part.${format}`, 3);
  });

  test("cells that end within a chunk keep the chunks in front of it", async () => {
    const all = await concat(Array<string>(5).fill(at(input)));
    const part = await all.select({ obs: slice(0, 3 * ROWS + 1) });
    await write(at(`short.${format}`), part, { compression: "keep" });
    await all.close();
    const copy = await open(at(`short.${format}`));
    expect(copy.shape).toEqual([3 * ROWS + 1, 3]);
    const own = await open(at(input));
    for (const [i, array] of (await chunked(copy)).entries()) {
      const [[first], kept] = [[...(await chunksOf((await chunked(own))[i])).values()], await chunksOf(array)];
      expect([0, 1, 2, 3].map((place) => kept.get(place)?.equals(first))).toEqual([true, true, true, false]);
    }
    const value = (await copy.table("X").read()).getChild("value")?.toArray();
    expect(value).toEqual(Float32Array.from({ length: 6 * ROWS + 2 }, (_, i) => (i % (2 * ROWS)) + 1));
    await own.close();
    await copy.close();
  });
});

test("a part of parts, which lie on the grid, keeps their chunks", async () => {
  const data = await open(at("in.zarr"));
  const first = await data.select({ obs: slice(0, ROWS) });
  const all = await concat({ a: first, b: data, c: at("in.zarr") });
  const warnings = await writtenWarnings("parts.zarr", all);
  expect(warnings).toEqual([]);
  await expectSameChunks("in.zarr", "parts.zarr", 3);
  await all.close();
  await data.close();
});

describe("matrices whose chunks cannot stay are listed", () => {
  const listed = (reason: string) =>
    ["X", "obsm/x"].map((name) => `${name}: no stored chunk can be kept, since ${reason}; all are encoded anew`);
  const inputs =
    "the inputs differ in columns, types, storage order or chunks, or few of their chunks begin where one of the result does";
  const part = "the chunks have rows that were not chosen";

  test("genes in another order", async () => {
    const all = await concat([at("in.zarr"), at("other.zarr")]);
    const warnings = await writtenWarnings("order.zarr", all);
    await all.close();
    expect(warnings).toEqual(listed(inputs).slice(0, 1));
  });

  test("chunks that begin elsewhere", async () => {
    const data = await open(at("in.zarr"));
    const all = await concat([await data.select({ obs: slice(0, 1) }), data]);
    const warnings = await writtenWarnings("shifted.zarr", all);
    expect(warnings).toEqual(listed(inputs));
    await all.close();
    await data.close();
  });

  test.each([
    ["cells in another order", { obs: [7, 2] }, listed(part)],
    ["cells behind the first one of X", { obs: slice(ROWS, 3 * ROWS) }, listed(part).slice(0, 1)],
    ["some genes", { var: ["g1"] }, listed(part).slice(0, 1)],
  ])("%s", async (name, choice, expected) => {
    const all = await concat([at("in.zarr"), at("in.zarr"), at("in.zarr")]);
    const warnings = await writtenWarnings(`${name}.zarr`, await all.select(choice));
    await all.close();
    expect(warnings).toEqual(expected);
  });
});

test("an input that changes between two passes is an error", async () => {
  const inputs = [...Array<string>(64).fill(at("in.h5ad")), at("changes.h5ad")];
  await write(at("changes.h5ad"), tables(GENES), { compression: "gzip", level: 1 });
  const all = await concat(inputs);
  await write(at("changes.h5ad"), tables(GENES), { compression: "gzip", level: 9, overwrite: true });
  await expect(write(at("changed.h5ad"), all, { compression: "keep" })).rejects.toMatchObject({
    code: "source-changed",
  });
  await all.close();
});
