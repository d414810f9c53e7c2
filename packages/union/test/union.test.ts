/** Whole unions; test/interop/test_union.py compares their values with anndata's. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tableFromArrays } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { open, place } from "../../../test/formats/conversion/opened.js";
import { commitUnion, planUnion, runUnionTask, sql, union, write } from "../../published/src/node.js";
import { parsePlan } from "../src/plan-document.js";

type Values = Float32Array | Float64Array;

/** A path with a dataset of one entry for each of its cells. */
async function file(name: string, genes: readonly string[], values: Values, columns: object = {}): Promise<string> {
  const path = join(place("folder"), `${name}.h5ad`);
  mkdirSync(join(path, ".."), { recursive: true });
  const cells = Array.from(values, (_, i) => `${name}${i}`);
  const row = Int32Array.from(values.keys());
  await write(
    path,
    {
      obs: tableFromArrays({ _index: cells, ...columns }),
      var: tableFromArrays({ _index: [...genes] }),
      X: tableFromArrays({ row, col: row.map((one) => one % genes.length), value: values }),
    },
    { index: { obs: "_index", var: "_index" } },
  );
  return path;
}

const filesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder, { recursive: true }).sort() : null);

describe("a union", () => {
  test("has the rows of all files, under one set of features", async () => {
    const a = await file("a", ["g1", "g2"], Float32Array.of(1, 2));
    const b = await file("b", ["g3", "g2"], Float32Array.of(3, 4, 5));
    const atlas = place("atlas");
    expect(await union([a, b], atlas)).toEqual({ shape: [5, 3], datasets: 2, warnings: [] });
    const data = await open(atlas);
    expect([...data.failures]).toEqual([]);
    expect(await data.varNames()).toEqual(["g1", "g2", "g3"]);
    expect(await data.obsNames()).toEqual(["a0", "a1", "b0", "b1", "b2"]);
    expect([...(await data.gene("g2"))]).toEqual([0, 2, 0, 4, 0]);
    expect([...(await data.gene("g3"))]).toEqual([0, 0, 3, 0, 5]);
    const part = await data.select({ obs: ["b1", "a0"], var: ["g2", "g1"] });
    expect(part.shape).toEqual([2, 2]);
    expect([...(await part.gene("g2"))]).toEqual([4, 0]);
    expect((await data.table("X").read({ where: { row: [4] } })).toArray().map(String)).toEqual([
      '{"row": 4, "col": 2, "value": 5}',
    ]);
  });

  test("keeps a column of the files that is called as its own, and gives it back under its name", async () => {
    const wells = { row: Int32Array.of(7, 8), well: ["A", "B"] };
    const a = await file("a", ["g1"], Float32Array.of(1, 2), wells);
    const b = await file("b", ["g1"], Float32Array.of(3, 4), {
      dataset_id: ["mine", "mine"],
      value: Int32Array.of(5, 6),
    });
    const atlas = place("atlas");
    const { warnings } = await union([a], atlas);
    expect(warnings).toEqual(['obs: column "row" is "row_1" in the union, which has a column of this name']);
    await union([b], atlas, { add: true });
    const data = await open(atlas);
    const obs = await data.table("obs").read();
    expect(obs.schema.names).toEqual(["dataset_id", "_index", "row", "well", "dataset_id_1", "value"]);
    expect(obs.toArray().map((one) => [one?.row, one?.dataset_id, one?.dataset_id_1])).toEqual([
      [7, "a", null],
      [8, "a", null],
      [null, "b", "mine"],
      [null, "b", "mine"],
    ]);
    const cells = await data.select({ obs: sql`select row from obs where row_1 = 8` });
    expect(await cells.obsNames()).toEqual(["a1"]);
  });

  test("says which file has no feature of the others", async () => {
    const a = await file("a", ["g1", "g2"], Float32Array.of(1));
    const b = await file("b", ["ENSG1", "ENSG2"], Float32Array.of(2));
    const atlas = place("atlas");
    const { shape, warnings } = await union([a, b], atlas);
    expect(shape).toEqual([2, 4]);
    expect(warnings).toEqual([expect.stringMatching(/^var: .*b\.h5ad has no feature of the datasets before it/)]);
    const c = await file("c", ["g3"], Float32Array.of(3));
    expect((await union([c], atlas, { add: true })).warnings).toEqual([
      expect.stringContaining("c.h5ad has no feature"),
    ]);
  });

  test("by columns promises no order of columns across its files", async () => {
    const a = await file("a", ["g1", "g2"], Float32Array.of(1, 2));
    const b = await file("b", ["g2", "g1"], Float32Array.of(3));
    const atlas = place("atlas");
    await union([a], atlas, { order: "csc" });
    const before = (await open(atlas)).table("X").metadata;
    expect(before).toEqual({ kind: "csc_matrix", order: "column", shape: [2, 2] });
    await expect(union([b], atlas, { add: true, order: "csr" })).rejects.toThrow(/the union is csc/);
    await union([b], atlas, { add: true });
    const data = await open(atlas);
    expect(data.table("X").metadata).toEqual({ kind: "csc_matrix", shape: [3, 2] });
    expect([...(await data.gene("g2"))]).toEqual([0, 2, 3]);
  });

  test("grows, and refuses what would change the types of its files", async () => {
    const atlas = place("atlas");
    await union([await file("a", ["g1"], Float32Array.of(1))], atlas);
    const b = await file("b", ["g2"], Float32Array.of(2));
    await expect(union([b], atlas)).rejects.toThrow(/a union is there already.*union add/);
    await expect(union([b], place("none"), { add: true })).rejects.toThrow(/no union is there/);
    const before = filesIn(atlas);
    const wide = await file("c", ["g2"], Float64Array.of(2));
    await expect(union([wide], atlas, { add: true })).rejects.toThrow(
      /X: its values are Float32 in the union.*Float64/,
    );
    await expect(union([await file("a", ["g1"], Float32Array.of(1))], atlas, { add: true })).rejects.toThrow(
      /the dataset "a" is there already/,
    );
    expect(filesIn(atlas)).toEqual(before);
    expect(await union([b], atlas, { add: true })).toMatchObject({ shape: [2, 2], datasets: 2 });
    const data = await open(atlas);
    expect([...(await data.gene("g2"))]).toEqual([0, 2]);
  });

  test("takes of later files what it took of the first ones, unless it is told otherwise", async () => {
    const withCounts = async (name: string, value: number) => {
      const path = join(place("folder"), `${name}.h5ad`);
      mkdirSync(join(path, ".."), { recursive: true });
      const matrix = (one: number) =>
        tableFromArrays({ row: Int32Array.of(0), col: Int32Array.of(0), value: Float32Array.of(one) });
      const obs = tableFromArrays({ _index: [name] });
      const vars = tableFromArrays({ _index: ["g1"] });
      await write(
        path,
        { obs, var: vars, X: matrix(value / 10), "layers/counts": matrix(value), "layers/more": matrix(value) },
        { index: { obs: "_index", var: "_index" } },
      );
      return path;
    };
    const atlas = place("atlas");
    await union([await withCounts("a", 10)], atlas, { elements: { X: "layers/counts", layers: [] } });
    await union([await withCounts("b", 20)], atlas, { add: true });
    await union([await withCounts("c", 30)], atlas, { add: true, elements: { X: "X" } });
    const plan = await planUnion([await withCounts("d", 40)], atlas);
    for (const task of plan.tasks.keys()) await runUnionTask(plan, task);
    await commitUnion(plan);
    const data = await open(atlas);
    expect([...(await data.gene("g1"))]).toEqual([10, 20, 3, 40]);
    expect([...data.tables.keys()].filter((name) => name.startsWith("layers/"))).toEqual([]);
    // A union of an earlier version does not say what it took.
    const file = join(atlas, "manifest.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(/"taken":\{.*?\},/, ""));
    await union([await withCounts("e", 50)], atlas, { add: true, elements: { layers: [] } });
    expect([...(await (await open(atlas)).gene("g1"))]).toEqual([10, 20, 3, 40, 5]);
  });

  test("that fails or is interrupted leaves nothing", async () => {
    const a = await file("a", ["g1"], Float32Array.of(1));
    const b = await file("b", ["g1"], Float32Array.of(2));
    const atlas = place("atlas");
    const plan = await planUnion([a, b], atlas, { tasks: 2 });
    writeFileSync(b, readFileSync(b).subarray(0, 3000));
    await runUnionTask(plan, 0);
    await expect(runUnionTask(plan, 1)).rejects.toThrow(/b\.h5ad/);
    await expect(commitUnion(plan)).rejects.toThrow(/1 of 2 tasks have not run to their end: 1/);
    const other = place("atlas");
    await expect(union([a, b], other)).rejects.toThrow(/b\.h5ad/);
    expect(filesIn(other) ?? []).toEqual([]);
    const controller = new AbortController();
    const stopped = union([a], other, {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error("stop")),
    });
    await expect(stopped).rejects.toThrow("stop");
    expect(filesIn(other) ?? []).toEqual([]);
  });

  test("whose files are gone is not committed", async () => {
    const atlas = place("atlas");
    const plan = await planUnion([await file("a", ["g1"], Float32Array.of(1))], atlas);
    const { parts } = await runUnionTask(plan, 0);
    const { rmSync } = await import("node:fs");
    rmSync(join(atlas, parts[0].file));
    await expect(commitUnion(plan)).rejects.toThrow(/obs\/a\/.*the file is gone: run its task again/);
    await runUnionTask(plan, 0);
    expect(await commitUnion(plan)).toMatchObject({ shape: [1, 1] });
  });
});

test("a plan is plain JSON, and other text is an error that says where", async () => {
  const plan = await planUnion([await file("a", ["g1"], Float32Array.of(1))], place("atlas"));
  expect(parsePlan(JSON.stringify(plan), "plan.json")).toEqual(plan);
  expect(() => parsePlan(JSON.stringify({ ...plan, tasks: [[{ input: 0 }]] }), "plan.json")).toThrow(
    /plan\.json: no plan of a union: tasks\.0\.0\.rows/,
  );
  expect(() => parsePlan("{", "plan.json")).toThrow(/plan\.json: no plan of a union/);
});
