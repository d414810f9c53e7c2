/** `annarrow query` by the two builds of DuckDB, and their temporary files. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { makeVector, Table, tableToIPC } from "apache-arrow";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";

const MAIN = "dist/cli/main.js";
const PBMC = "examples/pbmc.h5ad";
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-engine-"));
  await ensureBuilt();
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

test.each(["native", "wasm"])("is answered by DuckDB, %s", async (engine) => {
  const sql = "select count(*) as n, sum(row) as s from X";
  const child = spawn(process.execPath, [
    MAIN,
    "query",
    PBMC,
    sql,
    "--engine",
    engine,
    "--format",
    "csv",
    "--memory",
    "64MiB",
  ]);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect([stderr, stdout.split("\n")[1]]).toEqual(["", expect.stringMatching(/^187809,/)]);
});

test.each(["native", "wasm"])("--max-cell bounds a value of an answer, %s", async (engine) => {
  const start = (sql: string) =>
    spawn(process.execPath, [MAIN, "query", PBMC, sql, "--engine", engine, "--format", "csv", "--max-cell", "1000B"]);
  const [large, small] = [start("select repeat('x', 1001) as x"), start("select repeat('x', 1000) as x")];
  const [stderr, stdout] = await Promise.all([text(large.stderr), text(small.stdout)]);
  expect(stderr.replace("annarrow: result: ", "annarrow: ")).toBe(
    'annarrow: a value of column "x" of the answer has 1001 bytes, more than 1000: take less of it, as with left(x, 1000), or raise --max-cell\n',
  );
  expect(stdout).toBe(`x\n${"x".repeat(1000)}\n`);
});

test("loads the bindings of native DuckDB, and none of the 180 files of @duckdb/node-api", async () => {
  const env = { ...process.env, NODE_DEBUG: "module" };
  const child = spawn(process.execPath, [MAIN, "query", PBMC, "select 1", "--engine", "native"], { env });
  const [, log] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const loaded = [...log.matchAll(/load "([^"]*@duckdb[^"]*)" for module/g)].map(([, file]) => file);
  expect(loaded).toContainEqual(expect.stringMatching(/node-bindings.duckdb\.js$/));
  expect(loaded.filter((file) => /@duckdb.node-api/.test(file))).toEqual([]);
});

test("leaves no temporary files, not even when it is interrupted", async () => {
  const temporary = mkdtempSync(join(folder, "temporary-"));
  const env = { ...process.env, TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: "1" };
  const endless = "select count(*) from range(100000000) a, range(100000000) b where a.range % 7 = b.range % 11";
  const start = (sql: string) =>
    spawn(process.execPath, [MAIN, "query", PBMC, sql, "--engine", "native"], { env, stdio: "ignore" });
  expect(await once(start("select 1"), "exit")).toEqual([0, null]);
  expect(readdirSync(temporary)).toEqual([]);
  for (const [signal, exit] of [
    ["SIGINT", [130, null]],
    ["SIGKILL", [null, "SIGKILL"]],
  ] as const) {
    const child = start(endless);
    const ended = once(child, "exit");
    while (readdirSync(temporary).length === 0) await sleep(20);
    await sleep(300);
    child.kill(signal);
    expect(await ended).toEqual(exit);
    expect(readdirSync(temporary)).toHaveLength(signal === "SIGKILL" ? 1 : 0);
  }
  expect(await once(start("select 1"), "exit")).toEqual([0, null]);
  expect(readdirSync(temporary)).toEqual([]);
}, 60_000);

test.runIf(process.platform === "linux")(
  "leaves no database file of DuckDB-WASM, however it ends",
  async () => {
    const temporary = mkdtempSync(join(folder, "temporary-"));
    const file = join(folder, "numbers.arrow");
    const value = makeVector(Int32Array.from({ length: 5 * 2 ** 20 }, (_, i) => i));
    writeFileSync(file, tableToIPC(new Table({ value }), "file"));
    const env = { ...process.env, TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: "1" };
    const start = (sql: string) =>
      spawn(process.execPath, [MAIN, "query", file, sql, "--engine", "wasm", "--memory", "16MiB", "--format", "csv"], {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
    const sum = start("select sum(value) as s from numbers");
    expect(await text(sum.stdout)).toBe(`s\n${(5 * 2 ** 20 * (5 * 2 ** 20 - 1)) / 2}\n`);
    expect(readdirSync(temporary)).toEqual([]);
    const hasFile = (pid: number) =>
      readdirSync(`/proc/${pid}/fd`).some((name) => {
        try {
          return readlinkSync(`/proc/${pid}/fd/${name}`).endsWith(".duckdb (deleted)");
        } catch {
          return false;
        }
      });
    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      const child = start("select count(*) from numbers a join numbers b on a.value % 7 = b.value % 11");
      const ended = once(child, "exit");
      // The folder goes a moment after the name of the file; one that is left between them is empty.
      while (!hasFile(child.pid ?? 0) || readdirSync(temporary).length > 0) await sleep(20);
      child.kill(signal);
      expect(await ended).toEqual([null, signal]);
      expect(readdirSync(temporary)).toEqual([]);
    }
  },
  120_000,
);
