/** Tables of DuckDB-WASM in temporary files, beside the same tables in its memory. */

import { fstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeVector, Table, tableFromIPC } from "apache-arrow";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { planWorkFolder } from "../../../src/io/targets/temporary-folder.node.js";
import type { DataTable } from "../../../src/model/dataset.js";
import { openEngine } from "../../../src/query/open-engine.node.js";
import { type LoadedDuckDB, loadDuckDB, openDuckDB } from "../../../src/sinks/duckdb/duckdb.node.js";
import type { DuckDBEngine } from "../../../src/sinks/duckdb/engine.js";
import { encodeJson } from "../../../src/sinks/text/json.js";
import { tableOf, textOf } from "../dataset-of.js";
import { sqlTypes } from "./sql-types.js";

const types = tableFromIPC(readFileSync("test/fixtures/data/sinks/types.arrow"));
const parent = mkdtempSync(join(tmpdir(), "annarrow-spilled-"));
let loaded: LoadedDuckDB;
let engine: DuckDBEngine | null = null;

beforeAll(async () => {
  loaded = await loadDuckDB();
});

beforeEach(() => {
  vi.stubEnv("TMPDIR", parent);
});
afterEach(async () => {
  await engine?.close();
  engine = null;
  // Nothing has a name, neither while files are used nor later.
  expect(readdirSync(parent)).toEqual([]);
  vi.unstubAllEnvs();
});
afterAll(() => rmSync(parent, { recursive: true }));

/** An engine that holds so many bytes of tables in memory. */
async function opened(memory: number, tempSize = Number.POSITIVE_INFINITY): Promise<DuckDBEngine> {
  engine = loaded.open({ folder: await planWorkFolder("annarrow-spilled"), memory, tempSize });
  return engine;
}

async function rowsOf(from: DuckDBEngine, sql: string): Promise<unknown[]> {
  const lines = (await textOf(encodeJson(await from.query(sql)))).split("\n").filter(Boolean);
  return lines.map((line): unknown => JSON.parse(line));
}

/** The database that holds a table. */
async function placeOf(from: DuckDBEngine, name: string): Promise<unknown> {
  const rows = await rowsOf(from, `select database_name as place from duckdb_tables() where table_name = '${name}'`);
  return rows.map((row) => Object(row).place);
}

/** `rows` integers in batches of 2^20 rows, with the third of each as a group. */
function numbers(name: string, rows: number): DataTable {
  const value = makeVector(Int32Array.from({ length: rows }, (_, i) => i));
  const group = makeVector(Float64Array.from({ length: rows }, (_, i) => Math.floor(i / 3)));
  return tableOf(name, new Table({ value, group }), { batchRows: 2 ** 20 });
}

test("have the rows that they have in memory", async () => {
  const [spilled, memory] = [await opened(0), await openDuckDB()];
  for (const one of [spilled, memory]) expect(await one.load(tableOf("types", types, { batchRows: 7 }))).toBe(20);
  expect([await placeOf(spilled, "types"), await placeOf(memory, "types")]).toEqual([["annarrow file 0"], ["memory"]]);
  for (const name of Object.keys(sqlTypes)) {
    const sql = `select "${name}" as x from types`;
    expect([name, await rowsOf(spilled, sql)]).toEqual([name, await rowsOf(memory, sql)]);
  }
  await memory.close();
});

test("are never read through the buffer of DuckDB-WASM, which confuses blocks of files above 16 MiB", async () => {
  const from = await opened(0);
  const value = makeVector(Float64Array.from({ length: 2 ** 23 }, (_, i) => i));
  await from.load(tableOf("X", new Table({ value }), { batchRows: 2 ** 20 }));
  // One side does not fit into 64 MiB. With the buffer, wrong blocks end the statement before that.
  await expect(rowsOf(from, "select sum(a.value * b.value) as s from X a, X b")).rejects.toThrow(
    /^Out of Memory Error/,
  );
}, 60_000);

