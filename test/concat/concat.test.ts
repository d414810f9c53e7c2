/** Datasets as one: values by the rules of `anndata.concat`; test/interop/parts/test_concat.py compares with anndata itself. */

import { symlinkSync, writeFileSync } from "node:fs";
import type { Table } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { concat, type Dataset, InvalidInputError } from "../../packages/published/src/index.js";
import { concat as concatPaths, write } from "../../packages/published/src/node.js";
import { plainRows } from "../arrow/plain.js";
import { folder, open, place } from "../formats/conversion/opened.js";
import { tree } from "../io/targets/tree.js";
import { A, B, file } from "./small.js";

/** [row, column, value] of a matrix in order. */
async function entriesOf(data: Dataset): Promise<number[][]> {
  const read = await data.table("X").read();
  const columns = read.schema.fields.map(({ name }) => [...(read.getChild(name) ?? [])].map(Number));
  return columns[0].map((_, i) => columns.map((column) => column[i])).toSorted((p, q) => p[0] - q[0] || p[1] - q[1]);
}

describe("the other axis", () => {
  test("has the names of all datasets, in the order of the first", async () => {
    const all = await concatPaths([await file(A), await file(B)]);
    expect(all.shape).toEqual([3, 2]);
    expect(await all.obsNames()).toEqual(["a1", "a2", "b1"]);
    expect(await all.varNames()).toEqual(["g1", "g3"]);
    expect(await entriesOf(all)).toEqual([
      [0, 0, 1],
      [0, 1, 2],
      [2, 0, 6],
      [2, 1, 4],
    ]);
    expect(all.warnings.join("\n")).toContain("var: 2 names are in all datasets, which have up to 3");
    await all.close();
  });

  test("has any names with an outer join, sorted, and 0 where a dataset lacks them", async () => {
    const all = await concatPaths([await file(A), await file(B)], { join: "outer" });
    expect(await all.varNames()).toEqual(["g1", "g2", "g3", "g4"]);
    expect(await entriesOf(all)).toEqual([
      [0, 0, 1],
      [0, 2, 2],
      [1, 1, 3],
      [2, 0, 6],
      [2, 2, 4],
      [2, 3, 5],
    ]);
    expect(all.warnings.join("\n")).toContain("X: filled with 0 in 2 of 2 datasets");
    await all.close();
  });

  test("has entries where a dataset lacks names that are filled with another value than 0", async () => {
    const inputs = [await file(A), await file({ ...B, genes: ["g3", "g9", "g1"] })];
    const all = await concatPaths(inputs, { join: "outer", fillValue: -1 });
    expect(await entriesOf(all)).toEqual([
      [0, 0, 1],
      [0, 2, 2],
      [0, 3, -1],
      [1, 1, 3],
      [1, 3, -1],
      [2, 0, 6],
      [2, 1, -1],
      [2, 2, 4],
      [2, 3, 5],
    ]);
    expect(all.warnings.join("\n")).toContain("X: filled with -1 in 2 of 2 datasets");
    await all.close();
  });

  test("along var is obs", async () => {
    const [a, b] = [await open(await file(A)), await open(await file({ ...B, cells: ["a2"] }))];
    const all = await concat([a, b], { axis: "var" });
    expect(await all.obsNames()).toEqual(["a2"]);
    expect(await all.varNames()).toEqual(["g1", "g2", "g3", "g3", "g4", "g1"]);
    expect(await entriesOf(all)).toEqual([
      [0, 1, 3],
      [0, 3, 4],
      [0, 4, 5],
      [0, 5, 6],
    ]);
  });

  test("of names that repeat is an error where the datasets differ", async () => {
    const twice = { ...A, genes: ["g1", "g1", "g2"] };
    const path = await file(twice);
    const same = await concatPaths([path, await file(twice)]);
    expect(await same.varNames()).toEqual(twice.genes);
    await same.close();
    await expect(concatPaths([path, await file(B)])).rejects.toMatchObject({
      tag: "InvalidInputError",
      source: path,
      element: "var",
      problem: expect.stringContaining('the name "g1" repeats'),
    });
  });
});

