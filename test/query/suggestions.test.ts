import { expect, test } from "vitest";
import { open } from "../../packages/published/src/node.js";
import { findSuggestion } from "../../src/query/suggestions.js";

test("gene and cells are said to be of annarrow query, where a server meets them", async () => {
  const data = await open("examples/pbmc.h5ad");
  const problem = (name: string) => `Catalog Error: Table Function with name ${name} does not exist!`;
  expect(findSuggestion(problem("gene"), "from gene('CD3E')", data, [])).toBe("gene is for annarrow query alone");
  expect(findSuggestion(problem("range2"), "from range2(3)", data, [])).toBeNull();
  await data.close();
});
