import { describe, expect, test } from "vitest";
import type { Column } from "../../../src/arrow/column.js";
import { type ArrowField, createField } from "../../../src/arrow/type.js";
import { bools, dictionary, floats, ints, lists, names, ragged, table, tableOf, text, times } from "../tables.js";
import { matrix, written } from "./write.js";

const int = (bits: 8 | 16 | 32 | 64, signed = true) => ({ kind: "int", bits, signed });
const VARIABLE = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };
const ascii = (width: number) => ({
  kind: "text",
  storage: { form: "fixed", encoding: "ascii", width, padding: "nullpad" },
});

/** A table of one column that remembers something of a file. */
function remembering(name: string, column: Column, metadata: ArrowField["metadata"]) {
  const own: ArrowField = { ...createField("x", column.type), ...(metadata ? { metadata } : {}) };
  return tableOf(name, [own], [{ length: column.length, columns: [column] }], { rows: column.length });
}

function struct(fields: Record<string, Column>): Column {
  const children = Object.values(fields);
  const type = {
    id: "Struct",
    fields: Object.entries(fields).map(([name, { type }]) => createField(name, type, false)),
  } as const;
  return { layout: "struct", type, length: children[0].length, validity: null, children };
}

describe("attributes", () => {
  test("numbers and text keep their types", async () => {
    const { file, tables, warnings } = await written([
      matrix(2, 3),
      table("row_attrs", [
        { Gene: text("a", "日本"), n: ints(Uint16Array.of(1, 65535)), x: floats(Float64Array.of(NaN, -0)) },
      ]),
      table("col_attrs", [{ CellID: names(3, "c"), big: ints(BigInt64Array.of(-1n, 0n, 2n ** 62n)) }]),
    ]);
    expect(warnings).toEqual([]);
    expect(tables).toEqual([
      { name: "row_attrs", rows: 2 },
      { name: "col_attrs", rows: 3 },
      { name: "matrix", rows: 2 },
    ]);
    expect(await file.type("row_attrs/Gene")).toEqual(VARIABLE);
    expect(await file.values("row_attrs/Gene")).toEqual(["a", "日本"]);
    expect(await file.type("row_attrs/n")).toEqual(int(16, false));
    expect(await file.values("row_attrs/n")).toEqual([1, 65535]);
    expect(await file.values("row_attrs/x")).toEqual(["nan", -0]);
    expect(await file.values("col_attrs/CellID")).toEqual(["c0", "c1", "c2"]);
    expect(await file.values("col_attrs/big")).toEqual([-1, 0, "4611686018427387904n"]);
  });

  test("lists of fixed size are arrays of more dimensions", async () => {
    const pca = lists(2, floats(Float32Array.of(1, 2, 3, 4)));
    const tags = lists(3, text("a", "b", "c", "d", "e", "f"));
    const { file } = await written([matrix(2, 1), table("row_attrs", [{ pca, tags }])]);
    expect(await file.shape("row_attrs/pca")).toEqual([2, 2]);
    expect(await file.values("row_attrs/pca")).toEqual([1, 2, 3, 4]);
    expect(await file.shape("row_attrs/tags")).toEqual([2, 3]);
    expect(await file.values("row_attrs/tags")).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  test("categories become their values, booleans 0 and 1, with a warning for each table", async () => {
    const { file, warnings } = await written([
      matrix(3, 1),
      table("row_attrs", [
        {
          type: dictionary([1, 0, 1], text("T", "B")),
          level: dictionary([0, 0, 0], ints(Int32Array.of(7))),
          used: bools(true, false, true),
        },
      ]),
    ]);
    expect(await file.values("row_attrs/type")).toEqual(["B", "T", "B"]);
    expect(await file.type("row_attrs/level")).toEqual(int(32));
    expect(await file.values("row_attrs/level")).toEqual([7, 7, 7]);
    expect(await file.type("row_attrs/used")).toEqual(int(8, false));
    expect(await file.values("row_attrs/used")).toEqual([1, 0, 1]);
    expect(warnings).toEqual([
      "row_attrs: categories are written as their values, without their order: type, level",
      "row_attrs: booleans are written as 0 and 1: used",
    ]);
  });

  test("an ENUM of a Loom file stays one, and so does a logical of R with its NA", async () => {
    const base = int(8, false);
    const members = [
      { name: "FALSE", value: 0 },
      { name: "TRUE", value: 1 },
      { name: "NA", value: 2 },
    ];
    const logical = await written([
      matrix(3, 1),
      remembering("row_attrs", bools(true, null, false), { kind: "array", members, base }),
    ]);
    expect(await logical.file.values("row_attrs/x")).toEqual([1, 2, 0]);
    const named = await written([matrix(2, 1), remembering("row_attrs", bools(true, false), { kind: "array" })]);
    expect(await named.file.type("row_attrs/x")).toEqual({ kind: "bool" });
    expect(named.warnings).toEqual([]);
  });

  test("records become compounds, and groups where they were groups", async () => {
    const column = struct({ a: floats(Float64Array.of(1, 2)), b: names(2, "t") });
    const compound = await written([matrix(2, 1), table("row_attrs", [{ x: column }])]);
    expect(await compound.file.values("row_attrs/x")).toEqual([
      [1, 2],
      ["t0", "t1"],
    ]);
    const group = await written([
      matrix(2, 1),
      remembering("row_attrs", column, { kind: "dict", last_modified: "T1" }),
    ]);
    expect(await group.file.names("row_attrs/x")).toEqual(["a", "b"]);
    expect(await group.file.values("row_attrs/x/b")).toEqual(["t0", "t1"]);
    expect(await group.file.attributes("row_attrs/x")).toEqual({ last_modified: "T1" });
  });

  test("a table without columns is an empty group, and so is one that is not there", async () => {
    const empty = tableOf("row_attrs", [], [{ length: 2, columns: [] }], { rows: 2, metadata: { kind: "dataframe" } });
    const { file } = await written([matrix(2, 1), empty]);
    expect(await file.names("row_attrs")).toEqual([]);
    expect(await file.names("col_attrs")).toEqual([]);
  });

  test("several batches, and a stream whose length nobody knows", async () => {
    const { file } = await written([
      matrix(3, 1),
      table("row_attrs", [{ x: names(2, "a") }, { x: names(1, "b") }], { counted: false, stream: true }),
    ]);
    expect(await file.values("row_attrs/x")).toEqual(["a0", "a1", "b0"]);
  });
});

describe("what is missing", () => {
  test.each<[string, Column, RegExp]>([
    ["text", text("a", null), /row_attrs\/x: 1 of 2 values are missing.*put values in their place.*empty text/],
    ["floats", floats(Float32Array.of(1, 2), 0), /row_attrs\/x: 1 of 2 .*NaN/],
    ["integers", ints(Int16Array.of(1, 2), 1), /row_attrs\/x: 1 of 2 .*written as -1$/],
    ["unsigned integers", ints(Uint16Array.of(1, 2), 1), /row_attrs\/x: 1 of 2 .*as -1, all values as int32$/],
    ["booleans", bools(null, null), /row_attrs\/x: 2 of 2 .*as -1, all values as int8$/],
    ["categories", dictionary([null, 0], text("a")), /row_attrs\/x: 1 of 2 .*empty text/],
    ["lists", lists(2, floats(Float64Array.of(1, 2, 3, 4), 3)), /row_attrs\/x: 1 of 4 .*NaN/],
  ])("%s: an error that names the column and the remedy", async (_, x, why) => {
    await expect(written([matrix(2, 1), table("row_attrs", [{ x }])])).rejects.toThrow(why);
  });

  test("becomes NaN, -1 and empty text where losses are allowed", async () => {
    const { file, warnings } = await written(
      [
        matrix(2, 1),
        table("row_attrs", [
          {
            text: text("a", null),
            float: floats(Float32Array.of(1, 2), 0),
            int: ints(Int16Array.of(5, 9), 1),
            byte: ints(Uint8Array.of(255, 9), 1),
            long: ints(Uint32Array.of(2 ** 32 - 1, 9), 1),
            flag: bools(true, null),
          },
        ]),
      ],
      { lossy: true },
    );
    expect(await file.values("row_attrs/text")).toEqual(["a", ""]);
    expect(await file.values("row_attrs/float")).toEqual(["nan", 2]);
    expect(await file.values("row_attrs/int")).toEqual([5, -1]);
    expect(await file.type("row_attrs/int")).toEqual(int(16));
    expect(await file.values("row_attrs/byte")).toEqual([255, -1]);
    expect(await file.type("row_attrs/byte")).toEqual(int(16));
    expect(await file.values("row_attrs/long")).toEqual([2 ** 32 - 1, -1]);
    expect(await file.values("row_attrs/flag")).toEqual([1, -1]);
    expect(warnings).toHaveLength(7);
    expect(warnings[0]).toBe(
      "row_attrs/text: 1 of 2 values are missing, for which Loom has no form; they are written as empty text",
    );
  });

  test("has no place beside uint64, even so", async () => {
    const x = ints(BigUint64Array.of(1n, 2n), 0);
    await expect(written([matrix(2, 1), table("row_attrs", [{ x }])], { lossy: true })).rejects.toThrow(
      /row_attrs\/x: 1 of 2 values are missing.*-1 beside Uint64/,
    );
  });

  test("is looked for in a stream as well", async () => {
    const stream = table("row_attrs", [{ x: text("a") }, { x: text(null) }], { stream: true });
    await expect(written([matrix(2, 1), stream])).rejects.toThrow(/1 of 2 values are missing/);
  });
});

describe("what Loom has no form for", () => {
  test("times: an error, or ISO 8601", async () => {
    const attributes = table("row_attrs", [{ x: times(BigInt64Array.of(0n, 86_399n)) }]);
    await expect(written([matrix(2, 1), attributes])).rejects.toThrow(
      /row_attrs\/x: Loom has no Timestamp<s>; cast it to text, or to a number/,
    );
    const { file } = await written([matrix(2, 1), attributes], { lossy: true });
    expect(await file.values("row_attrs/x")).toEqual(["1970-01-01T00:00:00", "1970-01-01T23:59:59"]);
  });

  test("lists: an error, or left out", async () => {
    const attributes = table("row_attrs", [{ x: ragged([0, 1, 1], ints(Int32Array.of(1))), y: names(2, "y") }]);
    await expect(written([matrix(2, 1), attributes])).rejects.toThrow(
      /row_attrs\/x: values of type List<Int32>; Loom holds numbers and text/,
    );
    const { file, warnings } = await written([matrix(2, 1), attributes], { lossy: true });
    expect(await file.names("row_attrs")).toEqual(["y"]);
    expect(warnings[0]).toMatch(/^left out: row_attrs\/x: /);
  });

  test("a NUL in text", async () => {
    const attributes = table("row_attrs", [{ x: text("a\0b", "c") }]);
    await expect(written([matrix(2, 1), attributes])).rejects.toThrow(/row_attrs\/x: text with a NUL.*write 2\.0\.1/);
    const lossy = await written([matrix(2, 1), attributes], { lossy: true });
    expect(await lossy.file.values("row_attrs/x")).toEqual(["a", "c"]);
    const old = await written([matrix(2, 1), attributes], { version: "2.0.1" });
    expect(await old.file.values("row_attrs/x")).toEqual(["a\0b", "c"]);
  });

  test.each([
    ["a/b", /row_attrs: the name "a\/b" has a "\/", which separates groups in Loom: rename it/],
    ["", /row_attrs: an empty name: rename it/],
    [".", /stands for another group: rename it/],
    ["a\0", /has a NUL: rename it/],
  ])("the name %j", async (name, why) => {
    await expect(written([matrix(2, 1), table("row_attrs", [{ [name]: names(2, "") }])])).rejects.toThrow(why);
  });

  test("another length than the matrix has", async () => {
    await expect(written([matrix(2, 3), table("row_attrs", [{ x: names(3, "") }])])).rejects.toThrow(
      /row_attrs: 3 rows, the matrix's row axis has 2/,
    );
    const stream = table("col_attrs", [{ x: names(2, "") }], { counted: false });
    await expect(written([matrix(2, 3), stream])).rejects.toThrow(/col_attrs: 2 rows, the matrix's column axis has 3/);
  });
});

describe("text of 2.0.1", () => {
  test("is ASCII as wide as the longest, other characters as references", async () => {
    const attributes = table("row_attrs", [{ x: text("é", "", "a&b"), y: text("R&D", "&#229;", "x&amp;y") }]);
    const { file } = await written([matrix(3, 1), attributes], { version: "2.0.1" });
    expect(await file.type("row_attrs/x")).toEqual(ascii(6));
    expect(await file.values("row_attrs/x")).toEqual(["&#233;", "", "a&b"]);
    expect(await file.values("row_attrs/y")).toEqual(["R&D", "&#38;#229;", "x&#38;amp;y"]);
  });

  test("keeps the width that it had in a file, where it fits", async () => {
    const storage = { form: "fixed", encoding: "ascii", width: 10, padding: "nullterm" };
    const own = { kind: "string-array", storage, entityEscaped: true };
    const { file } = await written([matrix(1, 1), remembering("row_attrs", text("é"), own)], { version: "2.0.1" });
    expect(await file.type("row_attrs/x")).toEqual({ kind: "text", storage });
    const longer = await written([matrix(1, 1), remembering("row_attrs", text("éé"), own)], { version: "2.0.1" });
    expect(await longer.file.type("row_attrs/x")).toEqual(ascii(12));
    const newer = await written([matrix(1, 1), remembering("row_attrs", text("é"), own)]);
    expect(await newer.file.type("row_attrs/x")).toEqual(VARIABLE);
  });

  test("nothing but empty text is one byte wide", async () => {
    const { file } = await written([matrix(1, 1), table("row_attrs", [{ x: text("") }])], { version: "2.0.1" });
    expect(await file.type("row_attrs/x")).toEqual(ascii(1));
    expect(await file.values("row_attrs/x")).toEqual([""]);
  });
});