test("move into a file when more rows come than were expected", async () => {
  const rows = 5 * 2 ** 20;
  const from = await opened(40 * 2 ** 20);
  expect(await from.load({ ...numbers("X", rows), rows: null })).toBe(rows);
  expect(await placeOf(from, "X")).toEqual(["annarrow file 0"]);
  const sql = 'select count(*) as n, sum(value) as s, max("group") as g from X';
  const sum = (rows * (rows - 1)) / 2;
  expect(await rowsOf(from, sql)).toEqual([{ n: rows, s: sum, g: Math.floor((rows - 1) / 3) }]);
}, 60_000);

test("share the budget: what has its place in memory stays there", async () => {
  const from = await opened(2 ** 21);
  for (const name of ["a", "b", "c"]) await from.load(numbers(name, 2 ** 16));
  expect([await placeOf(from, "a"), await placeOf(from, "b")]).toEqual([["memory"], ["memory"]]);
  expect(await placeOf(from, "c")).toEqual(["annarrow file 0"]);
  const sql = "select count(*) as n from a join b using (value) join c using (value)";
  expect(await rowsOf(from, sql)).toEqual([{ n: 2 ** 16 }]);
  // The room of a table that is dropped is used again.
  await from.drop("a");
  await from.load(numbers("d", 2 ** 16));
  expect(await placeOf(from, "d")).toEqual(["memory"]);
});

test("are tables as the ones in memory: made from, dropped, and loaded again", async () => {
  const from = await opened(0);
  await from.load(numbers("X", 10));
  expect(await rowsOf(from, "select max(rowid) as last from x")).toEqual([{ last: 9 }]);
  await from.run("create table made as select value from X where value > 6");
  expect(await placeOf(from, "made")).toEqual(["memory"]);
  await from.drop("x");
  await expect(from.query("select * from X")).rejects.toThrow("Table with name X does not exist");
  await from.load(numbers("X", 4));
  expect(await rowsOf(from, "select (select count(*) from X) as x, (select count(*) from made) as m")).toEqual([
    { x: 4, m: 3 },
  ]);
});

test("whose files exceed their bound are an error, after which the engine answers", async () => {
  const from = await opened(0, 2 ** 20);
  await from.load(numbers("small", 10));
  await expect(from.load(numbers("X", 2 ** 19))).rejects.toMatchObject({
    name: "InvalidInputError",
    message: expect.stringMatching(/more than 1048576 bytes: raise the option tempSize \(--temp-size\)/),
    element: "X",
  });
  expect(await placeOf(from, "X")).toEqual([]);
  expect(await rowsOf(from, "select count(*) as n from small")).toEqual([{ n: 10 }]);
});

test.runIf(process.platform === "linux")("have no room on the disk when they are dropped, or left", async () => {
  const sizes = () =>
    readdirSync("/proc/self/fd").flatMap((name) => {
      try {
        const [path, size] = [readlinkSync(`/proc/self/fd/${name}`), fstatSync(Number(name)).size];
        return path.startsWith(parent) ? [size] : [];
      } catch {
        return [];
      }
    });
  const total = () => sizes().reduce((all, size) => all + size, 0);
  const from = await opened(0);
  await from.load(numbers("X", 2 ** 19));
  expect(total()).toBeGreaterThan(2 ** 20);
  await from.drop("X");
  expect(total()).toBe(0);
  await from.load(numbers("X", 2 ** 19));
  await from.abandon?.();
  expect(total()).toBe(0);
});

test("are the only files that statements reach", async () => {
  engine = await openEngine({ engine: "wasm", memory: 2 ** 24 });
  await engine.load(numbers("X", 2 ** 21));
  expect(await placeOf(engine, "X")).toEqual(["annarrow file 0"]);
  for (const sql of ["select * from read_csv('package.json')", "copy X to '/tmp/x.csv'", "attach '/tmp/x.duckdb'"]) {
    await expect(engine.run(sql)).rejects.toThrow("disabled by configuration");
  }
});

test("leave DuckDB as little memory as was asked for, and its error tells how to have more", async () => {
  const from = await opened(0);
  await from.load(numbers("X", 2 ** 21));
  const sql = 'select count(*) as n from (select distinct value, "group" from X)';
  await expect(rowsOf(from, sql)).rejects.toThrow(/Out of Memory Error: .*raise the option memory \(--memory\)/);
});
