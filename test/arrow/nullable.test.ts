import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createNullColumn, withValidity } from "../../src/arrow/column.js";
import { createNullableColumn, createStoredColumn } from "../../src/arrow/stored.js";
import { InvalidDataError } from "../../src/model/errors.js";
import { slowValue, storedType, storedValues } from "./arbitrary-stored.js";
import { roundTrip } from "./plain.js";

describe("nullable arrays", () => {
  test("are null exactly where the mask is 1", () => {
    const arrays = fc
      .tuple(storedType, fc.constantFrom(0, 1, 7, 8, 9, 31, 32, 33))
      .chain(([type, rows]) =>
        fc.tuple(
          fc.constant(type),
          storedValues(type, rows),
          fc.uint8Array({ minLength: rows, maxLength: rows, max: 1 }),
        ),
      );
    fc.assert(
      fc.property(arrays, ([type, values, mask]) => {
        // A Bool with missing values of its own has no mask.
        fc.pre(type.kind !== "enum" && type.kind !== "datetime" && type.kind !== "timedelta");
        const column = createNullableColumn(createStoredColumn(type, values, mask.length, "error"), mask);
        const expected = Array.from(mask, (missing, i) => (missing === 1 ? null : slowValue(type, values, i)));
        expect(roundTrip(column)).toEqual(expected);
      }),
    );
  });

  const int8 = createStoredColumn(
    { kind: "int", bits: 8, signed: true },
    { kind: "fixed", values: Int8Array.of(1, 2, 3) },
    3,
    "error",
  );

  test("have no bitmap where nothing is missing", () => {
    expect(createNullableColumn(int8, new Uint8Array(3)).validity).toBeNull();
  });

  test("need a mask of their length", () => {
    expect(() => createNullableColumn(int8, new Uint8Array(2))).toThrow(InvalidDataError);
    expect(() => createNullableColumn(int8, new Uint8Array(2))).toThrow(/mask has 2 values, values have 3/);
  });

  test("need a mask of 0 and 1", () => {
    expect(() => createNullableColumn(int8, Uint8Array.of(0, 1, 3))).toThrow(InvalidDataError);
    expect(() => createNullableColumn(int8, Uint8Array.of(0, 1, 3))).toThrow(/mask holds 3 at 2/);
  });
});

test("nulls stay nulls, without a bitmap", () => {
  const column = createNullColumn(3);
  expect(withValidity(column, { bitmap: Uint8Array.of(0), nullCount: 3 })).toBe(column);
  expect(roundTrip(column)).toEqual([null, null, null]);
});
