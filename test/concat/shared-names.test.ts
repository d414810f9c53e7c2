/** Names along the axis of a concatenation that two datasets have: anndata warns that names are not unique. */

import { describe, expect, test } from "vitest";
import { concat as concatPaths } from "../../packages/published/src/node.js";
import { A, B, file } from "./small.js";

describe("names that datasets share", () => {
  test("are found in Zarr and h5ad, and are no names of one dataset that repeat", async () => {
    const twice = { ...A, cells: ["x", "x"] };
    const all = await concatPaths([await file(twice), await file(B), await file({ ...B, cells: ["x"] }, "zarr")]);
    expect(all.warnings[0]).toMatch(/^obs: the name "x" is in .*h5ad and in .*zarr; /);
    await all.close();
    const own = await concatPaths([await file(twice), await file(B)]);
    expect(own.warnings.join()).not.toContain("indexUnique");
    await own.close();
  });

  test("are a warning that names the option", async () => {
    const [a, b] = [await file(A), await file({ ...B, cells: ["a2"] })];
    const all = await concatPaths([a, b]);
    expect(all.warnings[0]).toBe(
      `obs: the name "a2" is in ${a} and in ${b}; indexUnique (--index-unique) adds the datasets' keys to names`,
    );
    const unique = await concatPaths([a, b], { indexUnique: "-" });
    const apart = await concatPaths([a, await file(B)]);
    for (const { warnings } of [unique, apart]) expect(warnings.join()).not.toContain("indexUnique");
    for (const one of [all, unique, apart]) await one.close();
  });
});
