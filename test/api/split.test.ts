/** Splits of datasets into folders of outputs. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Dictionary, Float64, Int32, Table, Utf8, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { type Dataset, InvalidInputError, NotFoundError } from "../../packages/published/src/index.js";
import { split, write } from "../../packages/published/src/node.js";
import { open, place } from "../formats/conversion/opened.js";
import { contentsOf } from "./part-contents.js";

const COUNTS = "test/fixtures/data/annotated/counts.h5ad";

/** A file of `values.length` cells with the column `key`, and cells × 3 entries. */
async function fileWith(values: readonly (string | null)[]): Promise<Dataset> {
  const path = place("h5ad");
  const cells = values.map((_, i) => i);
  const obs = new Table({
    _index: vectorFromArray(
      cells.map((cell) => `cell ${cell}`),
      new Utf8(),
    ),
    key: vectorFromArray(values, new Dictionary(new Utf8(), new Int32())),
    number: vectorFromArray(
      cells.map((cell) => cell / 2),
      new Float64(),
    ),
  });
  const places = cells.flatMap((cell) => [0, 1, 2].map((gene) => [cell, gene] as const));
  const X = new Table({
    row: vectorFromArray(
      places.map(([row]) => row),
      new Int32(),
    ),
    col: vectorFromArray(
      places.map(([, col]) => col),
      new Int32(),
    ),
    value: vectorFromArray(
      places.map(([row, col]) => row * 10 + col),
      new Float64(),
    ),
  });
  const variables = new Table({ _index: vectorFromArray(["a", "b", "c"], new Utf8()) });
  await write(path, { X, obs, var: variables }, { index: { obs: "_index", var: "_index" } });
  return open(path);
}

async function expectParts(data: Dataset, directory: string, positions: readonly (readonly number[])[], axis = "obs") {
  const { parts } = JSON.parse(readFileSync(join(directory, "split.json"), "utf8"));
  expect(parts.map(({ count }: { count: number }) => count)).toEqual(positions.map(({ length }) => length));
  for (const [i, { file }] of parts.entries()) {
    const part = await open(join(directory, file));
    const expected = await data.select({ [axis]: positions[i] });
    expect(await contentsOf(part)).toEqual(await contentsOf(expected));
  }
}

describe("a split by a column", () => {
  test("has one output for each value, in the order of the categories, and one for no value", async () => {
    const data = await fileWith(["b", "a", null, "b", "a", "b"]);
    const directory = place("split");
    const { parts, warnings } = await split(data, directory, { by: "key" });
    expect(warnings).toEqual([]);
    expect(parts).toEqual([
      { value: "b", file: "b.h5ad", count: 3 },
      { value: "a", file: "a.h5ad", count: 2 },
      { value: null, file: "no-value.h5ad", count: 1 },
    ]);
    expect(readdirSync(directory).sort()).toEqual(["a.h5ad", "b.h5ad", "no-value.h5ad", "split.json"]);
    expect(JSON.parse(readFileSync(join(directory, "split.json"), "utf8"))).toEqual({
      ...{ annarrow: 1, source: data.source },
      ...{ split: { axis: "obs", by: "key" }, parts },
    });
    await expectParts(data, directory, [[0, 3, 5], [1, 4], [2]]);
  });

  test("leaves positions that are together where they are", async () => {
    const data = await fileWith(["b", "b", "a", "a", "a"]);
    const directory = place("split");
    await split(data, directory, { by: "key" });
    await expectParts(data, directory, [
      [0, 1],
      [2, 3, 4],
    ]);
  });

  test("gives every value a file name of its own", async () => {
    const values = ["A", "a", "a/b", "..", "", "x".repeat(400), "nul", "größe", "no-value", null];
    const directory = place("split");
    const { parts } = await split(await fileWith(values), directory, { by: "key", format: "zarr" });
    expect(parts.map(({ value }) => value)).toEqual(values);
    expect(parts.map(({ file }) => file).with(5, "long")).toEqual([
      ...["A.zarr", "a~2.zarr", "a%2Fb.zarr", "%2E%2E.zarr", "%.zarr", "long"],
      ...["%6Eul.zarr", "gr%C3%B6%C3%9Fe.zarr", "no-value.zarr", "no-value~2.zarr"],
    ]);
    expect(readdirSync(directory).length).toBe(values.length + 1);
  });

  test.each(["obs", "var"] as const)("takes every element along %s of a large fixture", async (axis) => {
    const data = await open(COUNTS);
    const directory = place("split");
    const { parts } = await split(data, directory, { rows: 16, axis });
    const length = axis === "obs" ? 70 : 45;
    const starts = Array.from({ length: Math.ceil(length / 16) }, (_, i) => i * 16);
    expect(parts.map(({ file, start }) => [file, start])).toEqual(starts.map((at, i) => [`part-${i + 1}.h5ad`, at]));
    const ranges = starts.map((start) => Array.from({ length: Math.min(16, length - start) }, (_, i) => start + i));
    await expectParts(data, directory, ranges, axis);
  });

  test("replaces the parts of another split, and nothing else", async () => {
    const data = await fileWith(["b", "a"]);
    const directory = place("split");
    await split(data, directory, { by: "key", format: "parquet" });
    await expect(split(data, directory, { rows: 1 })).rejects.toThrow("exists already");
    await split(data, directory, { rows: 1, overwrite: true });
    expect(readdirSync(directory).sort()).toEqual(["part-1.h5ad", "part-2.h5ad", "split.json"]);
    writeFileSync(join(directory, "notes.txt"), "mine");
    await expect(split(data, directory, { rows: 1, overwrite: true })).rejects.toThrow('holds "notes.txt"');
    expect(existsSync(join(directory, "notes.txt"))).toBe(true);
  });
});

