/** What a hostile file makes its reader visit. */

import { expect, test } from "vitest";
import { Limits, TOP } from "../../../../src/readers/matlab/values/context.js";

test("cells that many ways lead to are an error before they take long", () => {
  const limits = new Limits();
  limits.enter("cell", TOP);
  for (let i = 0; i < 10_000; i++) limits.enter("cell", TOP);
  limits.enter("another", TOP);
  limits.enter(null, TOP);
  expect(() => limits.enter("another", TOP)).toThrow("references lead to the same objects more than 10000 times");
});
