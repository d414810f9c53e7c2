import { describe, expect, test } from "vitest";
import { toCategoricalColumn } from "../../src/arrow/categorical.js";
import { type Column, createNullColumn } from "../../src/arrow/column.js";
import { createFixedSizeLists } from "../../src/arrow/dense.js";
import { encodeJsonList, encodeJsonValue } from "../../src/arrow/json.js";
import { createNullableColumn, createStoredColumn } from "../../src/arrow/stored.js";
import { toTemporalColumn } from "../../src/arrow/temporal.js";
import { createTextColumn } from "../../src/arrow/text.js";
import { createField, INT32, UTF8 } from "../../src/arrow/type.js";
import type { NumberArray, StoredType } from "../../src/model/stored.js";
import { typeOf } from "../stored-array.js";

const column = (values: NumberArray, type: StoredType = typeOf(values), length = values.length) =>
  createStoredColumn(type, { kind: "fixed", values }, length, "error");
const int8 = (...values: number[]) => column(Int8Array.from(values));

describe("JSON of a column", () => {
  const cases: [string, Column, string][] = [
    ["integers with all their digits", column(BigInt64Array.of(2n ** 63n - 1n, -1n)), "[9223372036854775807,-1]"],
    ["unsigned", column(BigUint64Array.of(2n ** 64n - 1n)), "[18446744073709551615]"],
    ["booleans", column(Uint8Array.of(1, 0), { kind: "bool" }), "[true,false]"],
    [
      "floats that JSON has no form for",
      column(Float64Array.of(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0.1, 1e300)),
      '["NaN","Infinity","-Infinity",-0.0,0.1,1e+300]',
    ],
    ["float32 exactly", column(Float32Array.of(0.1)), "[0.10000000149011612]"],
    [
      "float16 by value",
      column(Uint16Array.of(0x3c00, 0x7c00, 0x8000), { kind: "float", bits: 16 }),
      '[1,"Infinity",-0.0]',
    ],
    ["text", createTextColumn(['a"b', "\n", "é", null, "\ufeff"]), '["a\\"b","\\n","é",null,"\ufeff"]'],
    [
      "bytes as hexadecimal text",
      column(Uint8Array.of(0, 255, 16, 1), { kind: "bytes", width: 2 }, 2),
      '["00ff","1001"]',
    ],
    [
      "times as their number of units",
      toTemporalColumn("datetime", "ns", 1, BigInt64Array.of(5n, -(2n ** 63n))),
      "[5,null]",
    ],
    ["lists", createFixedSizeLists(int8(1, 2, 3, 4), [2], 2), "[[1,2],[3,4]]"],
    ["lists of nothing", createFixedSizeLists(int8(), [0], 2), "[[],[]]"],
    ["nulls", createNullColumn(2), "[null,null]"],
    ["categories", toCategoricalColumn(Int8Array.of(1, -1), createTextColumn(["a", "b"]), false), '["b",null]'],
    ["masked values", createNullableColumn(int8(1, 2), Uint8Array.of(0, 1)), "[1,null]"],
    [
      "complex numbers",
      column(Float32Array.of(1, Number.NaN), { kind: "complex", bits: 64 }, 1),
      '[{"real":1,"imag":"NaN"}]',
    ],
    [
      "unions",
      {
        layout: "union",
        type: { id: "DenseUnion", fields: [createField("0", INT32), createField("1", UTF8)] },
        length: 3,
        validity: null,
        typeIds: Int8Array.of(1, 0, 1),
        offsets: Int32Array.of(0, 0, 1),
        children: [column(Int32Array.of(7)), createTextColumn(["x", null])],
      },
      '["x",7,null]',
    ],
    [
      "ragged lists",
      {
        layout: "list",
        type: { id: "List", item: createField("item", INT32) },
        length: 2,
        validity: null,
        offsets: Int32Array.of(0, 0, 2),
        child: column(Int32Array.of(7, 8)),
      },
      "[[],[7,8]]",
    ],
  ];

  test.each(cases)("%s", (_, made, expected) => {
    expect(encodeJsonList(made)).toBe(expected);
  });

  test("of one value", () => {
    expect(encodeJsonValue(int8(4, 5), 1)).toBe("5");
  });
});
