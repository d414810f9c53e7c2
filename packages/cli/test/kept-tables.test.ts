/** `annarrow query --cache`: what DuckDB has read of large matrices stays for later statements. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { write } from "../../published/src/node.js";

const MAIN = "dist/cli/main.js";
const ROWS = 1100;
const COLUMNS = 1000;
/** Sums by rows, of values that are `(row + 3 * col) % 7 + 1`. */
const SUMS = "select row, sum(value) as s from X group by row order by row";
let folder: string;
let file: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-kept-tables-"));
  file = join(folder, "large.h5ad");
  const count = ROWS * COLUMNS;
  const row = Int32Array.from({ length: count }, (_, i) => Math.floor(i / COLUMNS));
  const col = Int32Array.from({ length: count }, (_, i) => i % COLUMNS);
  const value = Float32Array.from(row, (r, i) => ((r + 3 * col[i]) % 7) + 1);
  const names = (letter: string, length: number) => ({ _index: Array.from({ length }, (_, i) => `${letter}${i}`) });
  await write(file, { X: { row, col, value }, obs: names("c", ROWS), var: names("g", COLUMNS) });
  await ensureBuilt();
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

const cacheOf = (name: string) => join(folder, name);
const environment = (cache: string) => ({ ...process.env, XDG_CACHE_HOME: cacheOf(cache) });

function annarrow(cache: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    env: environment(cache),
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** The files that are kept in a cache. */
function kept(cache: string): readonly string[] {
  const all = readdirSync(join(cacheOf(cache), "annarrow"));
  return all
    .filter((name) => name.endsWith(".tables"))
    .flatMap((name) => filesIn(join(cacheOf(cache), "annarrow", name)));
}

const filesIn = (path: string) => readdirSync(path).map((name) => join(path, name));

const EXPECTED = Array.from({ length: ROWS }, (_, row) => {
  let sum = 0;
  for (let col = 0; col < COLUMNS; col++) sum += ((row + 3 * col) % 7) + 1;
  return `${row},${sum}`;
});

for (const [engine, extension] of [
  ["native", "parquet"],
  ["wasm", "duckdb"],
] as const) {
  const query = (...args: string[]) => annarrow(engine, "query", file, ...args, "--engine", engine, "--format", "csv");
  const explained = () => query("select sum(value) from X where row = 5", "--explain", "--cache").stdout;

  test(`${engine} DuckDB reads a matrix once, whatever later statements need of it`, () => {
    expect(explained()).toContain("conditions on row");
    const first = query(SUMS, "--cache");
    expect(first.stdout.trim().split("\n").slice(1)).toEqual(EXPECTED);
    const files = kept(engine).filter((path) => !path.endsWith("manifest.json"));
    expect(files).toEqual([expect.stringMatching(new RegExp(`/X\\.${extension}$`))]);
    const [bytes, { mtimeMs }] = [readFileSync(files[0]), statSync(files[0])];
    expect(explained()).toContain("kept by an earlier statement");
    expect(query(SUMS, "--cache")).toEqual({ ...first, stderr: "" });
    for (const sql of [
      "select * from X where row = 7 and col < 3",
      "select count(*) as n, sum(value) as s from X join var using (col) where var._index in ('g5', 'g900')",
      "select * from X order by row desc, col desc limit 5",
      "select sum(rowid) as r from X",
    ]) {
      expect(query(sql, "--cache"), sql).toEqual(query(sql));
    }
    expect([readFileSync(files[0]).equals(bytes), statSync(files[0]).mtimeMs]).toEqual([true, mtimeMs]);
    // Statements cannot write to it.
    expect(query(`copy (select 1) to '${files[0]}'`, "--cache").status).not.toBe(0);
    expect(annarrow(engine, "index", "--list").stdout).toMatch(/large\.h5ad +for DuckDB +X /);
  }, 120_000);

  test(`${engine} DuckDB reads a file anew that has changed, and "index --remove" removes what is kept`, () => {
    const before = kept(engine);
    expect(before).toHaveLength(2);
    const now = new Date();
    utimesSync(file, now, now);
    expect(explained()).toContain("conditions on row");
    expect(kept(engine)).toEqual([expect.stringMatching(/manifest\.json$/)]);
    expect(query("select sum(value) as s from X", "--cache").status).toBe(0);
    expect(kept(engine)).toHaveLength(2);
    expect(annarrow(engine, "index", file, "--remove").stderr.match(/removed /g)).toHaveLength(2);
    expect(readdirSync(join(cacheOf(engine), "annarrow"))).toEqual([]);
  }, 120_000);
}

test("nothing half written is kept, and the next statement removes it", async () => {
  const args = [MAIN, "query", file, SUMS, "--cache", "--engine", "wasm"];
  const child = spawn(process.execPath, args, { env: environment("killed"), stdio: "ignore" });
  const ended = once(child, "exit");
  const unfinished = () => {
    try {
      return kept("killed").filter((path) => path.endsWith(".tmp"));
    } catch {
      return [];
    }
  };
  while (unfinished().length === 0 && child.exitCode === null) await sleep(5);
  child.kill("SIGKILL");
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(kept("killed").some((path) => path.endsWith("X.duckdb"))).toBe(false);
  const { stdout } = annarrow("killed", "query", file, SUMS, "--cache", "--engine", "wasm", "--format", "csv");
  expect(stdout.trim().split("\n").slice(1)).toEqual(EXPECTED);
  expect(kept("killed").map((path) => path.split("/").at(-1))).toEqual(["X.duckdb", "manifest.json"]);
}, 120_000);
