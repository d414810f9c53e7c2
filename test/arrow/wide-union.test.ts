/** Lists whose length a file decides are no arguments of one call: a call takes about 120,000. */

import { expect, test } from "vitest";
import { estimatedSize, field } from "../../src/arrow/type.js";

test("a union of many members has an estimated size", () => {
  const fields = Array.from({ length: 200_000 }, (_, i) => field(`f${i}`, { id: "Bool" }));
  expect(estimatedSize({ id: "DenseUnion", fields })).toBeGreaterThan(0);
});
