/** Numbers of chunks. */

import { Float16, Int64, makeData } from "apache-arrow";
import { expect, test } from "vitest";
import { plainNumbers } from "../../page/src/data/plain-numbers.js";

test("float16 is decoded", () => {
  // np.array([1, -2, 65504, 2**-24, 1/3, np.inf, np.nan], "f2").view("u2")
  const bits = Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0001, 0x3555, 0x7c00, 0x7e00);
  const data = makeData({ type: new Float16(), length: bits.length, nullCount: 0, data: bits });
  expect(Array.from(plainNumbers(data))).toEqual([
    ...[1, -2, 65504, 2 ** -24, 0.333251953125, Number.POSITIVE_INFINITY, Number.NaN],
  ]);
});

test("other numbers are as they are stored", () => {
  const data = makeData({ type: new Int64(), length: 2, nullCount: 0, data: BigInt64Array.of(7n, -1n) });
  expect(Array.from(plainNumbers(data))).toEqual([7n, -1n]);
});
