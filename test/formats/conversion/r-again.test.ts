import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Field, FixedSizeList, Float64, Schema, Table, tableFromArrays, Utf8, vectorFromArray } from "apache-arrow";
import { expect, test } from "vitest";
import { open, write } from "../../../packages/published/src/node.js";

const folder = mkdtempSync(join(tmpdir(), "annarrow-r-again-"));
const matrix = (rows: readonly (readonly number[])[]) =>
  new Table({ value: vectorFromArray(rows, new FixedSizeList(2, new Field("item", new Float64(), false))) });
const { schema, batches } = new Table({
  x: vectorFromArray(["g0", "g1"], new Utf8()),
  y: vectorFromArray(["g1", "g0"], new Utf8()),
});
const records = new Table(
  new Schema(schema.fields, new Map([["annarrow", JSON.stringify({ kind: "rec-array", shape: [2] })]])),
  batches,
);
const GIVEN = {
  X: tableFromArrays({ row: Int32Array.of(0, 2), col: Int32Array.of(1, 0), value: Float64Array.of(0.5, 7) }),
  obs: tableFromArrays({ _index: ["a", "b", "c"], n: Float64Array.of(1, 2, 3) }),
  var: tableFromArrays({ _index: ["g0", "g1"] }),
  "obsm/spatial": matrix([
    [1, 4],
    [2, 5],
    [3, 6],
  ]),
  "obsm/X_pca": matrix([
    [7, 8],
    [9, 1],
    [2, 3],
  ]),
  "varm/PCs": matrix([
    [1, 2],
    [3, 4],
  ]),
  "uns/rank_genes_groups/names": records,
  "uns/rank_genes_groups/params/method": tableFromArrays({ value: ["t-test"] }),
};

async function text(path: string, name: string): Promise<string> {
  const data = await open(path);
  const table = await data.table(name).read();
  await data.close();
  return JSON.stringify(table.toArray());
}

test.each(["again.seurat.rds", "again5.seurat.rds", "again.h5seurat", "again.sce.rds"])(
  "%s gives the elements their own names and kinds again",
  async (file) => {
    const path = join(folder, file);
    await write(path, GIVEN, file.startsWith("again5") ? { seurat: "v5" } : {});
    const data = await open(path);
    expect([...data.failures.keys()]).toEqual([]);
    const names = [...data.tables.values()].filter((one) => !one.derived).map(({ name }) => name);
    // The name of the first assay, by which zellkonverter knows X.
    expect(names.filter((name) => name !== "uns/X_name").sort()).toEqual(Object.keys(GIVEN).sort());
    expect(data.table("obs").schema.fields.map(({ name }) => name)).toEqual(["_index", "n"]);
    const read = data.table("uns/rank_genes_groups/names");
    expect(read.metadata).toMatchObject({ kind: "rec-array", shape: [2] });
    expect(read.schema.fields.map(({ name }) => name)).toEqual(["x", "y"]);
    await data.close();
    for (const [name, table] of Object.entries(GIVEN)) {
      if (name.startsWith("obsm") || name.startsWith("varm") || name.endsWith("names")) {
        expect(await text(path, name), name).toBe(JSON.stringify(table.toArray()));
      }
    }
  },
);

test("floats that become wider are said, each element once", async () => {
  const X = tableFromArrays({ row: Int32Array.of(0), col: Int32Array.of(1), value: Float32Array.of(0.1) });
  const obs = tableFromArrays({
    _index: ["a", "b", "c"],
    score: Float32Array.of(1, 2, 3),
    n: Float64Array.of(1, 2, 3),
  });
  const given = {
    ...GIVEN,
    X,
    obs,
    "layers/counts": X,
    "uns/scores": tableFromArrays({ value: Float32Array.of(1, 2) }),
  };
  const said = "X, obs, layers/counts and 1 other: 32-bit floats, which R holds as 64-bit ones with the same values";
  const path = join(folder, "wider.sce.rds");
  expect((await write(path, given)).warnings).toEqual([said]);
  expect(JSON.parse(await text(path, "X"))).toEqual([{ row: 0, col: 1, value: Math.fround(0.1) }]);
  expect((await write(join(folder, "wider.h5seurat"), given)).warnings).toEqual([]);
});
