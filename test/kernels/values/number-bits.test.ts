import { expect, test } from "vitest";
import { float16ToNumber } from "../../../src/kernels/values/number-bits.js";
import { slowHalf } from "../twins.js";

test("all 65,536 halves are the numbers of the formula", () => {
  const wrong: number[] = [];
  for (let bits = 0; bits < 65_536; bits++) if (!Object.is(float16ToNumber(bits), slowHalf(bits))) wrong.push(bits);
  expect(wrong).toEqual([]);
});

test.each([
  [0x3c00, 1],
  [0xc000, -2],
  [0x7bff, 65_504],
  [0x0001, 2 ** -24],
  [0x8000, -0],
  [0x7c00, Number.POSITIVE_INFINITY],
  [0x7e00, Number.NaN],
])("half %i is %d", (bits, value) => {
  expect(float16ToNumber(bits)).toBe(value);
});
