/** `annarrow query --cache` and `serve --cache`: a companion is made once, beside whatever is there. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { listCompanions } from "../../published/src/node.js";

const PBMC = "examples/pbmc.h5ad";
const cache = mkdtempSync(join(tmpdir(), "annarrow-query-cache-"));

beforeAll(ensureBuilt, 120_000);
afterAll(() => rmSync(cache, { recursive: true }));

function annarrow(...args: string[]) {
  const env = { ...process.env, XDG_CACHE_HOME: cache };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["dist/cli/main.js", ...args], {
    env,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

test("copies matrices by genes once, and reads genes from the copy", { timeout: 60_000 }, () => {
  const ask = (...more: string[]) =>
    annarrow("query", PBMC, "select count(*) as n from gene('SIMG0000005')", "--format", "csv", ...more);
  const plain = ask();
  expect(plain).toMatchObject({ status: 0, stderr: "" });
  expect(readdirSync(cache)).toEqual([]);
  const first = ask("--cache");
  expect(first.stderr).toMatch(/^X: 187,809 entries, .*\n(.*\n)*wrote /);
  const list = annarrow("index", "--list").stdout;
  expect(list).toMatch(/pbmc\.h5ad +by genes/);
  expect(list).not.toContain("for DuckDB");
  const explained = (sql: string) => annarrow("query", PBMC, sql, "--explain", "--format", "csv").stdout;
  expect(explained("select sum(value) from X where col = 5")).toMatch(
    /conditions on col; from the companion .*pbmc\.h5ad-/,
  );
  expect(explained("select sum(value) from X where row = 5")).not.toContain("companion");
  const again = ask("--cache");
  expect([first, again]).toEqual([
    { ...plain, stderr: first.stderr },
    { ...plain, stderr: "" },
  ]);
});

test("says why a dataset can have no copy, and answers", { timeout: 60_000 }, () => {
  const object = "test/fixtures/data/bpcells-objects/dir-moved.rds";
  const found = annarrow(
    "query",
    object,
    "show tables",
    "--cache",
    "--follow",
    "test/fixtures",
    "--follow",
    "test/fixtures/data/bpcells",
  );
  expect(found.stderr).toContain("dir-moved.rds can have no copy by genes: saved R objects");
  expect(found.status).toBe(0);
  expect(annarrow("query", PBMC, "show tables", "--cache", "--companion", "off")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("give either --cache or --companion off"),
  });
});

test("a server copies its files by genes while it serves, and goes on where one is broken", {
  timeout: 60_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "annarrow-serve-cache-"));
  const own = join(folder, "cache");
  copyFileSync(PBMC, join(folder, "a.h5ad"));
  writeFileSync(join(folder, "broken.h5ad"), "no file of HDF5");
  const env = { ...process.env, XDG_CACHE_HOME: own };
  const server = spawn(process.execPath, ["dist/cli/main.js", "serve", folder, "--port", "0", "--cache"], { env });
  const ended = once(server, "exit");
  const events: Record<string, unknown>[] = [];
  for await (const line of createInterface(server.stderr)) {
    events.push(JSON.parse(line));
    if (events.at(-1)?.event === "indexed all") server.kill("SIGTERM");
  }
  expect(await ended).toEqual([0, null]);
  const told = events.filter(({ event }) => /indexed/.test(String(event)));
  expect(told).toMatchObject([
    { event: "indexed", dataset: "a.h5ad", message: expect.stringMatching(/^wrote .*a\.h5ad-/) },
    { event: "not indexed", level: "warn", dataset: "broken.h5ad", error: expect.stringContaining("broken.h5ad") },
    { event: "indexed all", copied: 1, failed: 1 },
  ]);
  expect(events.findIndex(({ event }) => event === "serving")).toBeLessThan(events.indexOf(told[0]));
  expect(await listCompanions(join(own, "annarrow"))).toMatchObject([
    { source: join(realpathSync(folder), "a.h5ad"), kind: "by genes", elements: ["X", "layers/counts"] },
  ]);
  rmSync(folder, { recursive: true });
});
