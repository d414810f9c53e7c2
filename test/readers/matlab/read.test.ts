import { describe, expect, test } from "vitest";
import { fieldMetadata, tableOf, tablesOf } from "../anndata/expected.js";
import { expectedOf, openFixture, typesOf } from "./fixtures.js";

test.each(["arrays.mat", "containers.mat", "objects.mat", "python.mat", "plain.h5"])(
  "%s: every table has the values that were written",
  async (file) => {
    const data = await openFixture(file);
    expect(data.failures).toEqual(new Map());
    expect(await tablesOf(data)).toMatchObject(expectedOf(file.replace(/\..*/, "")));
  },
);

describe("MATLAB's own layout", () => {
  test("says its format and version, and needs no warning", async () => {
    const { format, version, container, shape, warnings } = await openFixture("arrays.mat");
    expect({ format, version, container, shape, warnings }).toEqual({
      ...{ format: "matlab", version: "7.3", container: "hdf5", shape: null, warnings: [] },
    });
  });

  test("has the types of the mapping", async () => {
    const data = await openFixture("arrays.mat");
    expect(typesOf(data, "matrix")).toEqual({ value: "FixedSizeList[3]<Uint16>" });
    expect(typesOf(data, "cube")).toEqual({ value: "FixedSizeList[3]<FixedSizeList[4]<Float32>>" });
    expect(typesOf(data, "row")).toEqual({ value: "Float64" });
    expect(typesOf(data, "logical")).toEqual({ value: "FixedSizeList[2]<Bool>" });
    expect(typesOf(data, "odd_logical")).toEqual({ value: "Uint8" });
    expect(typesOf(data, "complex_single")).toEqual({
      value: "FixedSizeList[2]<Struct<{real:Float32, imag:Float32}>>",
    });
    expect(typesOf(data, "half_a_pair")).toEqual({ value: "List<Uint16>" });
    expect(typesOf(data, "text_cube")).toEqual({ value: "FixedSizeList[4]<Utf8>" });
    expect(typesOf(data, "sparse_logical")).toEqual({ row: "Int32", col: "Int32", value: "Bool" });
  });

  test("remembers class and size, and what else a writer needs", async () => {
    const { tables } = await openFixture("arrays.mat");
    const metadata = (name: string) => tables.get(name)?.metadata;
    expect(metadata("row")).toEqual({ kind: "array", shape: [1, 4], class: "double", size: [1, 4] });
    expect(metadata("column")).toMatchObject({ class: "int64", size: [3, 1] });
    expect(metadata("logical")).toMatchObject({ class: "logical", int_decode: 1 });
    expect(metadata("odd_logical")).toMatchObject({ class: "logical", notLogical: true });
    expect(metadata("no_columns")).toMatchObject({ class: "int8", size: [3, 0], empty: true });
    expect(metadata("no_text")).toMatchObject({ class: "char", size: [0, 0], empty: true });
    expect(metadata("empty_text")).toMatchObject({ class: "char", size: [1, 0], empty: true });
    expect(metadata("sparse_spare")).toMatchObject({ size: [3, 2], order: "column", nzmax: 3 });
    expect(metadata("sparse_zero")).toMatchObject({ class: "double", size: [5, 3] });
  });

  test("reads any rows of a matrix, whatever chunks they lie in", async () => {
    const data = await openFixture("arrays.mat");
    const expected = expectedOf("arrays").chunked.columns.value;
    const rows: unknown[] = [];
    for await (const batch of data.table("chunked").batches({ rows: [30, 41], batchBytes: 600 })) {
      for (const row of batch) rows.push(Array.from(row?.value));
    }
    expect(rows).toEqual(expected.slice(30, 41));
  });
});

