/**
 * Columns of a file that have the names of positions (plates have wells at a `row` and a `col`), and names that differ in case
 * alone: positions are positions everywhere, and every column comes back under its own name.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { DataType } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { convert, open, sql, withPositions, write } from "../../packages/published/src/node.js";

const folder = mkdtempSync(join(tmpdir(), "annarrow-taken-names-"));
const path = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

/** Four cells with a gene each: cell 0 has 1 of gene 0, cell 3 has 4 of gene 3. */
const X = { row: [0, 1, 2, 3], col: [0, 1, 2, 3], value: [1, 2, 3, 4] };
const CELLS = ["c0", "c1", "c2", "c3"];
const GENES = ["g0", "g1", "g2", "g3"];

beforeAll(async () => {
  await write(path("plate.h5ad"), {
    X,
    obs: { _index: CELLS, well: ["w", "x", "y", "z"], row: [3, 2, 1, 0] },
    var: { _index: GENES, col: [1, 0, 3, 2] },
  });
  await write(
    path("index.h5ad"),
    { X, obs: { row: CELLS, Row: [3, 2, 1, 0] }, var: { COL: GENES } },
    { index: { obs: "row", var: "COL" } },
  );
  await write(path("case.h5ad"), {
    ...{ X, "layers/Counts": X, "layers/counts": { ...X, value: [5, 6, 7, 8] } },
    obs: { _index: CELLS, Batch: ["a", "a", "b", "b"], batch: [1, 1, 2, 2], batch_1: [9, 9, 9, 9] },
    var: { _index: GENES },
  });
});

async function rowsIn(file: string, statement: string) {
  const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(statement)).getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The columns of a table, by their names. */
async function columnsOf(file: string, table: string): Promise<Record<string, unknown[]>> {
  const data = await open(file);
  try {
    const read = await data.table(table).read();
    return Object.fromEntries(
      read.schema.fields.map((field, i) => [field.name, [...(read.getChildAt<DataType>(i) ?? [])].map(plain)]),
    );
  } finally {
    await data.close();
  }
}

const plain = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);

const ENTRIES = CELLS.map((cell, i) => [cell, GENES[i], i + 1]);

describe("a selection by a statement", () => {
  test("takes the position, not the column of the file", async () => {
    const data = await open(path("plate.h5ad"));
    expect(await (await data.select({ obs: sql`select row from obs where well = 'w'` })).obsNames()).toEqual(["c0"]);
    expect(await (await data.select({ obs: sql`select row from obs where row_1 = 3` })).obsNames()).toEqual(["c0"]);
    expect(await (await data.select({ var: sql`select col from var where col_1 = 3` })).varNames()).toEqual(["g2"]);
    await data.close();
  });

  test("a condition means the columns of the file", async () => {
    const data = await open(path("plate.h5ad"));
    expect(await (await data.select({ obs: sql`row = 3` })).obsNames()).toEqual(["c0"]);
    await data.close();
  });
});

