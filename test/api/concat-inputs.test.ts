import { setImmediate } from "node:timers/promises";
import { tableFromArrays } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { open, writeBytes } from "../../packages/published/src/index.js";
import { type ConcatDataset, InputPool } from "../../src/api/concat-inputs.js";

/** Reads obs of `count` inputs twice, one after the other. Returns how many were open at most, and how many were opened. */
async function twice(count: number): Promise<{ readonly most: number; readonly openings: number }> {
  const bytes = await writeBytes("h5ad", {
    obs: tableFromArrays({ n: Int32Array.of(1, 2) }),
    var: tableFromArrays({ n: Int32Array.of(3) }),
  });
  let opened = 0;
  let most = 0;
  let openings = 0;
  const pool = new InputPool({ lossy: false, modality: null, inputs: count });
  const counted = async (): Promise<ConcatDataset> => {
    const { tables, format, version, container, shape, source, failures, warnings, ...dataset } = await open(bytes);
    openings++;
    most = Math.max(most, ++opened);
    const close = async () => {
      await setImmediate();
      opened--;
    };
    const table = (name: string) => dataset.table(name);
    return { tables, format, version, container, shape, source, failures, warnings, table, close };
  };
  const inputs = [];
  for (let i = 0; i < count; i++) inputs.push(await pool.input({ open: counted }));
  for (let pass = 0; pass < 2; pass++) {
    for (const { tables } of inputs) {
      let rows = 0;
      for await (const { length } of tables.get("obs")?.batches() ?? []) rows += length;
      expect(rows).toBe(2);
    }
  }
  await pool.close();
  expect(opened).toBe(0);
  return { most, openings };
}

describe("inputs of concat that are read pass by pass", () => {
  test("64 stay open, and are opened once", async () => {
    expect(await twice(64)).toEqual({ most: 64, openings: 64 });
  });

  test("of 65, a few stay open, so that memory does not grow with the inputs", async () => {
    const { most, openings } = await twice(65);
    expect(most).toBeLessThanOrEqual(4);
    expect(openings).toBe(3 * 65);
  });
});
