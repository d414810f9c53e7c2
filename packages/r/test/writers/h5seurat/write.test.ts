import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Bool,
  Field,
  FixedSizeList,
  Float64,
  Int32,
  Int64,
  Schema,
  Table,
  tableFromArrays,
  Utf8,
  type Vector,
  vectorFromArray,
} from "apache-arrow";
import { describe, expect, test } from "vitest";
import { openHdf5 } from "../../../../../src/containers/hdf5/container.js";
import { createBytesSource } from "../../../../../src/io/sources/memory.js";
import { flat, openArray, openPath, rowsOf } from "../../../../../test/containers/hdf5/fixture.js";
import { convert, open, write } from "../../../../published/src/node.js";

const folder = mkdtempSync(join(tmpdir(), "annarrow-h5seurat-"));
const BASE = {
  X: tableFromArrays({ row: Int32Array.of(0, 0, 2), col: Int32Array.of(1, 3, 0), value: Float64Array.of(0.5, -1, 7) }),
  var: tableFromArrays({ _index: ["g0", "g1", "g2", "g3"], highly_variable: [true, false, false, true] }),
};
const obs = (columns: Readonly<Record<string, Vector>>) =>
  new Table({ _index: vectorFromArray(["a", "b", "c"], new Utf8()), ...columns });

/** What lies in a file, as HDF5 has it. */
async function stored(path: string) {
  const container = await openHdf5(createBytesSource(new Uint8Array(readFileSync(path))));
  return {
    async values(name: string): Promise<unknown> {
      const array = await openArray(container, name);
      return flat(array.type, await array.read(0, rowsOf(array)));
    },
    shape: async (name: string) => (await openArray(container, name)).shape,
    attributes: async (name: string) => Object.fromEntries((await openPath(container, name)).attributes),
    close: () => container.close(),
  };
}

describe("the layout of SeuratDisk", () => {
  test("matrices by cells, and the attributes that it looks for", async () => {
    const path = join(folder, "base.h5seurat");
    const places = new FixedSizeList(2, new Field("item", new Float64(), false));
    const umap = new Table({
      value: vectorFromArray(
        [
          [1, 4],
          [2, 5],
          [3, 6],
        ],
        places,
      ),
    });
    const given = { ...BASE, obs: obs({}), "obsm/X_umap": umap };
    await write(path, given);
    const file = await stored(path);
    expect(await file.attributes("")).toEqual({ project: "SeuratProject", "active.assay": "RNA", version: "4.1.3" });
    expect(await file.attributes("assays/RNA")).toEqual({ key: "rna_" });
    expect(await file.attributes("assays/RNA/data")).toEqual({ dims: [4, 3] });
    expect(await file.values("assays/RNA/data/indices")).toEqual([1, 3, 0]);
    expect(await file.values("assays/RNA/data/indptr")).toEqual([0, 2, 2, 3]);
    expect(await file.values("assays/RNA/data/data")).toEqual([0.5, -1, 7]);
    expect(await file.values("assays/RNA/features")).toEqual(["g0", "g1", "g2", "g3"]);
    expect(await file.values("assays/RNA/variable.features")).toEqual(["g0", "g3"]);
    expect(await file.values("cell.names")).toEqual(["a", "b", "c"]);
    // The file has the dimensions in reverse order: R sees 3 x 2.
    expect(await file.shape("reductions/umap/cell.embeddings")).toEqual([2, 3]);
    expect(await file.values("reductions/umap/cell.embeddings")).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await file.attributes("reductions/umap")).toEqual({ "active.assay": "RNA", key: "umap_", global: [1] });
    await file.close();
  });

  test("variable features in the order of their ranks", async () => {
    const path = join(folder, "ranks.h5seurat");
    const ranks = vectorFromArray([1, Number.NaN, Number.NaN, 0], new Float64());
    const flags = vectorFromArray([true, false, false, true], new Bool());
    const names = vectorFromArray(["g0", "g1", "g2", "g3"], new Utf8());
    const given = new Table({ _index: names, highly_variable: flags, highly_variable_rank: ranks });
    await write(path, { ...BASE, obs: obs({}), var: given });
    const file = await stored(path);
    expect(await file.values("assays/RNA/variable.features")).toEqual(["g3", "g0"]);
    await file.close();
  });

  test("missing values as R has them", async () => {
    const path = join(folder, "missing.h5seurat");
    await write(path, {
      ...BASE,
      obs: obs({
        n: vectorFromArray([1, null, -3], new Int32()),
        x: vectorFromArray([null, Number.NaN, 2.5], new Float64()),
        flag: vectorFromArray([true, null, false], new Bool()),
      }),
    });
    const file = await stored(path);
    expect(await file.values("meta.data/n")).toEqual([1, -(2 ** 31), -3]);
    expect(await file.values("meta.data/flag")).toEqual([1, 2, 0]);
    expect(await file.attributes("meta.data")).toEqual({
      ...{ _index: "_index", colnames: ["n", "x", "flag"], logicals: ["flag"] },
    });
    await file.close();
    const data = await open(path);
    const table = await data.table("obs").read();
    expect(Array.from(table.getChild("n") ?? [])).toEqual([1, null, -3]);
    // NA is null, NaN stays NaN.
    expect(Array.from(table.getChild("x") ?? [])).toEqual([null, Number.NaN, 2.5]);
    expect(Array.from(table.getChild("flag") ?? [])).toEqual([true, null, false]);
    await data.close();
  });
});