describe("a database file", () => {
  test("joins by positions, and names the right cells and genes", async () => {
    const { warnings } = await convert(path("plate.h5ad"), path("plate.duckdb"));
    expect(warnings.filter((text) => /"(row|col)" is "\1_1"/.test(text))).toHaveLength(2);
    const named = "select obs_name, var_name, value from X_named order by value";
    expect(await rowsIn(path("plate.duckdb"), named)).toEqual(ENTRIES);
    expect(await rowsIn(path("plate.duckdb"), "select row, row_1::int, well from obs order by row")).toEqual([
      [0, 3, "w"],
      [1, 2, "x"],
      [2, 1, "y"],
      [3, 0, "z"],
    ]);
  });

  test("also where the names of cells and genes are called as positions are", async () => {
    await convert(path("index.h5ad"), path("index.duckdb"));
    const named = "select obs_name, var_name, value from X_named order by value";
    expect(await rowsIn(path("index.duckdb"), named)).toEqual(ENTRIES);
    const columns = "select column_name from duckdb_columns() where table_name = 'obs' order by column_index";
    expect(await rowsIn(path("index.duckdb"), columns)).toEqual([["row_1"], ["Row_2"], ["row"]]);
  });

  test("has all tables and columns whose names differ in case alone", async () => {
    const { warnings } = await convert(path("case.h5ad"), path("case.duckdb"));
    expect(warnings.join("\n")).toContain(
      'obs: columns whose names others have are called otherwise here: "batch" is "batch_2"',
    );
    expect(warnings.join("\n")).toContain('layers/counts: is "layers/counts_1" here');
    const sums =
      'select (select sum(value)::int from "layers/Counts"), (select sum(value)::int from "layers/counts_1_named")';
    expect(await rowsIn(path("case.duckdb"), sums)).toEqual([[10, 26]]);
    const batches = "select Batch, batch_1::int, batch_2::int from obs where row = 3";
    expect(await rowsIn(path("case.duckdb"), batches)).toEqual([["b", 9, 2]]);
  });
});

describe.each(["parquet", "arrow"] as const)("files as %s with positions", (format) => {
  const output = path(`plate-${format}`);
  beforeAll(async () => {
    const { warnings } = await convert(path("plate.h5ad"), output, { format, positions: true });
    expect(warnings.filter((text) => /"(row|col)" is "\1_1"/.test(text))).toHaveLength(2);
    await convert(path("index.h5ad"), `${output}-index`, { format, positions: true });
  });

  test("have the positions under the names of the docs", async () => {
    const single = await columnsOf(join(output, `obs.${format}`), "obs");
    expect(single).toEqual({ _index: CELLS, well: ["w", "x", "y", "z"], row_1: [3, 2, 1, 0], row: [0, 1, 2, 3] });
    const variables = await columnsOf(join(output, `var.${format}`), "var");
    expect(variables).toEqual({ _index: GENES, col_1: [1, 0, 3, 2], col: [0, 1, 2, 3] });
  });

  test("are read again, as a folder and as single files, under their own names", async () => {
    const own = { _index: CELLS, well: ["w", "x", "y", "z"], row: [3, 2, 1, 0] };
    expect(await columnsOf(output, "obs")).toEqual(own);
    await convert(output, path(`back-${format}.h5ad`));
    expect(await columnsOf(path(`back-${format}.h5ad`), "obs")).toEqual(own);
    expect(await columnsOf(path(`back-${format}.h5ad`), "var")).toEqual({ _index: GENES, col: [1, 0, 3, 2] });
    const obs = await open(join(output, `obs.${format}`));
    await write(path(`single-${format}.h5ad`), { obs: obs.table("obs"), var: { _index: GENES } });
    await obs.close();
    expect(await columnsOf(path(`single-${format}.h5ad`), "obs")).toEqual(own);
  });

  test("an index with the name of positions stays the index", async () => {
    await convert(`${output}-index`, path(`index-${format}.h5ad`));
    expect(await columnsOf(path(`index-${format}.h5ad`), "obs")).toEqual({ row: CELLS, Row: [3, 2, 1, 0] });
    const back = await open(path(`index-${format}.h5ad`));
    expect([await back.obsNames(), await back.varNames()]).toEqual([CELLS, GENES]);
    expect(back.table("obs").metadata.index).toBe("row");
    await back.close();
  });
});

test("a table with positions is written without them, and under its own names", async () => {
  const data = await open(path("plate.h5ad"));
  const obs = withPositions(data.table("obs"));
  expect(obs.schema.fields.map(({ name }) => name)).toEqual(["_index", "well", "row_1", "row"]);
  await write(path("positions.h5ad"), { obs, var: { _index: GENES } });
  await data.close();
  expect(Object.keys(await columnsOf(path("positions.h5ad"), "obs"))).toEqual(["_index", "well", "row"]);
});
