import { describe, expect, test } from "vitest";
import { expectedOf, openFixture, tablesOf } from "./expected.js";

const CONTAINERS = [
  ["h5ad", "hdf5"],
  ["v2.zarr.zip", "zarr2"],
  ["v3.zarr.zip", "zarr3"],
  ["v3s.zarr.zip", "zarr3"],
] as const;

describe.each(["modern", "plain", "empty"])("%s", (name) => {
  test.each(CONTAINERS)("as .%s holds what anndata reads", async (suffix, container) => {
    const data = await openFixture(`${name}.${suffix}`);
    expect(Object.fromEntries(data.failures)).toEqual({});
    expect(data.warnings).toEqual([]);
    expect([data.format, data.container, data.version]).toEqual(["anndata", container, "0.1.0"]);
    const [found, expected] = [await tablesOf(data), expectedOf(name)];
    expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
    for (const [table, one] of Object.entries(expected)) expect(found[table], table).toEqual(one);
    expect(data.shape).toEqual([expected.obs, expected.var].map(({ columns }) => Object.values(columns)[0].length));
  });
});
