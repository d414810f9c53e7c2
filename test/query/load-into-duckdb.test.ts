/** `memory` of `loadIntoDuckDB`: tables of a caller's database in temporary files, and databases that need none. */

import { fstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { makeVector, Table } from "apache-arrow";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import type { DataTable } from "../../src/model/dataset.js";
import { loadIntoDuckDB } from "../../src/query/load-into-duckdb.js";
import { type InProcessDuckDB, type LoadedDuckDB, loadDuckDB } from "../../src/sinks/duckdb/duckdb.node.js";
import { encodeJson } from "../../src/sinks/text/json.js";
import { datasetOf, tableOf, textOf } from "../sinks/dataset-of.js";

const parent = mkdtempSync(join(tmpdir(), "annarrow-memory-"));
let loaded: LoadedDuckDB | null = null;
let database: InProcessDuckDB;

beforeEach(async () => {
  loaded ??= await loadDuckDB();
  database = loaded.open();
  vi.stubEnv("TMPDIR", parent);
});
afterEach(async () => {
  await database.close();
  // No file has a name, so that none is left however the process ends.
  expect(readdirSync(parent)).toEqual([]);
  vi.unstubAllEnvs();
});
afterAll(() => rmSync(parent, { recursive: true }));

/** `rows` integers, and the third of each as a group, of which DuckDB's compression leaves little. */
function numbers(name: string, rows: number): DataTable {
  const value = makeVector(Int32Array.from({ length: rows }, (_, i) => i));
  const group = makeVector(Float64Array.from({ length: rows }, (_, i) => Math.floor(i / 3)));
  return tableOf(name, new Table({ value, group }), { batchRows: 2 ** 18 });
}

/** What loading calls. */
const methodsOf = ({ connection }: InProcessDuckDB) => ({
  query: (sql: string) => connection.query(sql),
  insertArrowFromIPCStream: () => undefined,
});

async function rows(sql: string): Promise<unknown[]> {
  const lines = (await textOf(encodeJson(await database.query(sql)))).split("\n").filter(Boolean);
  return lines.map((line): unknown => JSON.parse(line));
}

const PLACES = "select database_name as place, table_name as name from duckdb_tables() order by 2";
const SETTINGS = `select current_setting('search_path') as path, current_setting('checkpoint_threshold') as threshold,
  current_setting('memory_limit') as memory`;
const SUM = 'select count(*) as n, sum(value) as s, max(X."group") as g from X join small using (value)';

test("a table beyond the budget is in a file, one within it in memory, and both are found by their names", async () => {
  const settings = await rows(SETTINGS);
  const dataset = datasetOf([numbers("X", 2 ** 19), numbers("small", 3000)]);
  const result = await loadIntoDuckDB(dataset, database.connection, { memory: 2 ** 20 });
  expect(result.tables).toEqual([
    { name: "X", rows: 2 ** 19 },
    { name: "small", rows: 3000 },
  ]);
  expect(await rows(PLACES)).toEqual([
    { place: "annarrow file 0", name: "X" },
    { place: "memory", name: "small" },
  ]);
  expect(await rows(SUM)).toEqual([{ n: 3000, s: 4_498_500, g: 999 }]);
  expect(await rows(SETTINGS)).toEqual(settings);
  await result.close();
  await result.close();
  expect(await rows(PLACES)).toEqual([{ place: "memory", name: "small" }]);
  await expect(rows("from X")).rejects.toThrow(/X does not exist/);
});

test("calls share a database: each has files of its own, in the schema that is in use", async () => {
  await database.run("create schema mine; use mine; create table small as select 1 as value");
  const load = (name: string) =>
    loadIntoDuckDB(datasetOf([numbers(name, 1000)]), database.connection, { tables: [name], memory: 0 });
  const first = await load("X");
  const second = await load("Y");
  expect(await rows("select (select count(*) from mine.X) as x, (select count(*) from Y) as y")).toEqual([
    { x: 1000, y: 1000 },
  ]);
  expect(await rows("select current_schema() as schema")).toEqual([{ schema: "mine" }]);
  for (const name of ["X", "small"]) await expect(load(name)).rejects.toThrow(/already exists/);
  await first.close();
  expect(await rows("select count(*) as y from Y")).toEqual([{ y: 1000 }]);
  // What was there before is not dropped with a table that could not take its name.
  expect(await rows("from small")).toEqual([{ value: 1 }]);
  await second.close();
  expect(await rows(PLACES)).toEqual([{ place: "memory", name: "small" }]);
});

test("a block of `await using` ends with the files", async () => {
  {
    await using result = await loadIntoDuckDB(datasetOf([numbers("X", 10)]), database.connection, { memory: 0 });
    expect(await rows(`select count(*) as n from "${result.tables[0].name}"`)).toEqual([{ n: 10 }]);
  }
  expect(await rows("select database_name as name from duckdb_databases() where not internal")).toEqual([
    { name: "memory" },
  ]);
});

test("files that exceed their bound are an error that leaves nothing", async () => {
  const dataset = datasetOf([numbers("small", 10), numbers("X", 2 ** 20)]);
  await expect(loadIntoDuckDB(dataset, database.connection, { memory: 0, tempSize: 2 ** 20 })).rejects.toMatchObject({
    name: "InvalidInputError",
    message: expect.stringContaining("tempSize"),
    element: "X",
  });
  expect(await rows(PLACES)).toEqual([]);
});

test.runIf(process.platform === "linux")("files have no room on the disk once their connection is closed", async () => {
  const total = () =>
    readdirSync("/proc/self/fd").reduce((sum, name) => {
      try {
        return sum + (readlinkSync(`/proc/self/fd/${name}`).startsWith(parent) ? fstatSync(Number(name)).size : 0);
      } catch {
        return sum;
      }
    }, 0);
  const result = await loadIntoDuckDB(datasetOf([numbers("X", 2 ** 19)]), database.connection, { memory: 0 });
  expect(total()).toBeGreaterThan(2 ** 19);
  await database.close();
  await expect(result.close()).rejects.toThrow();
  expect(total()).toBe(0);
  database = (await loadDuckDB()).open();
});

test("a database on a file needs no other files", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mine-"));
  await database.run(`attach '${join(folder, "mine.duckdb")}' as mine; use mine`);
  await loadIntoDuckDB(datasetOf([numbers("X", 1000)]), database.connection, { memory: 0 });
  expect(await rows(PLACES)).toEqual([{ place: "mine", name: "X" }]);
  await database.run("use memory; detach mine");
  rmSync(folder, { recursive: true });
});