describe("what it has no form for", () => {
  test.each<[string, Readonly<Record<string, Vector>>, string]>([
    ["text without a value", { t: vectorFromArray(["x", null, "y"], new Utf8()) }, "missing text"],
    ["integers of 64 bits without a value", { n: vectorFromArray([1n, null, 2n], new Int64()) }, "64 bits"],
    ["the integer that is NA", { n: vectorFromArray([1, -(2 ** 31), 2], new Int32()) }, "NA in R"],
  ])("%s", async (name, columns, message) => {
    const given = { ...BASE, obs: obs(columns) };
    await expect(write(join(folder, `${name}.h5seurat`), given)).rejects.toThrow(message);
    const { warnings } = await write(join(folder, `${name}-lossy.h5seurat`), given, { lossy: true });
    expect(warnings.join()).toContain(message);
  });

  test("names that occur twice, or are empty", async () => {
    const given = {
      ...BASE,
      obs: new Table({ _index: vectorFromArray(["a", "a", "a.1"], new Utf8()) }),
      var: tableFromArrays({ _index: ["g0", "", "NA", "g0"] }),
    };
    await expect(write(join(folder, "twice.h5seurat"), given)).rejects.toThrow(/obs: the name "a" occurs twice/);
    const path = join(folder, "twice-lossy.h5seurat");
    const { warnings } = await write(path, given, { lossy: true });
    expect(warnings).toEqual([
      expect.stringMatching(/^obs: the name "a" occurs twice/),
      expect.stringMatching(/^var: an empty name/),
    ]);
    const file = await stored(path);
    // make.unique(c("a", "a", "a.1")) and make.unique(c("g0", "NA", "NA", "g0")) of R.
    for (const name of ["cell.names", "meta.data/_index"]) expect(await file.values(name)).toEqual(["a", "a.2", "a.1"]);
    for (const name of ["features", "meta.features/_index"]) {
      expect(await file.values(`assays/RNA/${name}`)).toEqual(["g0", "NA", "NA.1", "g0.1"]);
    }
    await file.close();
  });

  test("elements without a place are named, and left out with lossy", async () => {
    const given = { ...BASE, obs: obs({}), "layers/other": BASE.X, "raw/X": BASE.X };
    await expect(write(join(folder, "other.h5seurat"), given)).rejects.toThrow(/layers\/other/);
    const path = join(folder, "other-lossy.h5seurat");
    const { warnings } = await write(path, given, { lossy: true });
    expect(warnings).toEqual([expect.stringContaining("layers/other"), expect.stringContaining("raw/X")]);
    expect((await open(path)).tables.has("X")).toBe(true);
  });
});

test("a file that is written again is the same", async () => {
  const path = "test/fixtures/data/h5seurat/object.h5seurat";
  const again = join(folder, "again.h5seurat");
  const { warnings } = await convert(path, again, { lossy: true });
  expect(warnings).toEqual([]);
  const [before, after] = [await open(path), await open(again)];
  const names = [
    "X",
    "layers/counts",
    "obsm/scale.data",
    "obsm/X_pca",
    "varm/pca",
    "varm/pca.projected",
    "obsp/RNA_snn",
  ];
  for (const name of [...names, "obs", "uns/scale.data.features", "uns/misc/square", "uns/misc/table", "uns/misc/f"]) {
    const [one, two] = [await before.table(name).read(), await after.table(name).read()];
    expect(two.schema.fields.map(String), name).toEqual(one.schema.fields.map(String));
    expect(JSON.stringify(two.toArray()), name).toBe(JSON.stringify(one.toArray()));
  }
  await before.close();
  await after.close();
});

test("records in uns, which have no names of rows, are written without a warning", async () => {
  const { schema, batches } = new Table({
    names: vectorFromArray(["x", "y"], new Utf8()),
    scores: vectorFromArray([1.5, 2.5], new Float64()),
  });
  const metadata = new Map([["annarrow", JSON.stringify({ kind: "rec-array", shape: [2] })]]);
  const records = new Table(new Schema(schema.fields, metadata), batches);
  const path = join(folder, "records.h5seurat");
  expect((await write(path, { ...BASE, obs: obs({}), "uns/ranked": records })).warnings).toEqual([]);
  const data = await open(path);
  expect((await data.table("uns/ranked").read()).toArray().map(({ names, scores }) => [names, scores])).toEqual([
    ["x", 1.5],
    ["y", 2.5],
  ]);
  await data.close();
});
