import { describe, expect, test } from "vitest";
import { type Column, countColumnBytes } from "../../src/arrow/column.js";
import { createFixedSizeLists } from "../../src/arrow/dense.js";
import { createStoredColumn } from "../../src/arrow/stored.js";
import { createTextColumn } from "../../src/arrow/text.js";
import {
  type ArrowType,
  BOOL,
  createField,
  estimateValueSize,
  INT32,
  INT64,
  isVariable,
  NULL,
  nestType,
  UTF8,
} from "../../src/arrow/type.js";

const F32: ArrowType = { id: "Float", bits: 32 };
const dictionary: ArrowType = { id: "Dictionary", index: INT32, value: UTF8, ordered: false };

describe("sizes that only the type tells", () => {
  test.each<[ArrowType, number, boolean]>([
    [NULL, 0, false],
    [BOOL, 1 / 8, false],
    [INT64, 8, false],
    [F32, 4, false],
    [{ id: "FixedSizeBinary", width: 5 }, 5, false],
    [{ id: "Timestamp", unit: "ns" }, 8, false],
    [dictionary, 4, false],
    [UTF8, 32, true],
    [nestType(F32, [50]), 200, false],
    [nestType(F32, [3, 4]), 48, false],
    [nestType(UTF8, [2]), 64, true],
    [{ id: "Struct", fields: [createField("a", F32), createField("b", INT64)] }, 12, false],
    [{ id: "Struct", fields: [createField("a", UTF8)] }, 32, true],
    [{ id: "DenseUnion", fields: [createField("0", F32), createField("1", INT64)] }, 13, true],
    [{ id: "List", item: createField("item", F32) }, 32, true],
  ])("%j takes %d bytes a value", (type, size, variable) => {
    expect(estimateValueSize(type)).toBe(size);
    expect(isVariable(type)).toBe(variable);
  });
});

describe("bytes of a column", () => {
  const int16 = createStoredColumn(
    { kind: "int", bits: 16, signed: true },
    { kind: "fixed", values: new Int16Array(6) },
    6,
    "error",
  );
  test.each<[string, Column, number]>([
    ["numbers", int16, 12],
    ["lists of fixed size", createFixedSizeLists(int16, [3], 2), 12],
    ["text: offsets, bytes and bitmap", createTextColumn(["ab", null, "c"]), 16 + 3 + 1],
    [
      "dictionary: the indices alone",
      {
        layout: "dictionary",
        type: { id: "Dictionary", index: INT32, value: UTF8, ordered: false },
        length: 2,
        validity: null,
        indices: Int32Array.of(0, 0),
        dictionary: createTextColumn(["a".repeat(99)]),
      },
      8,
    ],
    ["nulls", { layout: "null", type: { id: "Null" }, length: 5, validity: null }, 0],
  ])("%s", (_, column, expected) => {
    expect(countColumnBytes(column)).toBe(expected);
  });
});

describe("nested types", () => {
  test("name their child item and are nullable where their values are", () => {
    expect(nestType(F32, [2])).toEqual({
      id: "FixedSizeList",
      size: 2,
      item: { name: "item", type: F32, nullable: false },
    });
    expect(nestType({ id: "Timestamp", unit: "s" }, [2])).toMatchObject({ item: { nullable: true } });
    expect(nestType(F32, [])).toBe(F32);
  });
});
