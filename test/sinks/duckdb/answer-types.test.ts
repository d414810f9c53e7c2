/** Answers with values of every type of DuckDB, in every format: bytes, or an error that says what to do. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAnnarrowError } from "../../../src/model/errors.js";
import { encodeTable } from "../../../src/sinks/directory/encode.js";
import { openDuckDB } from "../../../src/sinks/duckdb/duckdb.node.js";
import type { DuckDBEngine } from "../../../src/sinks/duckdb/engine.js";
import { openNativeDuckDB } from "../../../src/sinks/duckdb/native-database.node.js";

const FORMATS = ["arrow", "arrows", "parquet", "csv", "ndjson", "markdown"] as const;

const folder = mkdtempSync(join(tmpdir(), "annarrow-types-"));
const engines = new Map<string, DuckDBEngine>();
beforeAll(async () => {
  engines.set("native", await openNativeDuckDB({ folder, memory: 2 ** 29 }));
  engines.set("wasm", await openDuckDB());
});
afterAll(async () => {
  for (const engine of engines.values()) await engine.close();
  rmSync(folder, { recursive: true });
});

function engineOf(kind: string): DuckDBEngine {
  const engine = engines.get(kind);
  if (engine === undefined) throw new Error(`no engine ${kind}`);
  return engine;
}

async function bytesOf(engine: DuckDBEngine, sql: string, format: (typeof FORMATS)[number]): Promise<number> {
  let bytes = 0;
  for await (const chunk of encodeTable(await engine.query(sql), format, { nested: "json" })) bytes += chunk.length;
  return bytes;
}

describe.each(["native", "wasm"])("DuckDB: %s", (kind) => {
  // The column of a type in `test_all_types` has its least and its largest value, and NULL.
  test.each([
    ["all values", "", 3],
    ["NULL alone", "limit 1 offset 2", 1],
    ["no rows", "limit 0", 0],
  ])("%s", { timeout: 60_000 }, async (_, rest) => {
    const engine = engineOf(kind);
    const described = await (await engine.query("describe from test_all_types()")).read();
    const columns = [...(described.getChild("column_name") ?? [])].map(String);
    expect(columns.length).toBeGreaterThan(50);
    const raw: string[] = [];
    let written = 0;
    for (const column of columns) {
      for (const format of FORMATS) {
        try {
          await bytesOf(engine, `select "${column}" from test_all_types() ${rest}`, format);
          written++;
        } catch (error) {
          if (!isAnnarrowError(error) || /undefined|casting/.test(error.message))
            raw.push(`${column} as ${format}: ${error}`);
        }
      }
    }
    expect(raw).toEqual([]);
    expect(written).toBeGreaterThan(columns.length * 4);
  });

  test("an answer without rows has its columns, also where they hold lists", async () => {
    const engine = engineOf(kind);
    const sql = "select [1] as l, {'a': ['b']} as s, map {'k': 1} as m, 1.5 as d where false";
    expect((await (await engine.query(sql)).read()).schema.fields.map(({ name }) => name)).toEqual([
      "l",
      "s",
      "m",
      "d",
    ]);
    for (const format of FORMATS) {
      const least = format === "ndjson" ? 0 : "l,s,m,d".length;
      expect(await bytesOf(engine, sql, format)).toBeGreaterThanOrEqual(least);
    }
    expect(await bytesOf(engine, sql, "ndjson")).toBe(0);
  });
});

test("DuckDB-WASM: an ENUM within another type is refused, since its names are never sent", async () => {
  const sql = "select ['a'::enum('a', 'b')] as e";
  await expect(engineOf("wasm").query(sql)).rejects.toThrow('column "e" has an ENUM within it; cast it to VARCHAR');
});
