/** Parts of tables in files of their own, and of datasets that are put together. */

import { describe, expect, test } from "vitest";
import { type Dataset, type Selection, slice, UnsupportedError, where } from "../../packages/published/src/index.js";
import { concat, convert, split, write } from "../../packages/published/src/node.js";
import { open, place } from "../formats/conversion/opened.js";
import { contentsOf } from "./part-contents.js";

const DATA = "test/fixtures/data";

/** A dataset as a folder of tables. */
async function asTables(path: string, format: "parquet" | "arrow"): Promise<Dataset> {
  const directory = place("tables");
  await convert(path, directory, { format });
  return open(directory);
}

/** A part has what the part of the stored dataset has, which other tests hold against anndata. */
async function expectSame(part: Dataset, expected: Dataset): Promise<void> {
  expect([...part.failures.keys()]).toEqual([...expected.failures.keys()]);
  expect(part.shape).toEqual(expected.shape);
  const [own, stored] = [await contentsOf(part), await contentsOf(expected)];
  for (const [name, { kind, rows }] of Object.entries(stored)) {
    expect({ name, kind: own[name]?.kind, rows: own[name]?.rows }).toEqual({ name, kind, rows });
  }
}

describe.each([
  ["anndata/modern.h5ad", "parquet", [7, 5]],
  ["anndata/modern.h5ad", "arrow", [7, 5]],
  ["annotated/counts.h5ad", "parquet", [70, 45]],
  ["loom/loompy.loom", "parquet", [9, 70]],
] as const)("%s as %s", (path, format, [obs, vars]) => {
  const choices: [string, Selection][] = [
    ["with repeats", { obs: [obs - 1, 0, obs - 1], var: [1, 0, vars - 1] }],
    ["reversed", { obs: Array.from({ length: obs }, (_, i) => obs - 1 - i) }],
    ["in a range", { obs: slice(1, 3), var: slice(1, 4) }],
    ["none", { obs: [], var: [] }],
  ];

  test("parts are the parts of the stored dataset, and are written like them", async () => {
    const [tables, stored] = [await asTables(`${DATA}/${path}`, format), await open(`${DATA}/${path}`)];
    for (const [, chosen] of choices) await expectSame(await tables.select(chosen), await stored.select(chosen));
    const [extension] = path.split(".").slice(-1);
    const [[, chosen]] = choices;
    const [one, other, again] = [place(extension), place(extension), place("tables")];
    const part = await tables.select(chosen);
    await write(one, part);
    await write(other, await stored.select(chosen));
    await expectSame(await open(one), await open(other));
    await write(again, part, { format: "arrow" });
    await expectSame(await open(again), await stored.select(chosen));
  });
});

describe("a folder of tables", () => {
  test("names, conditions, genes and groups are its columns'", async () => {
    const path = `${DATA}/annotated/counts.h5ad`;
    const [tables, stored] = [await asTables(path, "parquet"), await open(path)];
    const some = (await stored.obsNames())?.slice(3, 6) ?? [];
    await expectSame(await tables.select({ obs: some }), await stored.select({ obs: some }));
    const chosen = { var: where([], () => true), obs: [4, 2] };
    const part = await tables.select(chosen);
    await expectSame(await part.select({ obs: [1] }), await stored.select({ obs: [2] }));
    expect(await part.gene("gene1")).toEqual(await (await stored.select(chosen)).gene("gene1"));
    const { parts } = await split(tables, place("parts"), { rows: 40 });
    expect(parts.map(({ count }) => count)).toEqual([40, 30]);
  });

  test("the values of a column split it like the stored dataset", async () => {
    const path = "examples/pbmc.h5ad";
    const chosen = { obs: slice(0, 60), var: slice(0, 20) };
    const few = await (await open(path)).select(chosen);
    const directory = place("tables");
    await write(directory, few, { format: "parquet" });
    const [one, other] = [place("parts"), place("parts")];
    const found = await split(await open(directory), one, { by: "cell_type" });
    expect(found.parts).toEqual((await split(few, other, { by: "cell_type" })).parts);
    const [{ file }] = found.parts;
    await expectSame(await open(`${one}/${file}`), await open(`${other}/${file}`));
  });

  test("what it cannot choose is an error with a way out", async () => {
    const tables = await asTables(`${DATA}/annotated/counts.h5ad`, "arrow");
    await expect(tables.select({ obs: [0], dropUnused: true })).rejects.toThrow(UnsupportedError);
    const modalities = await asTables(`${DATA}/mudata/axis0.h5mu`, "arrow");
    await expect(modalities.select({ obs: [0] })).rejects.toThrow(/write them as \.h5mu first/);
  });
});

test("a result of concat has the parts of the file that it becomes", async () => {
  const path = `${DATA}/annotated/counts.h5ad`;
  const all = await concat({ a: path, b: path }, { label: "sample", indexUnique: "-" });
  const file = place("h5ad");
  await write(file, all);
  const stored = await open(file);
  for (const chosen of [{ obs: [139, 3, 75, 3], var: [4, 0] }, { obs: slice(60, 80) }]) {
    const [one, other] = [place("h5ad"), place("h5ad")];
    await write(one, await all.select(chosen));
    await write(other, await stored.select(chosen));
    await expectSame(await open(one), await open(other));
  }
  await all.close();
});
