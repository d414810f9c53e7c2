import { describe, expect, test } from "vitest";
import { expectedOf, fieldMetadata, openFixture, tableOf, tablesOf } from "./expected.js";

async function compare(file: string, name: string) {
  const data = await openFixture(file);
  expect(Object.fromEntries(data.failures)).toEqual({});
  const [found, expected] = [await tablesOf(data), expectedOf(name)];
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
  for (const [table, one] of Object.entries(expected)) expect(found[table], table).toEqual(one);
  return data;
}

describe("before 0.7", () => {
  test("compound frames, h5sparse groups, raw.X and compound obsm hold what anndata reads", async () => {
    const data = await compare("legacy_0_6.h5ad", "legacy_0_6");
    expect(data.version).toBe("<0.7");
    expect(data.shape).toEqual([4, 3]);
  });

  test("categories of uns belong to the column whose codes fit, and only there", async () => {
    const data = await openFixture("legacy_0_6.h5ad");
    expect(fieldMetadata(data.table("obs"), "type").kind).toBe("categorical");
    expect(String(data.table("obs").schema.fields[1].type)).toBe("Dictionary<Int8, Utf8>");
    // var has a column of that name too, with a code beyond the categories.
    expect(String(data.table("var").schema.fields[1].type)).toBe("Int16");
    expect(data.tables.has("uns/type_categories")).toBe(false);
    expect(data.tables.has("uns/other_categories")).toBe(true);
  });

  test("the graphs of uns/neighbors are in obsp, aligned with obs", async () => {
    const data = await openFixture("legacy_0_6.h5ad");
    expect(data.table("obsp/distances").metadata).toMatchObject({ kind: "csr_matrix", shape: [4, 4] });
    expect(data.table("obsp/distances").axis).toBe("row");
    expect(data.tables.has("uns/neighbors/distances")).toBe(false);
    const derived = await data.table("uns").read();
    expect(derived.getChild("path")?.toArray()).not.toContain("uns/neighbors/distances");
  });

  test("the categories of raw are no element", async () => {
    const data = await openFixture("legacy_0_6.h5ad");
    expect([...data.tables.keys()].filter((name) => name.startsWith("raw"))).toEqual(["raw/X", "raw/var"]);
  });
});

describe("before 0.7, broken", () => {
  test("what the search for categories meets does not hide the file", async () => {
    const data = await openFixture("legacy_0_6_broken.h5ad");
    expect((await tableOf(data.table("var"))).columns).toEqual({ index: ["g0", "g1"], a: ["x", "x"] });
    expect([...data.failures.keys()].sort()).toEqual(["uns/b_categories", "uns/neighbors"]);
    await expect(data.table("obs").read()).rejects.toMatchObject({ tag: "InvalidDataError", element: "obs" });
  });
});

describe("0.7", () => {
  test.each([
    ["legacy_0_7.h5ad", "by reference"],
    ["legacy_0_7.v2.zarr.zip", "by path"],
  ])("%s: categories found %s hold what anndata reads", async (file) => {
    const data = await compare(file, "legacy_0_7");
    expect(data.version).toBe("0.7");
    const [, kind, size] = data.table("obs").schema.fields.map(({ type }) => type);
    expect([String(kind), kind.isOrdered]).toEqual(["Dictionary<Int8, Utf8>", false]);
    expect([String(size), size.isOrdered]).toEqual(["Dictionary<Int16, Int64>", true]);
  });
});

describe("before 0.5", () => {
  test.each(["legacy_0_4_names", "legacy_0_4_csr"])("%s: old names of elements are today's", async (name) => {
    const data = await compare(`${name}.h5ad`, name);
    expect(data.shape).toEqual([3, 2]);
    expect(fieldMetadata(data.table("obs"), "group").kind).toBe("categorical");
  });
});
