import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createEntriesColumn,
  createEntriesField,
  createMajorColumn,
  createMinorColumn,
  scatterEntries,
} from "../../src/arrow/sparse.js";
import { createStoredColumn } from "../../src/arrow/stored.js";
import { describeArrowType, getCoordinateType } from "../../src/arrow/type.js";
import { InvalidDataError } from "../../src/model/errors.js";
import { slowMajors } from "../kernels/twins.js";
import { roundTrip } from "./plain.js";

const int8 = (values: readonly number[]) =>
  createStoredColumn(
    { kind: "int", bits: 8, signed: true },
    { kind: "fixed", values: Int8Array.from(values) },
    values.length,
    "error",
  );

describe("coordinates", () => {
  test.each([
    [0, "Int32"],
    [2 ** 31 - 1, "Int32"],
    [2 ** 31 + 1, "Int64"],
    [2 ** 40, "Int64"],
  ])("of an axis of %i are %s", (size, type) => {
    expect(describeArrowType(getCoordinateType(size))).toBe(type);
  });

  test.each([Int8Array.of(0, 2, 1), Uint16Array.of(0, 2, 1), Int32Array.of(0, 2, 1), BigUint64Array.of(0n, 2n, 1n)])(
    "indices stay in their order: %o",
    (indices) => {
      expect(roundTrip(createMinorColumn(indices, 3, 0))).toEqual([0, 2, 1]);
      expect(roundTrip(createMinorColumn(indices, 2 ** 33, 0))).toEqual([0n, 2n, 1n]);
    },
  );

  test("indices outside the axis are an error with the place in the whole array", () => {
    expect(() => createMinorColumn(Int32Array.of(0, 5), 5, 1000)).toThrow(InvalidDataError);
    expect(() => createMinorColumn(Int32Array.of(0, 5), 5, 1000)).toThrow(/indices\[1001\] is 5, outside 0 … 4/);
    expect(() => createMinorColumn(Int32Array.of(-1), 5, 0)).toThrow(/indices\[0\] is -1/);
    expect(() => createMinorColumn(BigInt64Array.of(2n ** 33n), 5, 0)).toThrow(/8589934592/);
  });

  test("rows come from the pointers, in either width", () => {
    const pointers = [0, 2, 2, 5];
    expect(roundTrip(createMajorColumn({ pointers: Float64Array.from(pointers), first: 0 }, [0, 5], 3))).toEqual(
      slowMajors(pointers),
    );
    expect(
      roundTrip(createMajorColumn({ pointers: Float64Array.from(pointers), first: 2 ** 32 }, [1, 3], 2 ** 33)),
    ).toEqual([2n ** 32n, 2n ** 32n + 2n]);
  });
});

describe("list layout", () => {
  test("has one row per stored row, offsets counted from the first of them", () => {
    const index = createMinorColumn(Int32Array.of(1, 0, 2), 3, 10);
    const column = createEntriesColumn(Float64Array.of(10, 12, 12, 13), index, int8([5, 6, 7]));
    expect(roundTrip(column)).toEqual([
      [
        { index: 1, value: 5 },
        { index: 0, value: 6 },
      ],
      [],
      [{ index: 2, value: 7 }],
    ]);
    expect(column.child.layout === "struct" && column.child.children[0]).toBe(index);
  });

  test.each([
    [3, "List<Struct<index: Int32, value: Int8>>"],
    [2 ** 32, "List<Struct<index: Int64, value: Int8>>"],
  ])("over an axis of %i is %s", (size, expected) => {
    const column = createEntriesColumn(Float64Array.of(0, 1), createMinorColumn(Int32Array.of(1), size, 0), int8([5]));
    expect(describeArrowType(column.type)).toBe(expected);
    expect(describeArrowType(createEntriesField(size, int8([]).type).type)).toBe(expected);
  });
});

describe("dense rows", () => {
  const entries = fc.array(fc.tuple(fc.integer({ min: -1, max: 4 }), fc.nat(2), fc.integer({ min: -3, max: 3 })), {
    maxLength: 30,
  });

  test("sum what stands twice and leave out other rows", () => {
    fc.assert(
      fc.property(entries, (all) => {
        const expected = Array.from({ length: 4 * 3 }, (_, i) =>
          all
            .filter(([row, col]) => row * 3 + col === i && row >= 0 && row < 4)
            .reduce((sum, [, , value]) => sum + value, 0),
        );
        const [rows, cols, values] = [0, 1, 2].map((k) => Int32Array.from(all, (entry) => entry[k]));
        const block = new Float32Array(12);
        scatterEntries(block, 3, { rows, cols, values: Float32Array.from(values) }, false);
        expect(Array.from(block)).toEqual(expected.map((sum) => sum));
        const wide = new BigInt64Array(12);
        const integers = BigInt64Array.from(values, (value) => BigInt(value));
        scatterEntries(wide, 3, { rows, cols, values: integers }, false);
        expect(Array.from(wide, Number)).toEqual(expected);
      }),
    );
  });

  test("of booleans are true where any entry is", () => {
    const block = new Uint8Array(2);
    const entries = { rows: Int32Array.of(0, 0, 0), cols: Int32Array.of(1, 1, 0), values: Uint8Array.of(1, 1, 0) };
    scatterEntries(block, 2, entries, true);
    expect(Array.from(block)).toEqual([0, 1]);
  });

  test("of no columns take nothing", () => {
    const block = new Float32Array(0);
    const entries = { rows: new Int32Array(0), cols: new Int32Array(0), values: new Float32Array(0) };
    scatterEntries(block, 0, entries, false);
    expect(block.length).toBe(0);
  });
});
