import { expect, test } from "vitest";
import { createBp128Pages } from "../../../src/kernels/bp128/pages.js";

test("whether a value is less than the one before it, wherever it stands", async () => {
  for (const page of await createBp128Pages(2)) {
    const { values } = page;
    for (const count of [0, 1, 2, 3, 4, 5, 7, 8, 9, 128, 131]) {
      // Beyond 2^31 numbers are still greater; what stands behind the values does not count.
      for (let i = 0; i < count; i++) values[i] = 2 ** 31 - 3 + Math.floor(i / 2);
      values[count] = 0;
      expect(page.falls(count)).toBe(false);
      for (let at = 1; at < count; at++) {
        const before = values[at];
        values[at] = values[at - 1] - 1;
        expect(page.falls(count)).toBe(true);
        values[at] = before;
      }
    }
  }
});
