import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFixedSizeLists, findDenseNonZeros, splitColumns } from "../../src/arrow/dense.js";
import { createStoredColumn } from "../../src/arrow/stored.js";
import { describeArrowType } from "../../src/arrow/type.js";
import { roundTrip } from "./plain.js";

const int8 = (values: readonly number[]) =>
  createStoredColumn(
    { kind: "int", bits: 8, signed: true },
    { kind: "fixed", values: Int8Array.from(values) },
    values.length,
    "error",
  );

const block = fc.tuple(fc.nat(6), fc.nat(6)).chain(([rows, width]) =>
  fc.tuple(
    fc.constant(rows),
    fc.constant(width),
    fc.array(fc.constantFrom(0, 0, -0, 1, Number.NaN, Number.NEGATIVE_INFINITY), {
      minLength: rows * width,
      maxLength: rows * width,
    }),
  ),
);

describe("fixed-size lists", () => {
  test("a 2 x 2 x 3 array is 2 rows of 2 lists of 3", () => {
    const column = createFixedSizeLists(int8([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]), [2, 3], 2);
    expect(describeArrowType(column.type)).toBe("FixedSizeList<FixedSizeList<Int8>[3]>[2]");
    const expected = [
      [
        [0, 1, 2],
        [3, 4, 5],
      ],
      [
        [6, 7, 8],
        [9, 10, 11],
      ],
    ];
    expect(roundTrip(column)).toEqual(expected);
  });

  test.each([
    [[0], 3, [[], [], []]],
    [[2, 0], 1, [[[], []]]],
    [[0, 2], 2, [[], []]],
    [[4], 0, []],
  ])("rows of shape %j are %i lists", (shape, rows, expected) => {
    expect(roundTrip(createFixedSizeLists(int8([]), shape, rows))).toEqual(expected);
  });
});

describe("the other layouts of a block", () => {
  test("columns are every width-th value, in any order asked for", () => {
    fc.assert(
      fc.property(block, ([rows, width, values]) => {
        const take = Array.from({ length: width }, (_, i) => width - 1 - i);
        const columns = splitColumns(Float64Array.from(values), rows, width, take);
        expect(columns.map((column) => Array.from<number | bigint>(column))).toEqual(
          take.map((column) => Array.from({ length: rows }, (_, row) => values[row * width + column])),
        );
        expect(new Set(columns.map((column) => column.buffer)).size).toBe(columns.length);
      }),
    );
  });

  test.each([Float32Array, Float64Array])("non-zeros of %o keep NaN and -0.0", (kind) => {
    fc.assert(
      fc.property(block, fc.nat(100), ([rows, width, values], first) => {
        const expected = values.flatMap((value, i) =>
          Object.is(value, 0) ? [] : [[first + Math.floor(i / width), i % width, value]],
        );
        const { row, col, value } = findDenseNonZeros(kind.from(values), rows, width, first);
        expect(Array.from(row, (r, i) => [r, col[i], value[i]])).toEqual(expected);
      }),
    );
  });

  test("non-zeros of integers and of float16 bits are those with any bit", () => {
    expect(
      Array.from<number | bigint>(findDenseNonZeros(BigInt64Array.of(0n, -(2n ** 63n), 0n, 1n), 2, 2, 0).value),
    ).toEqual([-(2n ** 63n), 1n]);
    expect(Array.from<number | bigint>(findDenseNonZeros(Uint16Array.of(0, 0x8000, 0x7e00), 1, 3, 0).value)).toEqual([
      0x8000, 0x7e00,
    ]);
  });
});
