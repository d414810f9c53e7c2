import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PrimitiveColumn } from "../../src/arrow/column.js";
import { computeColumnSum } from "../../src/arrow/column-sum.js";
import { createTextColumn } from "../../src/arrow/text.js";
import { computeValidity } from "../../src/kernels/values/bitmap.js";
import { encodeFloat16 } from "../../src/kernels/values/number-bits.js";

type Values = PrimitiveColumn["values"];

const column = (type: PrimitiveColumn["type"], values: Values, length = values.length): PrimitiveColumn => ({
  ...{ layout: "primitive", type, values, length, validity: null },
});

describe("the sum of a column", () => {
  test("is that of a loop over its values", () => {
    fc.assert(
      fc.property(fc.float64Array({ maxLength: 50 }), fc.nat(50), fc.nat(50), (values, a, b) => {
        const [from, to] = [a, b].map((at) => Math.min(at, values.length)).sort((p, q) => p - q);
        const expected = values.slice(from, to).reduce((sum, value) => sum + value, 0);
        expect(computeColumnSum(column({ id: "Float", bits: 64 }, values), from, to)).toBe(expected);
      }),
    );
  });

  test("takes all types of numbers", () => {
    expect(computeColumnSum(column({ id: "Int", bits: 8, signed: true }, Int8Array.of(-1, 3)))).toBe(2);
    expect(computeColumnSum(column({ id: "Int", bits: 64, signed: false }, BigUint64Array.of(2n, 3n)))).toBe(5);
    const halves = Uint16Array.of(encodeFloat16(0.5), encodeFloat16(2));
    expect(computeColumnSum(column({ id: "Float", bits: 16 }, halves))).toBe(2.5);
    expect(computeColumnSum(column({ id: "Bool" }, Uint8Array.of(0b101), 3))).toBe(2);
    expect(computeColumnSum(column({ id: "Float", bits: 32 }, Float32Array.of(1, Number.NaN)))).toBeNaN();
  });

  test("counts what is missing as 0", () => {
    const values = column({ id: "Int", bits: 32, signed: true }, Int32Array.of(1, 2, 4));
    expect(computeColumnSum({ ...values, validity: computeValidity(3, (i) => i !== 1) })).toBe(5);
  });

  test("of text is an error", () => {
    expect(() => computeColumnSum(createTextColumn(["a"]))).toThrow(/Utf8 is no type of numbers/);
  });
});