describe("a split that fails leaves nothing:", () => {
  const cases: readonly (readonly [string, Parameters<typeof split>[2], RegExp])[] = [
    ["a column that is not there", { by: "kez" }, /obs has no column "kez"; did you mean key/],
    ["no rule", {}, /by a column, or by rows/],
    ["two rules", { by: "key", rows: 2 }, /by a column, or by rows/],
    ["parts of no rows", { rows: 0 }, /parts of 0 rows/],
    ["a format that is not written", { by: "key", format: "xlsx" as "parquet" }, /cannot write the format "xlsx"/],
    ["an option of another format", { by: "key", zarrFormat: 3 }, /\.split: \.h5ad has no choice of a version of Zarr/],
    ["a table that is not there", { by: "key", tables: ["Y"] }, /no table "Y"/],
  ];
  test.each(cases)("%s", async (_, options, message) => {
    const data = await fileWith(["b", "a", "b"]);
    const directory = place("split");
    await expect(split(data, directory, options)).rejects.toThrow(message);
    expect(existsSync(directory)).toBe(false);
    expect(readdirSync(dirname(directory)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("more than 10,000 outputs", async () => {
    const data = await fileWith(Array.from({ length: 10_001 }, () => "a"));
    await expect(split(data, place("split"), { by: "number" })).rejects.toThrow("at most 10000");
    await expect(split(data, place("split"), { rows: 1 })).rejects.toThrow(InvalidInputError);
  });

  test("an error of an output, under the folder's own name", async () => {
    const data = await fileWith(["b", "a", "b"]);
    const directory = place("split");
    const failed = split(data, directory, { by: "key", format: "bpcells" });
    await expect(failed).rejects.toThrow(`${join(directory, "b.bpcells")}: `);
    expect(existsSync(directory)).toBe(false);
  });

  test("a signal", async () => {
    const data = await fileWith(["b", "a", "b"]);
    const directory = place("split");
    const abort = new AbortController();
    const stopped = split(data, directory, {
      by: "key",
      signal: abort.signal,
      onProgress: () => abort.abort(new Error("stop")),
    });
    await expect(stopped).rejects.toThrow("stop");
    expect(readdirSync(dirname(directory)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("an output that is an input, lies in it or holds it", async () => {
    const data = await fileWith(["b", "a", "b"]);
    const stores = place("stores");
    mkdirSync(stores);
    await write(join(stores, "in.zarr"), data);
    const store = await open(join(stores, "in.zarr"));
    for (const directory of [join(stores, "in.zarr"), join(stores, "in.zarr", "parts"), stores]) {
      await expect(split(store, directory, { by: "key", overwrite: true })).rejects.toThrow(InvalidInputError);
    }
    expect(readdirSync(stores)).toEqual(["in.zarr"]);
    await expect(split(store, join(stores, "no", "folder"), { by: "key" })).rejects.toThrow(NotFoundError);
  });
});
