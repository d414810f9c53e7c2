/** Tables in DuckDB's own package for Node, by way of Parquet files. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, expect, test } from "vitest";
import { convert, loadIntoDuckDB, open } from "../../../packages/published/src/node.js";
import { parquetFile } from "../../../src/sinks/parquet/parquet.js";
import { bytesOf, tableOf } from "../dataset-of.js";

const folder = mkdtempSync(join(tmpdir(), "annarrow-duckdb-"));
let connection: DuckDBConnection;

beforeAll(async () => {
  connection = await (await DuckDBInstance.create()).connect();
});
afterAll(() => {
  connection.closeSync();
  rmSync(folder, { recursive: true });
});

async function rows(sql: string) {
  return (await connection.runAndReadAll(sql)).getRowObjects();
}

test("values of every type that Parquet holds", async () => {
  const types = tableFromIPC(readFileSync("test/fixtures/data/sinks/types.arrow"));
  const file = join(folder, "types.parquet");
  writeFileSync(file, await bytesOf(parquetFile(tableOf("types", types, { batchRows: 7 }))));
  const [found] = await rows(`select
    max(uint64) = 18446744073709551615 as uint64,
    min(int64) = -9223372036854775808 as int64,
    count(*) filter (float16 = 3.25) = 1 as half,
    count(*) filter (isinf(float16)) = 3 as inf,
    max(timestamp_s) = timestamp '2020-09-13 12:26:40' as seconds,
    min(epoch_ns(timestamp_ns)) = -1 as nanoseconds,
    max(fixed_list[2]) = 2 as fixed_list,
    max(fixed_list_nested[3][2]) = 119 as nested,
    sum(len(list)) = 12 as lists,
    sum(list_struct[1].value) = 25 as structs,
    max(complex.imag) = 19 as complex,
    string_agg(distinct dictionary_ordered, '' order by dictionary_ordered) = 'abc' as dictionary,
    max(list_dictionary[1]) = 'c' as in_list,
    count(bool) = 13 as bools,
    count(*) filter (utf8 = 'x,"y"' || chr(10)) = 2 as text
    from '${file}'`);
  expect(Object.entries(found ?? {}).filter(([, ok]) => ok !== true)).toEqual([]);
});

test("a file as a directory of Parquet tables, with positions to join by", async () => {
  const pbmc = join(folder, "pbmc");
  await convert("examples/pbmc.h5ad", pbmc, { format: "parquet", positions: true });
  const expected = JSON.parse(readFileSync("examples/pbmc.expected.json", "utf8"));
  await connection.run(`create table x as from '${pbmc}/X.parquet'`);
  await connection.run(`create view obs as from '${pbmc}/obs.parquet'`);
  const types = await rows("select cell_type, count(*)::int as cells from obs group by 1");
  expect(Object.fromEntries(types.map((row) => [row.cell_type, row.cells]))).toEqual(expected.cellsPerType);
  const [sums] = await rows("select sum(value::double) as sum, count(*)::int as n from x join obs using (row)");
  expect(sums).toEqual({ sum: expect.closeTo(expected.sum.X, 6), n: expected.nonzeros.X });
});

test("tables through a connection", async () => {
  await connection.run("drop table if exists x; drop view if exists obs");
  const data = await open("examples/pbmc.h5ad");
  try {
    const result = await loadIntoDuckDB(data, connection, { tables: ["X", "obs", "obsm/X_umap"] });
    expect(result.tables.map(({ rows }) => rows)).toEqual([187_809, 2700, 2700]);
    expect(await rows('select count(*)::int as n from "obsm/X_umap" where len(value) = 2')).toEqual([{ n: 2700 }]);
    const [sum] = await rows("select sum(value::double) as sum from X join obs using (row)");
    expect(sum?.sum).toBeCloseTo(454742.3769916296, 6);
    await expect(loadIntoDuckDB(data, connection, { tables: ["obs"] })).rejects.toThrow(/obs.*already exists/);
  } finally {
    await data.close();
  }
});

test("tables in the schema and the database that are in use", async () => {
  const data = await open("examples/pbmc.h5ad");
  try {
    await connection.run("create schema first");
    await connection.run(`attach '${join(folder, "other.duckdb")}' as "the other"; create schema "the other".second`);
    for (const place of ["first", '"the other"', '"the other".second']) {
      await connection.run(`use ${place}`);
      await loadIntoDuckDB(data, connection, { tables: ["var"] });
    }
    await connection.run("use memory.main");
    const found = await rows(`select database_name || '.' || schema_name as place, estimated_size::int as n
      from duckdb_tables() where table_name = 'var' order by place`);
    expect(found).toEqual(["memory.first", "the other.main", "the other.second"].map((place) => ({ place, n: 800 })));
  } finally {
    await data.close();
  }
});

test("what is no connection", async () => {
  const data = await open("examples/pbmc.h5ad");
  try {
    for (const odd of [{}, { query: () => undefined }, null]) {
      await expect(Reflect.apply(loadIntoDuckDB, null, [data, odd])).rejects.toThrow("no connection to DuckDB");
    }
    const other = { run: async () => undefined, createAppender: async () => undefined };
    await expect(loadIntoDuckDB(data, other)).rejects.toThrow("another copy of @duckdb/node-api");
  } finally {
    await data.close();
  }
});