test("native DuckDB has its own limit, beyond which it uses its own files", async () => {
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "32MB", temp_directory: parent });
  const connection = await instance.connect();
  const dataset = datasetOf([numbers("X", 2 ** 22)]);
  await expect(loadIntoDuckDB(dataset, connection, { memory: 2 ** 20 })).rejects.toThrow(/set memory_limit/);
  const result = await loadIntoDuckDB(dataset, connection);
  expect(result.tables).toEqual([{ name: "X", rows: 2 ** 22 }]);
  const answer = await connection.runAndReadAll('select sum(value)::double as s from X where "group" < 1000000');
  expect(answer.getRowObjects()).toEqual([{ s: (3e6 * (3e6 - 1)) / 2 }]);
  connection.closeSync();
  instance.closeSync();
}, 60_000);

test("a connection that tells of a database with DuckDB-WASM's own buffer of files is refused", async () => {
  const connection = { ...methodsOf(database), bindings: { config: { path: ":memory:" } } };
  await expect(loadIntoDuckDB(datasetOf([]), connection, { memory: 0 })).rejects.toThrow(/useDirectIO: true/);
  const direct = { ...connection, bindings: { config: { useDirectIO: true } } };
  expect((await loadIntoDuckDB(datasetOf([]), direct, { memory: 0 })).tables).toEqual([]);
});

test.each([
  [{ tempSize: 100 }, /give both/],
  [{ memory: Number.NaN }, /"memory" is a number of bytes, not NaN/],
  [{ memory: -1 }, /not -1/],
])("%o is an error", async (options, message) => {
  await expect(loadIntoDuckDB(datasetOf([]), database.connection, options)).rejects.toThrow(message);
});
