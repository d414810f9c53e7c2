/** Statements are answered alike with and without push-down, and by native DuckDB over Parquet files. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DataTable } from "../../src/model/dataset.js";
import { answerStatement, explainStatement } from "../../src/query/answer.js";
import { openDuckDB } from "../../src/sinks/duckdb/duckdb.node.js";
import { type DuckDBEngine, quotedName } from "../../src/sinks/duckdb/engine.js";
import { copyToNative, FORMS, oneOf, type RandomDataset, randomDataset, randomOf } from "./random-datasets.js";
import { type RandomStatement, randomStatement } from "./random-statements.js";

const STATEMENTS = Number(process.env.STATEMENTS ?? 40);
const SEED = Number(process.env.SEED ?? 1);
/** Statements about one dataset. */
const PER_DATASET = 20;

const folder = mkdtempSync(join(tmpdir(), "annarrow-push-down-"));
let engine: DuckDBEngine;
let native: DuckDBConnection;

beforeAll(async () => {
  engine = await openDuckDB();
  native = await (await DuckDBInstance.create()).connect();
});
afterAll(async () => {
  await engine.close();
  native.closeSync();
  rmSync(folder, { recursive: true });
});

test(`${STATEMENTS} random statements, seed ${SEED}`, { timeout: 60_000 + 200 * STATEMENTS }, async () => {
  const random = randomOf(SEED);
  const seen = { all: 0, shorter: 0, withRows: 0 };
  while (seen.all < STATEMENTS) {
    const made = await randomDataset(random, oneOf(random, FORMS));
    await copyToNative(made, native, folder);
    for (let i = 0; i < PER_DATASET && seen.all < STATEMENTS; i++, seen.all++) {
      const { rows, isShorter } = await compared(made, randomStatement(random, made.rows, made.cols));
      if (rows > 0) seen.withRows++;
      if (isShorter) seen.shorter++;
    }
    await made.dataset.close();
  }
  // Statements that read everything, or that no row answers, would prove little.
  expect(seen.shorter / seen.all).toBeGreaterThan(0.4);
  expect(seen.withRows / seen.all).toBeGreaterThan(0.4);
});

async function compared({ dataset, form }: RandomDataset, { sql, isCertain }: RandomStatement) {
  const where = `${sql} (seed ${SEED}, X ${form})`;
  const found = await outcome(async () => rowsOf(await answerStatement(dataset, sql, engine)));
  await dropAll();
  const whole = await outcome(async () => rowsOf(await answerStatement(dataset, sql, engine, { whole: true })));
  await dropAll();
  expect(found, where).toEqual(whole);
  // A dense matrix has rows of entries for statements that name both positions.
  if (isCertain && (form !== "dense" || (/\brow\b/.test(sql) && /\bcol\b/.test(sql)))) {
    const reference = await outcome(async () =>
      sorted((await native.runAndReadAll(sql)).getRows().map((row) => row.map(plain))),
    );
    expect(found, `${where} in native DuckDB`).toEqual(reference);
  }
  const reads = found === "an error" ? [] : await explainStatement(dataset, sql, engine);
  await dropAll();
  const isShorter = reads.some(({ row, col, limit }) => row !== null || col !== null || limit !== null);
  return { rows: Array.isArray(found) ? found.length : 0, isShorter };
}

/** Every answer that is an error is one in all engines; their messages differ. */
async function outcome(run: () => Promise<readonly string[]>): Promise<readonly string[] | "an error"> {
  return run().catch(() => "an error");
}

async function dropAll(): Promise<void> {
  for (const name of ["X", "layers/counts", "obsm/points", "obs", "var"]) {
    await engine.run(`drop table if exists ${quotedName(name)}`);
  }
}

async function rowsOf(answer: DataTable): Promise<readonly string[]> {
  const rows: unknown[][] = [];
  for await (const batch of answer.batches()) {
    const columns = batch.data.children.map((_, i) => batch.getChildAt(i));
    for (let row = 0; row < batch.numRows; row++) rows.push(columns.map((column) => plain(column?.get(row))));
  }
  return sorted(rows);
}

function sorted(rows: readonly unknown[][]): readonly string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

/** Numbers of all types alike, floats to the precision of a sum in any order. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return Number(value.toPrecision(12));
  if (value instanceof Uint32Array) return Number(new BigInt64Array(value.buffer, value.byteOffset, 1)[0]);
  return value === undefined ? null : value;
}