describe("structs and cells", () => {
  test("have their tables and what is in them under their paths", async () => {
    const data = await openFixture("containers.mat");
    const names = [...data.tables].filter(([, { derived }]) => !derived).map(([name]) => name);
    expect(names.sort()).toEqual(Object.keys(expectedOf("containers")).sort());
  });

  test("list their parts, in the order of MATLAB_fields", async () => {
    const data = await openFixture("containers.mat");
    const { columns } = await tableOf(data.table("plain"));
    expect(columns.path).toEqual(["plain/z", "plain/a", "plain/in", "plain/in/only"]);
    expect(columns.kind).toEqual(["numeric-scalar", "string", "struct", "numeric-scalar"]);
    expect(columns.value).toEqual(["[1]", '["t"]', null, "[2]"]);
    expect((await tableOf(data.table("referred"))).columns.path).toEqual(["referred/y", "referred/x"]);
  });

  test("say what they are themselves", async () => {
    const data = await openFixture("containers.mat");
    expect(data.table("plain").metadata).toMatchObject({ class: "struct", size: [1, 1], fields: ["z", "a", "in"] });
    expect(data.table("mixed").metadata).toMatchObject({
      ...{ class: "cell", size: [2, 2] },
      mappings: { "mixed/{1,2}": { class: "cell", size: [1, 2] } },
    });
    expect(data.table("old_object").metadata).toMatchObject({ class: "myclass", object_decode: 2 });
    expect(data.table("shared/{1}").metadata).toMatchObject({ class: "double", size: [0, 0], empty: "canonical" });
  });

  test("without anything in them are listed, or tables without rows", async () => {
    const data = await openFixture("containers.mat");
    expect((await tableOf(data.table("no_fields"))).columns.path).toEqual(["no_fields"]);
    expect(data.table("no_cell").metadata).toMatchObject({ class: "cell", size: [0, 3] });
    expect(data.table("no_elements").metadata).toMatchObject({ class: "struct", size: [0, 1], fields: ["a", "b"] });
  });

  test("of records remember the sizes of their elements", async () => {
    const data = await openFixture("containers.mat");
    const sizes = [
      [0, 0],
      [1, 1],
      [1, 2],
    ];
    expect(fieldMetadata(data.table("records"), "list")).toMatchObject({ class: "double", sizes });
    expect(typesOf(data, "records")).toEqual({ name: "Utf8", v: "Float64", list: "List<Float64>" });
  });
});

describe("objects", () => {
  test("have the types of the mapping", async () => {
    const data = await openFixture("objects.mat");
    expect(typesOf(data, "strings")).toEqual({ value: "FixedSizeList[2]<Utf8>" });
    expect(typesOf(data, "sizes")).toEqual({ value: "Dictionary<Int8, Utf8>" });
    expect(data.table("sizes").schema.fields[0].type.isOrdered).toBe(true);
    expect(typesOf(data, "times")).toEqual({ value: "Timestamp<MILLISECOND>" });
    expect(typesOf(data, "frame")).toEqual({ Row: "Utf8", A: "Float64", N: "Int32" });
  });

  test("remember their class, and the size of what they hold", async () => {
    const data = await openFixture("objects.mat");
    expect(data.table("strings").metadata).toMatchObject({ class: "string", size: [2, 2] });
    expect(data.table("frame").metadata).toMatchObject({
      kind: "dataframe",
      class: "table",
      size: [2, 2],
      index: "Row",
    });
  });
});

describe("files of hdf5storage", () => {
  test("keep the attributes of Python's types", async () => {
    const data = await openFixture("python.mat");
    expect(data.format).toBe("matlab");
    expect(data.table("text").metadata).toMatchObject({ python: { "Python.Type": "str" } });
    expect(data.table("list").metadata).toMatchObject({ class: "cell", python: { "Python.Type": "list" } });
  });

  test("without MATLAB's part are read as they are stored", async () => {
    const data = await openFixture("plain.h5");
    expect({ format: data.format, version: data.version }).toEqual({ format: "matlab", version: "" });
    expect(data.table("text").metadata).toMatchObject({ class: "str", python: { "Python.Type": "str" } });
  });
});
