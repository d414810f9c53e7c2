/** `annarrow query --cache`: a companion is made once, beside whatever is there. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../build.js";

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
  expect(annarrow("index", "--list").stdout).toContain("pbmc.h5ad");
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
