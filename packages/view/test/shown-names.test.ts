/** The page names tables and columns as statements do, so that a filter and a statement mean the same. */

import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Dataset } from "../../../src/model/dataset.js";
import { openDuckDB } from "../../../src/sinks/duckdb/duckdb.node.js";
import { open, writeBytes } from "../../published/src/node.js";
import { PageStatements } from "../src/page-statements.js";
import type { ViewRequest } from "../src/view-request.js";
import { Viewer } from "../src/viewer.js";

const X = { row: [0, 1, 2], col: [0, 1, 1], value: [1, 2, 3] };
let dataset: Dataset;
let viewer: Viewer;

beforeAll(async () => {
  dataset = await open(
    await writeBytes("h5ad", {
      ...{ X, "layers/Counts": X, "layers/counts": { ...X, value: [10, 20, 30] } },
      obs: { _index: ["c0", "c1", "c2"], row: [5, 4, 3], Batch: ["a", "b", "b"], batch: [1, 2, 3] },
      var: { _index: ["g0", "g1"] },
    }),
  );
  const statements = new PageStatements(openDuckDB);
  viewer = new Viewer({
    inputs: async () => [{ name: "plate", bytes: null }],
    open: async () => dataset,
    statement: (input, signal) => statements.answer(input, signal),
  });
});
afterAll(() => viewer.close());

async function rows(request: ViewRequest): Promise<unknown[]> {
  const answer = await viewer.answer(request, new AbortController().signal);
  if (answer.kind === "json") return [answer.value];
  const bytes: Uint8Array[] = [];
  for await (const chunk of answer.chunks) bytes.push(Uint8Array.from(chunk));
  return tableFromIPC(bytes)
    .toArray()
    .map((row) => JSON.parse(String(row)));
}

test("tables and columns, with a warning", async () => {
  const [described] = await rows({ call: "describe", input: "plate" });
  expect(described).toMatchObject({
    warnings: [
      'layers/counts: is "layers/counts_1" here, because the name of another table differs in case alone',
      'obs: columns whose names others have are called otherwise here: "row" is "row_1", "batch" is "batch_1"',
    ],
    tables: expect.arrayContaining([
      expect.objectContaining({ name: "layers/counts_1", layouts: ["coordinate", "list", "dense"] }),
      expect.objectContaining({
        name: "obs",
        index: "_index",
        columns: ["_index", "row_1", "Batch", "batch_1"].map((name) => expect.objectContaining({ name })),
      }),
    ]),
  });
});

test("rows, by ranges, by positions and by conditions", async () => {
  const columns = ["row_1", "batch_1"];
  expect(await rows({ call: "rows", input: "plate", table: "obs", columns, rows: [1, 3] })).toEqual([
    { row_1: 4, batch_1: 2 },
    { row_1: 3, batch_1: 3 },
  ]);
  expect(await rows({ call: "rows", input: "plate", table: "obs", columns, at: [2, 0] })).toEqual([
    { row_1: 3, batch_1: 3 },
    { row_1: 5, batch_1: 1 },
  ]);
  expect(await rows({ call: "positions", input: "plate", table: "obs", filter: "row_1 = 5 or row = 2" })).toEqual([
    { position: 0 },
    { position: 2 },
  ]);
  const table = "layers/counts_1";
  expect(await rows({ call: "rows", input: "plate", table, columns: ["value"], rows: [0, 1] })).toEqual([
    { value: 10 },
  ]);
  expect(await rows({ call: "positions", input: "plate", table, filter: "value > 10" })).toEqual([
    { position: 1 },
    { position: 2 },
  ]);
});
