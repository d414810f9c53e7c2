import { describe, expect, test } from "vitest";
import { type Column, columnBytes } from "../../src/arrow/column.js";
import { fixedSizeLists } from "../../src/arrow/dense.js";
import { storedColumn } from "../../src/arrow/stored.js";
import { textColumnOf } from "../../src/arrow/text.js";
import {
  type ArrowType,
  BOOL,
  estimatedSize,
  field,
  INT32,
  INT64,
  isVariable,
  NULL,
  nested,
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
    [nested(F32, [50]), 200, false],
    [nested(F32, [3, 4]), 48, false],
    [nested(UTF8, [2]), 64, true],
    [{ id: "Struct", fields: [field("a", F32), field("b", INT64)] }, 12, false],
    [{ id: "Struct", fields: [field("a", UTF8)] }, 32, true],
    [{ id: "DenseUnion", fields: [field("0", F32), field("1", INT64)] }, 13, true],
    [{ id: "List", item: field("item", F32) }, 32, true],
  ])("%j takes %d bytes a value", (type, size, variable) => {
    expect(estimatedSize(type)).toBe(size);
    expect(isVariable(type)).toBe(variable);
  });
});

describe("bytes of a column", () => {
  const int16 = storedColumn(
    { kind: "int", bits: 16, signed: true },
    { kind: "fixed", values: new Int16Array(6) },
    6,
    "error",
  );
  test.each<[string, Column, number]>([
    ["numbers", int16, 12],
    ["lists of fixed size", fixedSizeLists(int16, [3], 2), 12],
    ["text: offsets, bytes and bitmap", textColumnOf(["ab", null, "c"]), 16 + 3 + 1],
    [
      "dictionary: the indices alone",
      {
        layout: "dictionary",
        type: { id: "Dictionary", index: INT32, value: UTF8, ordered: false },
        length: 2,
        validity: null,
        indices: Int32Array.of(0, 0),
        dictionary: textColumnOf(["a".repeat(99)]),
      },
      8,
    ],
    ["nulls", { layout: "null", type: { id: "Null" }, length: 5, validity: null }, 0],
  ])("%s", (_, column, expected) => {
    expect(columnBytes(column)).toBe(expected);
  });
});

describe("nested types", () => {
  test("name their child item and are nullable where their values are", () => {
    expect(nested(F32, [2])).toEqual({
      id: "FixedSizeList",
      size: 2,
      item: { name: "item", type: F32, nullable: false },
    });
    expect(nested({ id: "Timestamp", unit: "s" }, [2])).toMatchObject({ item: { nullable: true } });
    expect(nested(F32, [])).toBe(F32);
  });
});
