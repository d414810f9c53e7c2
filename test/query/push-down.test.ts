/** Statements are answered alike with and without push-down, and by native DuckDB over Parquet files, in both engines. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DataTable } from "../../src/model/dataset.js";
import { answerStatement, explainStatement } from "../../src/query/answer.js";
import { openEngine } from "../../src/query/open-engine.node.js";
import { type DuckDBEngine, UNSOUND_OPTIMIZERS } from "../../src/sinks/duckdb/engine.js";
import {
  copyToNative,
  FORMS,
  oneOf,
  type RandomDataset,
  randomDataset,
  randomOf,
  STAGE_ENUM,
} from "./random-datasets.js";
import { type RandomStatement, randomStatement } from "./random-statements.js";

const STATEMENTS = Number(process.env.STATEMENTS ?? 40);
const SEED = Number(process.env.SEED ?? 1);
/** Statements about one dataset: few, because datasets without rows have no answers. */
const PER_DATASET = 5;

const folder = mkdtempSync(join(tmpdir(), "annarrow-push-down-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each([
  { kind: "wasm", count: STATEMENTS },
  { kind: "native", count: Math.ceil(STATEMENTS / 2) },
] as const)("$kind", ({ kind, count }) => {
  let engine: DuckDBEngine;
  /** Native DuckDB, whose tables are read whole. */
  let reference: DuckDBConnection;
  beforeAll(async () => {
    engine = await openEngine({ engine: kind });
    reference = await (await DuckDBInstance.create()).connect();
    await reference.run(`set disabled_optimizers = '${UNSOUND_OPTIMIZERS}'`);
  });
  afterAll(async () => {
    await engine.close();
    reference.closeSync();
  });

  test(`${count} random statements, seed ${SEED}`, { timeout: 60_000 + 1000 * count }, async () => {
    const random = randomOf(SEED);
    const seen = { all: 0, shorter: 0, withRows: 0 };
    while (seen.all < count) {
      const made = await randomDataset(random, oneOf(random, FORMS));
      await copyToNative(made, reference, folder);
      if (kind === "native") await reference.run(`alter table obs alter stage type ${STAGE_ENUM}`);
      for (let i = 0; i < PER_DATASET && seen.all < count; i++, seen.all++) {
        const statement = randomStatement(random, made.rows, made.cols);
        const { rows, isShorter } = await compared(engine, reference, made, statement);
        if (rows > 0) seen.withRows++;
        if (isShorter) seen.shorter++;
      }
      await made.dataset.close();
    }
    // Statements that read everything, or that no row answers, would prove little.
    expect(seen.shorter / seen.all).toBeGreaterThan(0.4);
    expect(seen.withRows / seen.all).toBeGreaterThan(0.4);
  });
});

async function compared(
  engine: DuckDBEngine,
  reference: DuckDBConnection,
  { dataset, form }: RandomDataset,
  { sql, isCertain }: RandomStatement,
) {
  const where = `${sql} (${engine.kind}, seed ${SEED}, X ${form})`;
  const answered = async (whole: boolean) => {
    const rows = await outcome(async () => rowsOf(await answerStatement(dataset, sql, engine, { whole })));
    await dropAll(engine);
    return rows;
  };
  const found = await answered(false);
  const whole = await answered(true);
  if (found !== "a fault" && whole !== "a fault") expect(found, where).toEqual(whole);
  // A dense matrix has rows of entries for statements that name both positions.
  if (isCertain && (form !== "dense" || (/\brow\b/.test(sql) && /\bcol\b/.test(sql)))) {
    const expected = await outcome(async () =>
      sorted((await reference.runAndReadAll(sql)).getRows().map((row) => row.map(plain))),
    );
    if (found !== "a fault" && expected !== "a fault") expect(found, `${where} over whole tables`).toEqual(expected);
  }
  const reads = typeof found === "string" ? [] : await explainStatement(dataset, sql, engine);
  await dropAll(engine);
  const isShorter = reads.some(({ row, col, limit }) => row !== null || col !== null || limit !== null);
  return { rows: Array.isArray(found) ? found.length : 0, isShorter };
}

/**
 * Every answer that is an error is one in all engines; their messages differ. Native DuckDB has faults of its own, which it
 * calls internal errors: it cannot plan some joins behind an anti join.
 */
async function outcome(run: () => Promise<readonly string[]>): Promise<readonly string[] | "an error" | "a fault"> {
  return run().catch((error: unknown) => (/INTERNAL Error/.test(String(error)) ? "a fault" : "an error"));
}

async function dropAll(engine: DuckDBEngine): Promise<void> {
  for (const name of ["X", "layers/counts", "obsm/points", "obs", "var"]) {
    await engine.drop(name);
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
