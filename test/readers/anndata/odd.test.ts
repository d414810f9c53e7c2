import { describe, expect, test } from "vitest";
import { expectedOf, fieldMetadata, openFixture, tableOf, tablesOf } from "./expected.js";

describe("legal but odd", () => {
  test("elements are read", async () => {
    const data = await openFixture("odd.h5ad");
    expect(Object.fromEntries(data.failures)).toEqual({});
    const [found, expected] = [await tablesOf(data), expectedOf("odd")];
    expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
    for (const [table, one] of Object.entries(expected)) expect(found[table], table).toEqual(one);
  });

  test("a null X and a null raw are absent, a null in uns is a table", async () => {
    const data = await openFixture("odd.h5ad");
    expect([...data.tables.keys()].filter((name) => name === "X" || name.startsWith("raw"))).toEqual([]);
    expect(data.table("uns/null").metadata).toMatchObject({ kind: "null", shape: [] });
    expect(data.shape).toEqual([3, 2]);
  });

  test("an index that is a column too stands once, and its place is kept", async () => {
    const obs = (await openFixture("odd.h5ad")).table("obs");
    expect(obs.schema.fields.map(({ name }) => name)).toEqual(["key", "a/b", "twice", "u", "w", "m"]);
    expect(obs.metadata).toMatchObject({ index: "key", indexColumn: 3 });
  });

  test("a column that is named twice is kept once, with a warning", async () => {
    expect((await openFixture("odd.h5ad")).warnings).toEqual([
      "obs: column-order names a column twice; it is kept once",
    ]);
  });

  test("codes keep the type they are stored in where Arrow has a place for it", async () => {
    const obs = (await openFixture("odd.h5ad")).table("obs");
    const typeOf = (name: string) => String(obs.schema.fields.find((field) => field.name === name)?.type);
    expect(typeOf("u")).toBe("Dictionary<Uint8, Utf8>");
    expect(typeOf("w")).toBe("Dictionary<Int32, Utf8>");
    expect(fieldMetadata(obs, "w").codes).toBe("int64");
  });

  test("what a writer needs stands in the metadata", async () => {
    const data = await openFixture("odd.h5ad");
    expect(data.table("uns/nullable").metadata).toMatchObject({ "na-value": "NaN", kind: "nullable-string-array" });
    expect(data.table("uns/enum").metadata.members).toEqual([
      { name: "hi", value: 1 },
      { name: "lo", value: 5 },
    ]);
    expect(data.table("uns/fixed").metadata.storage).toMatchObject({ form: "fixed", width: 3 });
    expect(data.table("uns/r scalar").metadata).toMatchObject({ kind: "numeric-scalar", shape: [] });
    expect(data.table("uns/tagged").metadata).toMatchObject({
      kind: "string-array",
      encoding: { type: "array", version: "0.2.0" },
    });
  });
});

describe("tables of a modern file", () => {
  test("know schema, rows, axis and metadata before any value is read", async () => {
    const data = await openFixture("modern.h5ad");
    const about = (name: string) => {
      const { rows, axis, metadata } = data.table(name);
      return [rows, axis, metadata.kind, metadata.shape];
    };
    expect(about("X")).toEqual([14, "row", "csr_matrix", [7, 5]]);
    expect(about("obs")).toEqual([7, "row", "dataframe", undefined]);
    expect(about("var")).toEqual([5, "col", "dataframe", undefined]);
    expect(about("obsm/cube")).toEqual([7, "row", "array", [7, 2, 3]]);
    expect(about("varm/PCs")).toEqual([5, "col", "array", [5, 2]]);
    expect(about("raw/var")).toEqual([6, "col", "dataframe", undefined]);
    expect(about("uns/int")).toEqual([1, null, "numeric-scalar", []]);
    expect(data.table("X").metadata).toMatchObject({
      order: "row",
      encoding: { type: "csr_matrix", version: "0.1.0" },
    });
    expect(data.table("layers/csc").metadata.order).toBe("column");
  });

  test("types are those of docs/mapping.md", async () => {
    const data = await openFixture("modern.h5ad");
    const obs = Object.fromEntries(data.table("obs").schema.fields.map(({ name, type }) => [name, String(type)]));
    expect(obs).toMatchObject({
      _index: "Utf8",
      type: "Dictionary<Int8, Utf8>",
      whole: "Dictionary<Int8, Int64>",
      half: "Dictionary<Int8, Float64>",
      flag: "Dictionary<Int8, Bool>",
      none: "Dictionary<Int8, Float64>",
      count: "Int32",
      big: "Int64",
      ok: "Bool",
      maybe: "Dictionary<Int8, Utf8>",
      u64: "Uint64",
    });
    const typeOf = (name: string) => String(data.table(name).schema.fields[0].type);
    expect(typeOf("obsm/cube")).toBe("FixedSizeList[2]<FixedSizeList[3]<Int16>>");
    expect(typeOf("uns/f2")).toBe("Float16");
    expect(typeOf("uns/c16")).toBe("Struct<{real:Float64, imag:Float64}>");
    expect(typeOf("uns/none")).toBe("Null");
    expect(typeOf("uns/awkward/categorical")).toBe("Dictionary<Int32, Utf8>");
    expect(typeOf("uns/awkward/union")).toMatch(/^Union</);
  });

  test("all categories stand in the dictionary, used or not, in order", async () => {
    const data = await openFixture("modern.h5ad");
    const obs = await data.table("obs").read({ columns: ["type", "grade"] });
    expect(obs.getChild("type")?.data[0].dictionary?.toArray()).toEqual(["c", "b", "a", "unused"]);
    expect(obs.getChild("grade")?.data[0].dictionary?.toArray()).toEqual(["lo", "mid", "hi"]);
    expect(obs.schema.fields.map(({ type }) => type.isOrdered)).toEqual([false, true]);
  });

  test("names of matrix columns are those of the other axis", async () => {
    const data = await openFixture("plain.h5ad");
    const columns = await data.table("X").layout("columns");
    expect(columns.schema.fields.map(({ name }) => name)).toEqual(["g0", "g1"]);
    expect((await tableOf(columns)).columns).toEqual({ g0: [0, 2, 4], g1: [1, 3, 5] });
  });

  test("the derived table of uns lists every node, with small values as JSON", async () => {
    const uns = await (await openFixture("modern.h5ad")).table("uns").read();
    const rows = uns
      .toArray()
      .map((row) => Object.values(row.toJSON()).map((one) => (one === null ? null : String(one))));
    const rowOf = (path: string) => rows.find(([name]) => name === path)?.slice(1);
    expect(rowOf("uns/empty")).toEqual(["dict", null, null, null]);
    expect(rowOf("uns/title")).toEqual(["string", "Utf8", "[]", '"a title"']);
    expect(rowOf("uns/u8")).toEqual(["array", "Uint64", "[2]", "[18446744073709551615,0]"]);
    expect(rowOf("uns/f2")).toEqual(["array", "Float16", "[4]", '[1,"NaN","-Infinity",65504]']);
    expect(rowOf("uns/0/deep/er")).toEqual(["numeric-scalar", "Float32", "[]", "1.5"]);
    expect(rowOf("uns/none")).toEqual(["null", "Null", "[]", "null"]);
    expect(rowOf("uns/nested")).toEqual(["anndata", null, null, null]);
    expect(rowOf("uns/sparse")?.at(-1)).toBeNull();
    expect(rows.map(([path]) => path)).toContain("uns/ключ é");
    const derived = (await openFixture("modern.h5ad")).table("uns");
    expect(derived.derived).toBe(true);
  });
});
