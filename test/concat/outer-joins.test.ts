/** What outer joins make of numbers that some datasets lack, and of types that differ. */

import type { vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import type { ConcatOptions } from "../../packages/published/src/index.js";
import { concat as concatPaths, write } from "../../packages/published/src/node.js";
import { plainRows } from "../arrow/plain.js";
import { place } from "../formats/conversion/opened.js";
import { A, B, file } from "./small.js";

/** What pandas makes of the columns; test/interop/parts/test_concat_draws.py compares with it over random draws. */
describe("columns of numbers and booleans", () => {
  async function column(a: Values, b: Values | null, options: ConcatOptions = {}) {
    const inputs = [await file({ ...A, obs: { c: a } }), await file(b === null ? B : { ...B, obs: { c: b } })];
    const all = await concatPaths(inputs, { join: "outer", ...options });
    const read = await all.table("obs").read({ columns: ["c"] });
    const values = plainRows(read).flat();
    await all.close();
    return { type: String(read.schema.fields[0].type), values, warnings: all.warnings.join("\n") };
  }
  type Values = Parameters<typeof vectorFromArray>[0];

  test("booleans beside integers are integers", async () => {
    expect(await column([true, false], Int8Array.of(5))).toMatchObject({ type: "Int8", values: [1, 0, 5] });
    const wide = await column(BigInt64Array.of(7n, 8n), [true]);
    expect(wide).toMatchObject({ type: "Int64", values: [7n, 8n, 1n] });
    expect(wide.warnings).toContain('obs: column "c" becomes Int64, from Int64 and Bool');
  });

  test("booleans beside floats are an error that names the way out, which makes them 0 and 1", async () => {
    const floats = Float64Array.of(0.5);
    await expect(column([true, false], floats)).rejects.toThrow(
      "which have no type together: cast it, or allow losses (--lossy) to have booleans as 0 and 1",
    );
    const { type, warnings } = await column([true, false], floats, { lossy: true });
    expect(type).toBe("Float64");
    expect(warnings).toContain('obs: column "c" becomes Float64, from Bool and Float64');
  });

  test("a column without a type together is left out with lossy", async () => {
    const inputs = [
      await file({ ...A, obs: { c: [true, false], n: [1, 2] } }),
      await file({ ...B, obs: { c: ["x"], n: [3] } }),
    ];
    await expect(concatPaths(inputs)).rejects.toThrow("allow losses (--lossy) to leave it out");
    const all = await concatPaths(inputs, { lossy: true });
    expect(all.table("obs").schema.fields.map(({ name }) => name)).toEqual(["_index", "n"]);
    expect(all.warnings.join("\n")).toMatch(/left out: obs: column "c" is .*Utf8/);
    await all.close();
  });

  test("integers that a dataset lacks are null, or floats with NaN", async () => {
    expect(await column(Int32Array.of(1, 2), null)).toMatchObject({ type: "Int32", values: [1, 2, null] });
    const floats = await column(Int32Array.of(1, 2), null, { missingIntegers: "float" });
    expect(floats.type).toBe("Float64");
    expect(floats.values).toEqual(["f64:3ff0000000000000", "f64:4000000000000000", "f64:7ff8000000000000"]);
    expect(floats.warnings).toContain('obs: column "c" becomes Float64, from Int32');
    expect(await column(BigInt64Array.of(2n ** 60n + 1n, 2n), null)).toMatchObject({
      values: [2n ** 60n + 1n, 2n, null],
    });
    await expect(column(BigInt64Array.of(2n ** 60n + 1n, 2n), null, { missingIntegers: "float" })).rejects.toThrow(
      "1152921504606846977 would be rounded to Float64; allow losses (--lossy)",
    );
  });
});

test("dense integers and booleans become floats, with NaN where a dataset lacks a gene, as in anndata", async () => {
  const dense = async (genes: readonly string[], columns: Record<string, Int32Array | boolean[]>) => {
    const path = place("h5ad");
    await write(path, { obs: { index: genes.map((gene) => `c${gene}`) }, var: { index: genes }, X: columns });
    return path;
  };
  const inputs = [
    await dense(["a", "b"], { a: Int32Array.of(1, 2), b: Int32Array.of(3, 4) }),
    await dense(["b", "c"], { b: [true, false], c: [false, true] }),
  ];
  const all = await concatPaths(inputs, { join: "outer" });
  expect(String(all.table("X").schema.fields[0].type)).toBe("FixedSizeList[3]<Float64>");
  const rows = [...(await all.table("X").read())].map((row) => Array.from(row.value, Number));
  expect(rows).toEqual([
    [1, 3, Number.NaN],
    [2, 4, Number.NaN],
    [Number.NaN, 1, 0],
    [Number.NaN, 0, 1],
  ]);
  expect(all.warnings.join("\n")).toContain("X: becomes Float64, from Int32 and Bool");
  await all.close();
});
