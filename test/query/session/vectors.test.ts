/** `gene` and `cells` of statements: a value for each cell, or gene, as `gene` and `cells` of a dataset. */

import { Bool, type DataType, Float64, Int32, Table, Uint8, vectorFromArray } from "apache-arrow";
import { expect, test } from "vitest";
import { open, writeBytes } from "../../../packages/published/src/node.js";
import { Session } from "../../../src/query/session/session.js";
import { openDuckDB } from "../../../src/sinks/duckdb/duckdb.node.js";
import { encodeJson } from "../../../src/sinks/text/json.js";
import { textOf } from "../../sinks/dataset-of.js";

/** The answer of a statement about a file of three cells and two genes, with three entries, two of them at one place. */
async function answer(type: DataType, values: readonly unknown[], statement: string): Promise<unknown> {
  const X = new Table({
    row: vectorFromArray([0, 2, 2], new Int32()),
    col: vectorFromArray([1, 1, 1], new Int32()),
    value: vectorFromArray(values, type),
  });
  const bytes = await writeBytes("h5ad", { X, obs: { _index: ["c0", "c1", "c2"] }, var: { _index: ["g0", "g1"] } });
  const dataset = await open(bytes);
  const named = { name: "a", path: "a.h5ad", dataset };
  const session = new Session({ datasets: [named], union: false }, { files: null, open: openDuckDB });
  try {
    return JSON.parse(await textOf(encodeJson((await session.answer(statement)).rows, { array: true })));
  } finally {
    await session.close();
    await dataset.close();
  }
}

test("keep the type of the values, and add up entries that are stored twice, as scipy does", async () => {
  const all = "select row, value, typeof(value) as type from gene('g1') order by row";
  expect(await answer(new Uint8(), [7, 1, 2], all)).toEqual([
    { row: 0, value: 7, type: "UTINYINT" },
    { row: 1, value: 0, type: "UTINYINT" },
    { row: 2, value: 3, type: "UTINYINT" },
  ]);
  expect(await answer(new Float64(), [0.5, Number.NaN, 1], all)).toEqual([
    { row: 0, value: 0.5, type: "DOUBLE" },
    { row: 1, value: 0, type: "DOUBLE" },
    { row: 2, value: "NaN", type: "DOUBLE" },
  ]);
  expect(await answer(new Bool(), [true, false, true], all)).toEqual([
    { row: 0, value: true, type: "BOOLEAN" },
    { row: 1, value: false, type: "BOOLEAN" },
    { row: 2, value: true, type: "BOOLEAN" },
  ]);
});

test("have each cell once, however often it is named", async () => {
  expect(await answer(new Int32(), [7, 1, 2], "from cells('c2', 'c1', 'c2') order by row, col")).toEqual([
    { row: 1, col: 0, value: 0 },
    { row: 1, col: 1, value: 0 },
    { row: 2, col: 0, value: 0 },
    { row: 2, col: 1, value: 3 },
  ]);
});
