import { expect, test } from "vitest";
import manifest from "../../../../package.json" with { type: "json" };
import { findNodeProblem } from "../../src/context/failure.js";

test("the oldest Node is the one that package.json names", () => {
  const [, oldest] = /^>=(\d+)$/.exec(manifest.engines.node) ?? [];
  expect(findNodeProblem(`v${oldest}.0.0`)).toBeNull();
  expect(findNodeProblem("v26.1.0")).toBeNull();
  expect(findNodeProblem(`v${Number(oldest) - 1}.9.0`)).toBe(
    `Node v${Number(oldest) - 1}.9.0 is too old: annarrow needs ${oldest} or later`,
  );
});
