import { expect, test } from "vitest";
import { findNearestNames, findSimilarNames } from "../../src/model/nearest.js";

const NAMES = ["obs", "var", "X", "obsm/X_umap", "layers/counts", "uns"];

test.each([
  ["obs_", "obs"],
  ["OBS", "obs"],
  ["X_umap", "obsm/X_umap"],
  ["layer/count", "layers/counts"],
  ["x", "X"],
])("%s is most like %s", (name, expected) => {
  expect(findNearestNames(name, NAMES)[0]).toBe(expected);
});

test("at most three names, and none of none", () => {
  expect(findNearestNames("obs", NAMES)).toHaveLength(3);
  expect(findNearestNames("obs", ["var"])).toEqual(["var"]);
  expect(findNearestNames("obs", [])).toEqual([]);
});

test.each([
  ["levle", ["level"]],
  ["regoin", ["region"]],
  ["lvlee", []],
  ["x", []],
])("what %s may mean", (name, expected) => {
  expect(findSimilarNames(name, ["level", "region", "signal"])).toEqual(expected);
});
