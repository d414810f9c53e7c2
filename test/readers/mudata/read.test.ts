import { describe, expect, test } from "vitest";
import { type ExpectedTable, tablesOf } from "../anndata/expected.js";
import { expectedOf, modalitiesOf, openFixture } from "./fixtures.js";

describe("values are those that anndata reads, below the paths of the elements", () => {
  test.each([
    ["axis0.h5mu", [8, 7], ["rna", "prot"], 0],
    ["axis0.v2.zarr.zip", [8, 7], ["rna", "prot"], 0],
    ["axis0.v3.zarr.zip", [8, 7], ["rna", "prot"], 0],
    ["axis1.h5mu", [5, 4], ["old", "new"], 1],
    ["both.h5mu", [4, 3], ["whole", "filtered"], -1],
    ["legacy.h5mu", [4, 5], ["a", "b"], undefined],
  ])("%s", async (file, shape, modalities, axis) => {
    const data = await openFixture(file);
    expect([data.format, data.version, data.warnings]).toEqual(["mudata", "0.1.0", []]);
    expect(Object.fromEntries(data.failures)).toEqual({});
    expect(data.shape).toEqual(shape);
    expect(modalitiesOf(data)).toEqual(modalities);
    expect(data.table("obs").metadata.axis).toBe(axis);
    const expected = expectedOf(file.slice(0, file.indexOf(".")));
    const found = await tablesOf(data);
    expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
    for (const [name, one] of Object.entries(expected)) expect(found[name], name).toEqual(one);
  });
});

test.each(["axis0.h5mu", "axis0.v2.zarr.zip", "axis0.v3.zarr.zip"])(
  "%s: a modality opens by its path",
  async (file) => {
    for (const modality of ["rna", "prot"]) {
      const data = await openFixture(file, { path: `mod/${modality}` });
      expect(data.format).toBe("anndata");
      expect(data.shape).toEqual(modality === "rna" ? [6, 4] : [5, 3]);
      const prefix = `mod/${modality}/`;
      const own = Object.entries(expectedOf("axis0")).filter(([name]) => name.startsWith(prefix));
      const expected: Record<string, ExpectedTable> = Object.fromEntries(
        own.map(([name, one]) => [name.slice(prefix.length), one]),
      );
      expect(await tablesOf(data)).toEqual(expected);
    }
  },
);

test("the contents of uns are listed for the whole and for each modality, under full names", async () => {
  const data = await openFixture("axis0.h5mu");
  const listed = async (name: string) => {
    const table = data.table(name);
    expect(table.derived).toBe(true);
    return (await table.read()).toArray().map((row) => String(row?.path));
  };
  expect(await listed("uns")).toEqual(["uns/wnn", "uns/wnn/n_neighbors", "uns/wnn/title"]);
  expect(await listed("mod/rna/uns")).toEqual([
    "mod/rna/uns/pca",
    "mod/rna/uns/pca/none",
    "mod/rna/uns/pca/params",
    "mod/rna/uns/pca/params/n",
    "mod/rna/uns/pca/variance",
  ]);
  expect(data.tables.has("obsmap")).toBe(false);
});

test("rows of a modality, of the whole and of its maps are rows and columns of matrices", async () => {
  const data = await openFixture("axis0.h5mu");
  const axes = Object.fromEntries([...data.tables].map(([name, { axis }]) => [name, axis]));
  expect(axes).toMatchObject({
    ...{ obs: "row", var: "col", "obsmap/rna": "row", "varmap/prot": "col", "obsm/X_wnn": "row", uns: null },
    ...{ "mod/rna/obs": "row", "mod/rna/var": "col", "mod/rna/obsm/X_pca": "row", "mod/prot/raw/var": "col" },
  });
});

test("a matrix of a modality has columns that are called after its own variables", async () => {
  const data = await openFixture("axis0.h5mu");
  const { schema } = await data.table("mod/prot/X").layout("columns");
  expect(schema.fields.map(({ name }) => name)).toEqual(["p0", "p1", "p2"]);
});

test("what cannot be read does not hide the rest", async () => {
  const data = await openFixture("broken.h5mu");
  expect([...data.tables.keys()]).toEqual([
    ...["obs", "var", "mod/short/obs", "mod/short/var"],
    ...["mod/good/X", "mod/good/obs", "mod/good/var"],
  ]);
  expect([...data.failures].map(([name, { tag, element }]) => [name, tag, element])).toEqual([
    ["obsmap/short", "InvalidDataError", "obsmap/short"],
    ["mod/short/X", "InvalidDataError", "mod/short/X"],
    ["mod/array", "InvalidDataError", "mod/array"],
    ["mod/gone", "NotFoundError", "mod/gone"],
    ["mod/nested", "UnsupportedError", "mod/nested"],
    ["mod/nothing", "NotFoundError", "mod/nothing"],
  ]);
  expect(data.failures.get("mod/short/X")?.message).toMatch(/broken.h5mu: mod\/short\/X: 3 rows, obs has 2/);
  expect(data.warnings).toEqual([
    "axis is 7, which is none of 0, 1 and -1; it is taken for 0",
    'mod-order leaves out ["array","gone","nested","nothing"], which mudata would not read',
  ]);
  expect(data.table("obs").metadata.axis).toBeUndefined();
});

test("modalities alone, with an order that names one too many", async () => {
  const data = await openFixture("modalities.h5mu");
  expect(data.format).toBe("mudata");
  expect(data.shape).toBeNull();
  expect(Object.fromEntries(data.failures)).toEqual({});
  expect(modalitiesOf(data)).toEqual(["a", "b"]);
  expect(data.warnings).toEqual([
    'mod-order ["b","a","c"] is no list of the modalities; they stand in the order of their names',
  ]);
  const axes = [...data.tables.values()].map(({ metadata }) => metadata.axis);
  expect(axes).toEqual([1, undefined, undefined, undefined]);
});
