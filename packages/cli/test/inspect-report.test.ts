import { expect, test } from "vitest";
import { open } from "../../published/src/node.js";
import { formatInspectReport } from "../src/actions/inspect-report.js";

const DATA = "test/fixtures/data";
const { signal } = new AbortController();

test.each([
  [`${DATA}/cellranger/v3.h5`, ", 40 cells x 12 genes"],
  [`${DATA}/h5seurat/object.h5seurat`, ", 5 cells x 6 genes"],
  [`${DATA}/r/seurat.rds`, ", 5 cells x 6 genes"],
  // A matrix alone may be anything.
  [`${DATA}/r/dgCMatrix.rds`, ": R dgCMatrix in RDS, 6 x 5"],
  [`${DATA}/r/matrix.rds`, ": R data in RDS, 6 x 5"],
  [`${DATA}/r/several.RData`, ": R data in RDS"],
])("the first line names the axes of the shape: %s", async (path, size) => {
  const data = await open(path);
  const [line] = (await formatInspectReport(data, { signal })).split("\n");
  expect(line.endsWith(size), line).toBe(true);
  const { obs, var: features } = Object.fromEntries(data.tables);
  if (obs !== undefined) expect(data.shape).toEqual([obs.rows, features.rows]);
  await data.close();
});

test("the time of many elements grows with their number", async () => {
  const json = (value: object) => new TextEncoder().encode(JSON.stringify(value));
  const array = { zarr_format: 2, shape: [1], chunks: [1], dtype: "<i8", fill_value: 0, order: "C" };
  const element = json({ ...array, compressor: null, filters: null });
  const store = new Map([
    [".zgroup", json({ zarr_format: 2 })],
    [".zattrs", json({ "encoding-type": "anndata", "encoding-version": "0.1.0" })],
    ["obs/.zgroup", json({ zarr_format: 2 })],
    ["uns/.zgroup", json({ zarr_format: 2 })],
  ]);
  const count = 40_000;
  for (let i = 0; i < count; i++) store.set(`uns/e${i}/.zarray`, element);
  const data = await open(store, { maxObjects: 2 ** 20 });
  const began = performance.now();
  expect(await formatInspectReport(data, { signal })).toContain("uns/…  40,000 tables");
  expect(performance.now() - began).toBeLessThan(4000);
});
