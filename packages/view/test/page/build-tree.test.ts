/** Elements as a tree. */

import { expect, test } from "vitest";
import { buildTree, searchTree, seenNodes, type TreeNode } from "../../page/src/tree/build-tree.js";

interface Named {
  readonly name: string;
}

const outline = (nodes: readonly TreeNode<Named>[]): string[] =>
  seenNodes(nodes, () => true).map(
    ({ label, level, element, failure }) =>
      `${"  ".repeat(level - 1)}${label}${element === null ? "" : " *"}${failure === null ? "" : ` (${failure})`}`,
  );
const named = (...names: string[]) => names.map((name) => ({ name }));

test("names nest by their parts, in the order of the file", () => {
  const tree = buildTree(named("X", "layers/counts", "obs", "uns/a/b", "layers/logs", "uns"), []);
  expect(outline(tree)).toEqual(["X *", "layers", "  counts *", "  logs *", "obs *", "uns *", "  a", "    b *"]);
});

test("modalities are folders of folders", () => {
  const tree = buildTree(named("obs", "rna/X", "rna/obs", "adt/X"), []);
  expect(outline(tree)).toEqual(["obs *", "rna", "  X *", "  obs *", "adt", "  X *"]);
});

test("elements that failed stand in their place", () => {
  const tree = buildTree(named("obsm/X_pca"), [{ name: "obsm/X_umap", message: "corrupt" }]);
  expect(outline(tree)).toEqual(["obsm", "  X_pca *", "  X_umap (corrupt)"]);
});

test("odd names are names", () => {
  const tree = buildTree(named("/", "a//b", "__proto__/c"), []);
  expect(outline(tree)).toEqual(["/ *", "a", "  ", "    b *", "__proto__", "  c *"]);
});

test("a search keeps what is found, all above it and all below", () => {
  const tree = buildTree(named("layers/counts", "obs", "uns/neighbors/params"), []);
  expect(outline(searchTree(tree, "COUNT"))).toEqual(["layers", "  counts *"]);
  expect(outline(searchTree(tree, "neighb"))).toEqual(["uns", "  neighbors", "    params *"]);
  expect(outline(searchTree(tree, "nothing"))).toEqual([]);
});

test("closed folders hide what is below", () => {
  const tree = buildTree(named("a/b/c", "d"), []);
  expect(seenNodes(tree, ({ label }) => label === "a").map(({ path }) => path)).toEqual(["a", "a/b", "d"]);
});
