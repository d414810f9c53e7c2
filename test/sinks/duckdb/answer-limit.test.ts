/** Values, rows and batches of answers beyond a bound, in both engines: no value of them is copied. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Table, tableToIPC, Utf8, vectorFromArray } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planWorkFolder } from "../../../src/io/targets/temporary-folder.node.js";
import { InvalidInputError } from "../../../src/model/errors.js";
import { loadDuckDB, openDuckDB } from "../../../src/sinks/duckdb/duckdb.node.js";
import type { DuckDBEngine } from "../../../src/sinks/duckdb/engine.js";
import { openNativeDuckDB } from "../../../src/sinks/duckdb/native-database.node.js";
import { readAnswer } from "../../../src/sinks/duckdb/result-table.js";

const MOST = 100_000;

const folder = mkdtempSync(join(tmpdir(), "annarrow-limit-"));
const engines = new Map<string, DuckDBEngine>();
beforeAll(async () => {
  const limits = { folder, memory: 2 ** 29, maxCell: MOST };
  engines.set("native", await openNativeDuckDB(limits));
  engines.set("wasm", await openDuckDB({ ...limits, folder: await planWorkFolder("annarrow-limit") }));
});
afterAll(async () => {
  for (const engine of engines.values()) await engine.close();
  rmSync(folder, { recursive: true });
});

describe.each(["native", "wasm"])("DuckDB: %s", (kind) => {
  const answer = async (sql: string) => {
    const engine = engines.get(kind);
    if (engine === undefined) throw new Error("no engine");
    return (await engine.query(sql)).batches();
  };
  const read = async (sql: string) => {
    const batches = [];
    for await (const batch of await answer(sql)) batches.push(batch);
    return batches;
  };

  test.each([
    [
      "text",
      "select 1 as a, repeat('x', 200000) as b",
      'a value of column "b" of the answer has 200000 bytes, more than 100000',
    ],
    ["bytes", "select repeat('x', 200000)::blob as b", 'a value of column "b" of the answer has 200000 bytes'],
    ["numbers in a list", "select range(25000) as b", 'a value of column "b" of the answer has 200000 bytes'],
    [
      "texts in a list",
      "select list_transform(range(200), i -> repeat('x', 1000)) as b",
      /column "b" of the answer has 200000 bytes/,
    ],
    ["texts in a struct", "select {'k': repeat('x', 200000)} as b", /column "b" of the answer has 200000 bytes/],
    [
      "texts in an array",
      "select array_value(repeat('x', 100000), repeat('x', 100000)) as b",
      /column "b" of the answer has 200000 bytes/,
    ],
    ["a map", "select map {'k': repeat('x', 199999)} as b", /column "b" of the answer has 200000 bytes/],
    [
      "a value behind others",
      "select repeat('x', i * 100000) as b from range(3) t(i)",
      /column "b" of the answer has 200000 bytes/,
    ],
    [
      "a row",
      "select repeat('x', 60000) as a, repeat('y', 60000) as b",
      /^a row of the answer has 120000 bytes, more than 100000/,
    ],
  ])("%s beyond the bound ends the statement", async (_, sql, message) => {
    const failure = await read(sql).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidInputError);
    expect(String(failure instanceof Error ? failure.message : failure)).toMatch(message);
    expect(String(failure)).toContain("--max-cell");
    expect((await read("select 7 as x"))[0].getChildAt(0)?.get(0)).toBe(7);
  });

  test("a batch beyond the bound comes in several, with all of its values", async () => {
    const batches = await read(
      "select i::integer as i, repeat('x', 30000) || i as t, [i, null, i + 1] as l, case when i % 2 = 0 then {'s': repeat('y', 3000)} end as s from range(20) t(i)",
    );
    const rows = batches.flatMap((batch) => [...batch]);
    expect(rows.map(({ i }) => i)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(rows.every(({ i, t }) => t === "x".repeat(30000) + i)).toBe(true);
    expect(rows.map(({ l }) => [...l].map((one) => (one === null ? null : Number(one))))).toEqual(
      Array.from({ length: 20 }, (_, i) => [i, null, i + 1]),
    );
    expect(rows.map(({ s }) => s?.s.length ?? null)).toEqual(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? null : 3000)),
    );
    expect(Math.max(...batches.map(({ numRows }) => numRows))).toBeLessThan(4);
  });
});

test("the memory of DuckDB-WASM has a bound, also of what DuckDB does not count", async () => {
  const loaded = await loadDuckDB({ memory: 2 ** 27 });
  const engine = loaded.open();
  const failure = await engine.query("select length(repeat('x', 200000000))").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(InvalidInputError);
  expect(String(failure)).toMatch(/memory/i);
  expect(loaded.memoryBytes).toBeLessThanOrEqual(2 ** 27);
});

test("messages of an engine in a page are checked when they have come", async () => {
  async function* messages(): AsyncGenerator<Uint8Array> {
    yield tableToIPC(new Table({ x: vectorFromArray(["a", "x".repeat(1001)], new Utf8()) }), "stream");
  }
  const limit = { bytes: 1000, advice: "take less" };
  await expect((await readAnswer(messages(), limit)).read()).rejects.toThrow(
    'a value of column "x" of the answer has 1001 bytes, more than 1000: take less',
  );
  expect((await (await readAnswer(messages(), { ...limit, bytes: 2000 })).read()).numRows).toBe(2);
});
