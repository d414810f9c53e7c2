import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PrimitiveColumn } from "../../src/arrow/column.js";
import { columnSum } from "../../src/arrow/column-sum.js";
import { textColumnOf } from "../../src/arrow/text.js";
import { validityWhere } from "../../src/kernels/values/bitmap.js";
import { float16Bits } from "../../src/kernels/values/number-bits.js";

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
        expect(columnSum(column({ id: "Float", bits: 64 }, values), from, to)).toBe(expected);
      }),
    );
  });

  test("takes all types of numbers", () => {
    expect(columnSum(column({ id: "Int", bits: 8, signed: true }, Int8Array.of(-1, 3)))).toBe(2);
    expect(columnSum(column({ id: "Int", bits: 64, signed: false }, BigUint64Array.of(2n, 3n)))).toBe(5);
    const halves = Uint16Array.of(float16Bits(0.5), float16Bits(2));
    expect(columnSum(column({ id: "Float", bits: 16 }, halves))).toBe(2.5);
    expect(columnSum(column({ id: "Bool" }, Uint8Array.of(0b101), 3))).toBe(2);
    expect(columnSum(column({ id: "Float", bits: 32 }, Float32Array.of(1, Number.NaN)))).toBeNaN();
  });

  test("counts what is missing as 0", () => {
    const values = column({ id: "Int", bits: 32, signed: true }, Int32Array.of(1, 2, 4));
    expect(columnSum({ ...values, validity: validityWhere(3, (i) => i !== 1) })).toBe(5);
  });

  test("of text is an error", () => {
    expect(() => columnSum(textColumnOf(["a"]))).toThrow(/Utf8 is no type of numbers/);
  });
});
