import { describe, expect, test } from "vitest";
import { createTextColumn } from "../../../src/arrow/text.js";
import { FeatureRegistry } from "../src/features.js";

const keys = (...names: string[]) => [createTextColumn(names)];

describe("the features of a union", () => {
  test("keep the columns in which they were first seen", () => {
    const registry = new FeatureRegistry();
    expect([...registry.add(keys("b", "a"), "one")]).toEqual([0, 1]);
    expect([...registry.add(keys("c", "a", "d"), "two")]).toEqual([0, 2]);
    expect(registry.count).toBe(4);
    expect([...registry.columnsOf(keys("d", "b", "c", "a"), "three")]).toEqual([3, 0, 2, 1]);
  });

  test("go on behind those of an earlier commit", () => {
    const registry = new FeatureRegistry();
    expect(registry.addKnown(keys("x", "y"))).toBe(2);
    expect([...registry.add(keys("y", "z"), "one")]).toEqual([1]);
    expect([...registry.columnsOf(keys("x", "y", "z"), "one")]).toEqual([0, 1, 2]);
  });

  test("that repeat in a dataset are an error that names the feature and the dataset", () => {
    const registry = new FeatureRegistry();
    expect(() => registry.add(keys("a", "b", "a"), "one.h5ad")).toThrow(/one\.h5ad.*"a" is there twice.*--var-key/);
  });

  test("that the plan does not have are an error", () => {
    expect(() => new FeatureRegistry().columnsOf(keys("a"), "one.h5ad")).toThrow(/one\.h5ad.*"a" is not in the plan/);
  });
});
