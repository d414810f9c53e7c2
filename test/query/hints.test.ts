import { expect, test } from "vitest";
import { open } from "../../src/node.js";
import { hintFor } from "../../src/query/hints.js";

test("gene and cells are said to be of annarrow query, where a server meets them", async () => {
  const data = await open("examples/pbmc.h5ad");
  const problem = (name: string) => `Catalog Error: Table Function with name ${name} does not exist!`;
  expect(hintFor(problem("gene"), "from gene('CD3E')", data, [])).toBe("gene is for annarrow query alone");
  expect(hintFor(problem("range2"), "from range2(3)", data, [])).toBeNull();
  await data.close();
});
