import { describe, expect, test } from "vitest";
import { toRecordBatch, toSchema } from "../../../src/arrow/apache/apache.js";
import {
  type ArrowType,
  BINARY,
  BOOL,
  createField,
  describeArrowType,
  INT32,
  INT64,
  NULL,
  nestType,
  UTF8,
} from "../../../src/arrow/type.js";
import { throughIpc } from "../plain.js";

describe("schemas", () => {
  test.each<[ArrowType, string]>([
    [NULL, "Null"],
    [BOOL, "Bool"],
    [INT64, "Int64"],
    [{ id: "Int", bits: 64, signed: false }, "Uint64"],
    [{ id: "Int", bits: 8, signed: true }, "Int8"],
    [{ id: "Float", bits: 16 }, "Float16"],
    [BINARY, "Binary"],
    [{ id: "FixedSizeBinary", width: 3 }, "FixedSizeBinary[3]"],
    [{ id: "Timestamp", unit: "us" }, "Timestamp<MICROSECOND>"],
    [{ id: "Duration", unit: "ms" }, "Duration<MILLISECOND>"],
    [{ id: "List", item: createField("item", UTF8) }, "List<Utf8>"],
    [nestType(INT32, [2, 3]), "FixedSizeList[2]<FixedSizeList[3]<Int32>>"],
    [{ id: "Struct", fields: [createField("a", BOOL)] }, "Struct<{a:Bool}>"],
    [{ id: "Dictionary", index: INT32, value: UTF8, ordered: false }, "Dictionary<Int32, Utf8>"],
    [{ id: "DenseUnion", fields: [createField("0", BOOL), createField("1", UTF8)] }, "Union<Bool | Utf8>"],
  ])("%j", (type, expected) => {
    expect(String(toSchema([createField("x", type)], new Map()).fields[0].type)).toBe(expected);
  });

  test("carry names, nullability and metadata of fields and of the whole", () => {
    const fields = [
      { name: "a b/c", type: UTF8, nullable: false, metadata: { kind: "string-array" } },
      createField("x", BOOL),
    ];
    const schema = toSchema(fields, new Map([["annarrow", '{"kind":"dataframe"}']]));
    expect(schema.metadata.get("annarrow")).toBe('{"kind":"dataframe"}');
    expect(schema.fields.map(({ name, nullable }) => [name, nullable])).toEqual([
      ["a b/c", false],
      ["x", true],
    ]);
    expect(schema.fields[0].metadata.get("annarrow")).toBe('{"kind":"string-array"}');
    expect(schema.fields[1].metadata.size).toBe(0);
  });

  test("without fields keep their number of rows", () => {
    expect(throughIpc([toRecordBatch(toSchema([], new Map()), [], 7)]).numRows).toBe(7);
  });
});

test("types are written as people write them", () => {
  expect(describeArrowType({ id: "Dictionary", index: INT32, value: UTF8, ordered: true })).toBe(
    "Dictionary<Int32, Utf8, ordered>",
  );
  expect(describeArrowType(nestType({ id: "Float", bits: 32 }, [50]))).toBe("FixedSizeList<Float32>[50]");
  expect(describeArrowType({ id: "Timestamp", unit: "ns" })).toBe("Timestamp<ns>");
});