describe("rows", () => {
  test("have the keys of their datasets in a column, and in their names", async () => {
    const inputs = { one: await file(A), two: await file(B) };
    const all = await concatPaths(inputs, { label: "run", indexUnique: "-" });
    expect(plainRows(await all.table("obs").read())).toEqual([
      ["a1-one", "one"],
      ["a2-one", "one"],
      ["b1-two", "two"],
    ]);
    await all.close();
  });

  test("have a label in the place of a column that it replaces", async () => {
    const obs = (rows: number) => ({ run: Array(rows).fill("x"), n: Array(rows).fill(1) });
    const [a, b] = [await file({ ...A, obs: obs(2) }), await file({ ...B, obs: obs(1) })];
    const all = await concatPaths([a, b], { label: "run" });
    expect(all.table("obs").schema.fields.map(({ name }) => name)).toEqual(["_index", "run", "n"]);
    expect(plainRows(await all.table("obs").read()).map(([, run]) => run)).toEqual(["0", "0", "1"]);
    expect(all.warnings.join("\n")).toContain('obs: column "run" is replaced by the keys of the datasets');
    await all.close();
  });

  test("of a column that only some datasets have are null, and the result says so", async () => {
    const [a, b] = [await file({ ...A, obs: { n: Int32Array.of(1, 2) } }), await file(B)];
    const all = await concatPaths([a, b], { join: "outer" });
    expect(plainRows(await all.table("obs").read()).map(([, n]) => n)).toEqual([1, 2, null]);
    expect(all.warnings.join("\n")).toContain('obs: column "n" is missing in some datasets');
    await all.close();
  });

  test("of types without a common one are an error that names both", async () => {
    const a = await file({ ...A, obs: { c: [true, false] } });
    const b = await file({ ...B, obs: { c: ["x"] } });
    await expect(concatPaths([a, b])).rejects.toMatchObject({
      tag: "InvalidInputError",
      source: b,
      element: "obs",
      problem: expect.stringMatching(/column "c" is .*Utf8.*, in .* Bool, which have no type together/),
    });
  });
});

describe("dense matrices of 64-bit integers", () => {
  /** A path with a dense matrix of two cells and `genes`, and a matrix between the genes. */
  async function dense(genes: readonly string[], values: readonly bigint[]): Promise<string> {
    const path = place("h5ad");
    const columns = (own: readonly bigint[], start: string) =>
      Object.fromEntries(
        genes.map((_, i) => [`${start}${i}`, BigInt64Array.from(own.filter((_, at) => at % genes.length === i))]),
      );
    await write(path, {
      obs: { index: ["a", "b"] },
      var: { index: genes },
      X: columns(values, "x"),
      "varp/near": columns([...values, ...values].slice(0, genes.length ** 2), "p"),
    });
    return path;
  }
  const rows = async (data: Dataset, name: string) =>
    plainRows(await (await data.table(name).layout("dense")).read()).flat(2);

  test("follow their names, which lie in another order", async () => {
    const inputs = [await dense(["g", "h"], [1n, 2n, 3n, 4n]), await dense(["h", "g"], [5n, 6n, 7n, 8n])];
    const all = await concatPaths(inputs);
    expect(await rows(all, "X")).toEqual([1n, 2n, 3n, 4n, 6n, 5n, 8n, 7n]);
    await all.close();
  });

  test("between genes follow both orders", async () => {
    const inputs = [await file(A), await dense(["g2", "g1"], [5n, 6n, 7n, 8n])];
    const all = await concatPaths(inputs, { merge: "only" });
    expect(await all.varNames()).toEqual(["g1", "g2"]);
    expect(plainRows(await all.table("varp/near").read()).flat(2)).toEqual([8n, 7n, 6n, 5n]);
    await all.close();
  });

  test("stand beside each other", async () => {
    const inputs = [await dense(["g", "h"], [1n, 2n, 3n, 4n]), await dense(["i", "k"], [5n, 6n, 7n, 8n])];
    const all = await concatPaths(inputs, { axis: "var" });
    expect(await rows(all, "X")).toEqual([1n, 2n, 5n, 6n, 3n, 4n, 7n, 8n]);
    await all.close();
  });
});

