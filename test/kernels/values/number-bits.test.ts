import { describe, expect, test } from "vitest";
import { float16Bits, float16ToNumber } from "../../../src/kernels/values/number-bits.js";
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

describe("float16Bits", () => {
  test("gives every float16 its own bits", () => {
    const wrong = [];
    for (let bits = 0; bits < 65536; bits++) {
      if (!Number.isNaN(slowHalf(bits)) && float16Bits(slowHalf(bits)) !== bits) wrong.push(bits);
    }
    expect(wrong).toEqual([]);
    expect(float16Bits(Number.NaN) & 0x7e00).toBe(0x7e00);
  });

  test("rounds to the nearest, ties to even", () => {
    for (let bits = 0; bits < 0x7bff; bits++) {
      const middle = (slowHalf(bits) + slowHalf(bits + 1)) / 2;
      if (float16Bits(middle) !== bits + (bits & 1)) expect([bits, float16Bits(middle)]).toEqual([]);
    }
    expect([65519, 65520, -65520].map(float16Bits)).toEqual([0x7bff, 0x7c00, 0xfc00]);
  });
});
