import { expect, test } from "vitest";
import { UnifiedDictionary } from "../../src/arrow/categorical.js";
import type { Column } from "../../src/arrow/column.js";

const float16 = (...bits: number[]): Column => ({
  layout: "primitive",
  type: { id: "Float", bits: 16 },
  length: bits.length,
  validity: null,
  values: Uint16Array.from(bits),
});

test("what stands in several dictionaries is one category", () => {
  const all = new UnifiedDictionary();
  expect(all.codes(float16(0x3c00, 0x4000))).toBeNull();
  expect(all.codes(float16(0x4000, 0x4200, 0x3c00))).toEqual(Int32Array.of(1, 2, 0));
  expect(all.length).toBe(3);
});

test("zeros of either sign, and NaNs by sign and payload, are categories of their own", () => {
  const all = new UnifiedDictionary();
  expect(all.codes(float16(0x0000, 0x8000, 0x7d00, 0xfd00))).toBeNull();
  expect(all.codes(float16(0xfd00, 0x7d00, 0x8000, 0x7e00))).toEqual(Int32Array.of(3, 2, 1, 4));
});
