import { expect, test } from "vitest";
import { toCategoricalColumn } from "../../src/arrow/categorical.js";
import { createTextColumn } from "../../src/arrow/text.js";

const categories = createTextColumn(["a", "b"]);

test.each([[Uint8Array.of(1, 0, 2)], [Int8Array.of(1, 0, 2)], [BigInt64Array.of(1n, 0n, 2n)]])(
  "codes that count from 1 are missing where they are 0: %s",
  (codes) => {
    const { indices, validity } = toCategoricalColumn(codes, categories, false, 1);
    expect(Array.from(indices, Number)).toEqual([0, 0, 1]);
    expect(validity).toEqual({ bitmap: Uint8Array.of(0b101), nullCount: 1 });
  },
);

test("a code beyond the last category is an error with both numbers", () => {
  expect(() => toCategoricalColumn(Uint8Array.of(1, 3), categories, false, 1)).toThrow(
    "code 3 at 1 lies outside 0 … 2 (2 categories)",
  );
});
