/** What a hostile file makes its reader visit. */

import { expect, test } from "vitest";
import { Limits, TOP_SCOPE } from "../../../../src/readers/matlab/values/context.js";

test("cells that many ways lead to are an error before they take long", () => {
  const limits = new Limits();
  limits.enter("cell", TOP_SCOPE);
  for (let i = 0; i < 10_000; i++) limits.enter("cell", TOP_SCOPE);
  limits.enter("another", TOP_SCOPE);
  limits.enter(null, TOP_SCOPE);
  expect(() => limits.enter("another", TOP_SCOPE)).toThrow("references lead to the same objects more than 10000 times");
});
