/** Columns of lists, structs and unions: written as the buffers of Awkward Array, and read back as what they were. */

import {
  Bool,
  type DataType,
  DenseUnion,
  Dictionary,
  Field,
  FixedSizeList,
  Float64,
  Int8,
  Int32,
  List,
  makeData,
  Struct,
  Table,
  Utf8,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import { describe, expect, test } from "vitest";
import { convertInputToColumns } from "../../../src/tables/given/arrow-column-table.js";
import { nodeAt, writeTables } from "./write.js";

const item = (type: DataType) => new Field("item", type, true);

const union = (): Vector => {
  const children = [vectorFromArray([1, 2], new Int32()).data[0], vectorFromArray(["x"], new Utf8()).data[0]];
  const fields = [new Field("number", new Int32(), true), new Field("text", new Utf8(), true)];
  const type = new DenseUnion([0, 1], fields);
  const [typeIds, valueOffsets] = [Int8Array.of(0, 1, 0), Int32Array.of(0, 0, 1)];
  return new Vector([makeData({ type, length: 3, typeIds, valueOffsets, children })]);
};

const COLUMNS: Readonly<Record<string, () => Vector>> = {
  "lists of text": () => vectorFromArray([["a", null], [], ["b"]], new List(item(new Utf8()))),
  "lists of lists": () => vectorFromArray([[[1], []], null, [[2, 3]]], new List(item(new List(item(new Int32()))))),
  "lists of numbers, some missing": () => vectorFromArray([[1, null], [], [3]], new List(item(new Int32()))),
  "lists of fixed size, some missing within": () =>
    vectorFromArray(
      [
        [1, 2],
        [null, 4],
        [5, 6],
      ],
      new FixedSizeList(2, item(new Float64())),
    ),
  "lists of fixed size of text": () =>
    vectorFromArray(
      [
        ["a", "b"],
        ["c", ""],
        ["é", "f"],
      ],
      new FixedSizeList(2, item(new Utf8())),
    ),
  structs: () =>
    vectorFromArray(
      [{ a: 1, b: "x", c: true }, null, { a: null, b: "", c: false }],
      new Struct([
        new Field<DataType>("a", new Int32(), true),
        new Field<DataType>("b", new Utf8(), true),
        new Field<DataType>("c", new Bool(), true),
      ]),
    ),
  "lists of structs": () =>
    vectorFromArray(
      [[{ a: 1 }, { a: 2 }], [], [{ a: 3 }]],
      new List(item(new Struct([new Field("a", new Float64(), true)]))),
    ),
  "lists of categories": () =>
    vectorFromArray([["T", "B"], [], ["T"]], new List(item(new Dictionary(new Utf8(), new Int8())))),
  unions: union,
};

const rows = (table: Table) =>
  table
    .toArray()
    .map((row) =>
      JSON.parse(JSON.stringify(row.value, (_, one) => (typeof one === "bigint" ? String(one) : one)) ?? "null"),
    );

describe.each(Object.keys(COLUMNS))("%s", (what) => {
  test("come back as they were", async () => {
    const given = new Table({ value: COLUMNS[what]() });
    const { data, warnings } = await writeTables([await convertInputToColumns(given, { name: "v" })]);
    expect(warnings).toEqual([]);
    expect(rows(await data.table("v").read())).toEqual(rows(given));
  });
});

test("the buffers of a form are the fields of a struct", async () => {
  const lists = vectorFromArray([["a", "bc"], [], ["d"]], new List(new Field("item", new Utf8(), false)));
  const written = await writeTables([await convertInputToColumns(new Table({ value: lists }), { name: "v" })]);
  const group = await nodeAt(written, "v/value");
  expect(group.attributes.get("MATLAB_class")).toBe("struct");
  expect(written.data.table("v").metadata.kind).toBe("dataframe");
});
