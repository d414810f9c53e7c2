/** Statements about files whose columns and tables have names that statements need, or that differ in case alone. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { open, writeBytes } from "../../../packages/published/src/node.js";
import type { Dataset } from "../../../src/model/dataset.js";
import { Session } from "../../../src/query/session/session.js";
import { openDuckDB } from "../../../src/sinks/duckdb/duckdb.node.js";
import { encodeJson } from "../../../src/sinks/text/json.js";
import { textOf } from "../../sinks/dataset-of.js";

/** Three cells with a gene each. */
const X = { row: [0, 1, 2], col: [0, 1, 2], value: [1, 2, 3] };
const CELLS = ["c0", "c1", "c2"];
const GENES = ["g0", "g1", "g2"];

let plate: Dataset;
let other: Dataset;
let one: Session;
let union: Session;

beforeAll(async () => {
  plate = await open(
    await writeBytes("h5ad", {
      ...{ X, "layers/Counts": X, "layers/counts": { ...X, value: [10, 20, 30] } },
      obs: { _index: CELLS, well: ["w", "x", "y"], row: [2, 1, 0], Batch: ["a", "b", "b"], batch: [1, 2, 3] },
      var: { _index: GENES, COL: [2, 0, 1] },
    }),
  );
  other = await open(
    await writeBytes("h5ad", { X, obs: { _index: CELLS, filename: ["p", "q", "r"] }, var: { _index: GENES } }),
  );
  one = new Session(
    { datasets: [{ name: "plate", path: "plate.h5ad", dataset: plate }], union: false },
    { files: null, open: openDuckDB },
  );
  union = new Session(
    {
      datasets: [
        { name: "plate", path: "plate.h5ad", dataset: plate },
        { name: "other", path: "other.h5ad", dataset: other },
      ],
      union: true,
    },
    { files: null, open: openDuckDB },
  );
});
afterAll(async () => {
  for (const session of [one, union]) await session.close();
  for (const dataset of [plate, other]) await dataset.close();
});

async function rows(session: Session, sql: string): Promise<unknown> {
  const answer = await session.answer(sql);
  return JSON.parse(await textOf(encodeJson(answer.rows, { array: true })));
}

describe("positions", () => {
  test("join a matrix with the right cells and genes", async () => {
    const joined = "from X join obs using (row) join var using (col) order by value";
    expect(await rows(one, `select obs._index as cell, var._index as gene, value ${joined}`)).toEqual(
      CELLS.map((cell, i) => ({ cell, gene: GENES[i], value: i + 1 })),
    );
    expect(await rows(one, "select well, row_1 from gene('g0') join obs using (row) where value > 0")).toEqual([
      { well: "w", row_1: 2 },
    ]);
  });

  test("limit what is read, and columns of the file do not", async () => {
    const explained = await one.explain("select value from X join obs using (row) where row_1 = 2");
    const reads = JSON.parse(await textOf(encodeJson(explained, { array: true })));
    expect(reads).toContainEqual(expect.objectContaining({ table: "X", row: "1 of 3 (0)" }));
    expect(await rows(one, "select value from X join obs using (row) where row_1 = 2")).toEqual([{ value: 1 }]);
  });

  test("count within each file of a union, whose paths no column hides", async () => {
    const joined = "select filename, well, filename_1, value from X join obs using (filename, row) order by 1, 4";
    expect(await rows(union, joined)).toEqual([
      ...["p", "q", "r"].map((text, i) => ({ filename: "other.h5ad", well: null, filename_1: text, value: i + 1 })),
      ...["w", "x", "y"].map((well, i) => ({ filename: "plate.h5ad", well, filename_1: null, value: i + 1 })),
    ]);
  });
});

test("columns with all names of a matrix hinder no join", async () => {
  const spots = { _index: CELLS, row: [9, 8, 7], col: [6, 5, 4], value: ["a", "b", "c"] };
  const dataset = await open(await writeBytes("h5ad", { X, obs: spots, var: { _index: GENES, row: [3, 3, 3] } }));
  const named = { name: "spots", path: "spots.h5ad", dataset };
  const session = new Session({ datasets: [named], union: false }, { files: null, open: openDuckDB });
  const own =
    "select row, obs.row_1, col_1, value_1, value from obs join var on var._index = 'g1' left join X using (row, col)";
  expect(await rows(session, `${own} order by row`)).toEqual([
    { row: 0, row_1: 9, col_1: 6, value_1: "a", value: null },
    { row: 1, row_1: 8, col_1: 5, value_1: "b", value: 2 },
    { row: 2, row_1: 7, col_1: 4, value_1: "c", value: null },
  ]);
  expect(await rows(session, "select value_1, value from obs join gene('g0') using (row) order by row")).toEqual([
    { value_1: "a", value: 1 },
    { value_1: "b", value: 0 },
    { value_1: "c", value: 0 },
  ]);
  await session.close();
  await dataset.close();
});

describe("names that differ in case alone", () => {
  test("get a number, in the order of the file", async () => {
    expect(await rows(one, "select row, Batch, batch_1 from obs order by row")).toEqual([
      { row: 0, Batch: "a", batch_1: 1 },
      { row: 1, Batch: "b", batch_1: 2 },
      { row: 2, Batch: "b", batch_1: 3 },
    ]);
    expect(await rows(one, 'select sum(value) as n from "layers/Counts"')).toEqual([{ n: 6 }]);
    expect(await rows(one, 'select sum(value) as n from "layers/counts_1"')).toEqual([{ n: 60 }]);
    expect(await rows(one, "select max(value) as m from gene('g1', layer := 'counts')")).toEqual([{ m: 20 }]);
    expect(await rows(union, 'select filename, sum(value) as n from "layers/counts_1" group by 1')).toEqual([
      { filename: "plate.h5ad", n: 60 },
    ]);
  });

  test("are listed as statements know them", async () => {
    const listed = await rows(one, "show tables");
    expect(listed).toContainEqual({ name: "layers/counts_1", rows: 3, columns: "row, col, value" });
    expect(listed).toContainEqual({ name: "obs", rows: 3, columns: "_index, well, row_1, Batch, batch_1, row" });
    expect(listed).toContainEqual({ name: "var", rows: 3, columns: "_index, COL_1, col" });
  });

  test("an unknown name is an error with the names that there are", async () => {
    await expect(one.answer("select batch_2 from obs")).rejects.toThrow("_index, well, row_1, Batch, batch_1, row");
  });
});

test("an answer has warnings for the tables that it names", async () => {
  const warningsOf = async (sql: string) => (await one.answer(sql)).warnings;
  expect(await warningsOf("select count(*) from X")).toEqual([]);
  expect(await warningsOf("select count(*) from obs")).toEqual([
    'obs: columns whose names others have are called otherwise here: "row" is "row_1", "batch" is "batch_1"',
  ]);
  expect(await warningsOf('select count(*) from "layers/counts_1"')).toEqual([
    'layers/counts: is "layers/counts_1" here, because the name of another table differs in case alone',
  ]);
});