describe("inputs", () => {
  test("none, keys that repeat, and another number of keys are errors", async () => {
    const path = await file(A);
    await expect(concatPaths([])).rejects.toThrow("no dataset to put together");
    await expect(concatPaths([path, path], { keys: ["k", "k"] })).rejects.toThrow('the key "k" is given twice');
    await expect(concatPaths([path], { keys: ["k", "l"] })).rejects.toThrow("2 keys for 1 dataset");
    await expect(concatPaths({ k: path }, { keys: ["k"] })).rejects.toThrow(InvalidInputError);
  });

  test("that are not there, or cut off, are named", async () => {
    const path = await file(A);
    await expect(concatPaths([path, `${folder()}/none.h5ad`])).rejects.toMatchObject({
      tag: "NotFoundError",
      source: `${folder()}/none.h5ad`,
    });
    const broken = place("h5ad");
    writeFileSync(broken, "no HDF5");
    await expect(concatPaths([path, broken])).rejects.toMatchObject({ source: broken });
  });

  test("of several formats are put together", async () => {
    const all = await concatPaths([await file(A), await file(B, "zarr"), await file(A, "loom")], { join: "outer" });
    expect(all.shape).toEqual([5, 4]);
    expect((await entriesOf(all)).filter(([row]) => row > 2)).toEqual([
      [3, 0, 1],
      [3, 2, 2],
      [4, 1, 3],
    ]);
    await all.close();
  });

  test("of folders of Parquet are put together", async () => {
    const folders: string[] = [];
    for (const small of [A, B]) {
      const data = await open(await file(small));
      folders.push(place("parquet-folder"));
      await write(folders[folders.length - 1], data, { format: "parquet" });
    }
    const all = await concatPaths(folders);
    expect(await entriesOf(all)).toEqual([
      [0, 0, 1],
      [0, 1, 2],
      [2, 0, 6],
      [2, 1, 4],
    ]);
    await all.close();
  });

  test("alone is one dataset, without what no rule keeps", async () => {
    const all = await concatPaths(["examples/pbmc.h5ad"]);
    expect(all.shape).toEqual([2700, 800]);
    expect([...all.tables.keys()].filter((name) => name.startsWith("uns/"))).toEqual([]);
    expect(all.warnings.join("\n")).toMatch(/left out, by the rules of the join and the merge: .*varm\/PCs/);
    await all.close();
  });

  test("end with a signal", async () => {
    const stop = new AbortController();
    const all = await concatPaths(["examples/pbmc.h5ad", "examples/pbmc.h5ad"], { signal: stop.signal });
    stop.abort();
    await expect(write(place("h5ad"), all, { signal: stop.signal })).rejects.toThrow();
    await all.close();
    await expect(concatPaths([await file(A)], { signal: stop.signal })).rejects.toThrow();
  });
});

describe("the result", () => {
  test("is written like a dataset, and read again", async () => {
    const all = await concatPaths([await file(A), await file(B)], { join: "outer" });
    for (const extension of ["h5ad", "zarr", "loom"]) {
      const output = place(extension);
      await write(output, all, extension === "loom" ? { lossy: true } : {});
      const again = await open(output);
      expect(again.shape).toEqual(extension === "loom" ? [4, 3] : [3, 4]);
    }
    await all.close();
  });

  test("is written as a promise, too", async () => {
    const output = place("zarr");
    await write(output, concatPaths([await file(A), await file(B)], { join: "outer" }));
    expect((await open(output)).shape).toEqual([3, 4]);
    const missing = concatPaths([await file(A), place("h5ad")]);
    await expect(write(place("zarr"), missing)).rejects.toThrow("no such file");
  });

  test("without a column that cannot be written has all others", async () => {
    const odd = "test/fixtures/data/anndata/odd.h5ad";
    const all = await concatPaths([odd, odd]);
    const output = place("h5ad");
    await write(output, all, { lossy: true });
    const [own, one] = [(await open(output)).table("obs"), (await open(odd)).table("obs")];
    for (const column of ["key", "twice", "u", "w", "m"]) {
      const [values, once] = [own, one].map((table) => table.read({ columns: [column] }).then(plainRows));
      expect({ column, values: await values }).toEqual({ column, values: [...(await once), ...(await once)] });
    }
    await all.close();
  });

  test("has graphs whose entries lie in no order", async () => {
    const loom = "test/fixtures/data/loom/loompy.loom";
    const all = await concatPaths([loom, loom], { pairwise: true });
    const graph = await (await open(loom)).table("col_graphs/KNN").read();
    const output = place("h5ad");
    await write(output, all, { lossy: true });
    const twice = await (await open(output)).table("obsp/KNN").read();
    const edges = (table: Table, add: number) =>
      [...table].map(({ row, col, value }) => `${Number(row) + add} ${Number(col) + add} ${value}`);
    expect(edges(twice, 0).toSorted()).toEqual([...edges(graph, 0), ...edges(graph, 9)].toSorted());
    await all.close();
  });

  test("never replaces an input", async () => {
    const [a, b] = [await file(A), await file(B)];
    const link = place("h5ad");
    symlinkSync(a, link);
    const all = await concatPaths([a, b]);
    const before = tree(folder());
    for (const output of [a, link]) {
      await expect(write(output, all, { overwrite: true })).rejects.toMatchObject({
        tag: "InvalidInputError",
        problem: `is the input ${a}; choose another name`,
      });
    }
    expect(tree(folder())).toBe(before);
    await all.close();
  });
});
