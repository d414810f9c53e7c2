import { expect, test } from "vitest";
import type { Column } from "../../../../src/arrow/column.js";
import { toIntegers, toLogicals, toReals } from "../../src/writers/r-values.js";

const NA = -(2 ** 31);
const refuse = () => new RangeError("NA in R");

/** A column of integers, with nulls where `bitmap` has no bit. */
function integers(values: Int32Array | BigInt64Array, bitmap: number | null): Column {
  const bits = values instanceof Int32Array ? 32 : 64;
  const nullCount = bitmap === null ? 0 : values.length - bitmap.toString(2).replaceAll("0", "").length;
  return {
    layout: "primitive",
    type: { id: "Int", bits, signed: true },
    length: values.length,
    validity: bitmap === null ? null : { bitmap: Uint8Array.of(bitmap), nullCount },
    values,
  };
}

test("the integer that is NA in R is refused as a value, but not below a null", () => {
  expect(() => toIntegers(integers(Int32Array.of(1, NA), null), refuse)).toThrow("NA in R");
  expect(() => toIntegers(integers(Int32Array.of(1, NA), 0b10), refuse)).toThrow("NA in R");
  expect(toIntegers(integers(Int32Array.of(7, NA), 0b01), refuse)).toEqual(Int32Array.of(7, NA));
  expect(toIntegers(integers(Int32Array.of(7, 8), 0b01), refuse)).toEqual(Int32Array.of(7, NA));
});

test("integers beyond 2^53 are refused as doubles, but not below a null", () => {
  const values = BigInt64Array.of(2n ** 53n, 2n ** 60n);
  expect(() => toReals(integers(values, null))).toThrow("1152921504606846976 lies beyond 2^53");
  expect(toReals(integers(values, 0b01))[0]).toBe(2 ** 53);
});

test("logicals have NA, or the value of the caller, for nulls", () => {
  const column: Column = {
    layout: "primitive",
    type: { id: "Bool" },
    length: 3,
    validity: { bitmap: Uint8Array.of(0b101), nullCount: 1 },
    values: Uint8Array.of(0b011),
  };
  expect(toLogicals(column)).toEqual(Int32Array.of(1, NA, 0));
  expect(toLogicals(column, 2)).toEqual(Int32Array.of(1, 2, 0));
});
