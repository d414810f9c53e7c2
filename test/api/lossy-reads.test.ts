/** A lossy conversion reads a dataframe no more often than another one, unless its data are damaged. */

import { afterEach, expect, test, vi } from "vitest";
import { convert } from "../../packages/published/src/node.js";
import { StoredTable } from "../../src/tables/stored-table.js";
import { place } from "../formats/conversion/opened.js";

afterEach(() => vi.restoreAllMocks());

/** The scans of rows of obs, each by the positions of its columns; null for all. */
async function scansOfObs(output: string, lossy: boolean, format: "parquet" | null): Promise<readonly unknown[]> {
  const spy = vi.spyOn(StoredTable.prototype, "parts");
  await convert("examples/pbmc.h5ad", output, { ...(format === null ? {} : { format }), lossy, overwrite: true });
  const scans = spy.mock.calls.flatMap(([, options], i) => {
    const table: unknown = spy.mock.contexts[i];
    const isEmpty = options?.rows?.[1] === 0;
    return table instanceof StoredTable && table.name === "obs" && !isEmpty ? [options?.fields ?? null] : [];
  });
  spy.mockRestore();
  return scans;
}

test.each([
  ["h5ad", null],
  ["mat", null],
  ["zarr.zip", null],
  ["duckdb", null],
  ["tables", "parquet"],
] as const)("scans of obs on the way to %s", async (name, format) => {
  const output = place(name);
  const scans = await scansOfObs(output, false, format);
  expect(scans.length).toBeGreaterThan(0);
  expect(await scansOfObs(output, true, format)).toEqual(scans);
});
