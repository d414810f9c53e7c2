import { describe, expect, test } from "vitest";
import { decodeFloat16, encodeFloat16 } from "../../../src/kernels/values/number-bits.js";
import { slowHalf } from "../twins.js";

test("all 65,536 halves are the numbers of the formula", () => {
  const wrong: number[] = [];
  for (let bits = 0; bits < 65_536; bits++) if (!Object.is(decodeFloat16(bits), slowHalf(bits))) wrong.push(bits);
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
  expect(decodeFloat16(bits)).toBe(value);
});

describe("float16Bits", () => {
  test("gives every float16 its own bits", () => {
    const wrong = [];
    for (let bits = 0; bits < 65536; bits++) {
      if (!Number.isNaN(slowHalf(bits)) && encodeFloat16(slowHalf(bits)) !== bits) wrong.push(bits);
    }
    expect(wrong).toEqual([]);
    expect(encodeFloat16(Number.NaN) & 0x7e00).toBe(0x7e00);
  });

  test("rounds to the nearest, ties to even", () => {
    for (let bits = 0; bits < 0x7bff; bits++) {
      const middle = (slowHalf(bits) + slowHalf(bits + 1)) / 2;
      if (encodeFloat16(middle) !== bits + (bits & 1)) expect([bits, encodeFloat16(middle)]).toEqual([]);
    }
    expect([65519, 65520, -65520].map(encodeFloat16)).toEqual([0x7bff, 0x7c00, 0xfc00]);
  });
});
