/** Which table `annarrow head` shows where none is named, and how many rows are printed where. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { annarrow } from "./command.js";

beforeAll(ensureBuilt, 120_000);

test.each([
  ["the cells of an AnnData", "examples/pbmc.h5ad", /^_index +cell_type/],
  ["the cells of a Loom file", "test/fixtures/data/loom/loompy.loom", /^CellID /],
  ["the first table of another file", "test/fixtures/data/loom/matrix-only.loom", /^value/],
])("%s", async (_, file, header) => {
  const { code, stdout, stderr } = await annarrow("head", file, "--rows", "1");
  expect(stdout, stderr).toMatch(header);
  expect(code).toBe(0);
});

/** Rows of X in the example, as `make_pbmc_sim.py` counts them. */
const { nonzeros } = JSON.parse(readFileSync("examples/pbmc.expected.json", "utf8"));

test("what is no terminal gets all rows that are asked for", async () => {
  const head = await annarrow("head", "examples/pbmc.h5ad", "X", "--rows", "700");
  expect(head.stdout.trimEnd().split("\n")).toHaveLength(701);
  expect(head.stderr).toBe("700 rows\n");
});

test("a query into a file or a pipe has all rows", async () => {
  const query = await annarrow("query", "examples/pbmc.h5ad", 'select "row", col, value from X');
  const [title, ...lines] = query.stdout.trimEnd().split("\n");
  expect(title.trim().split(/ +/)).toEqual(["row", "col", "value"]);
  expect(lines).toHaveLength(nonzeros.X);
  expect(lines.every((line) => line.trim().split(/ +/).length === 3)).toBe(true);
  expect(query.code).toBe(0);
});

const hasScript = spawnSync("script", ["--version"]).stdout?.includes("util-linux") ?? false;

test.runIf(hasScript)("a terminal shows 200 rows of a query, and all rows of head", () => {
  const terminal = (...args: string[]) => {
    const command = [process.execPath, "dist/cli/main.js", ...args].map((arg) => `'${arg}'`).join(" ");
    return spawnSync("script", ["-qec", command, "/dev/null"], { encoding: "utf8" }).stdout.trimEnd().split(/\r?\n/);
  };
  const rows = terminal("query", "examples/pbmc.h5ad", "select col from X limit 300");
  expect(rows).toHaveLength(202);
  expect(rows.at(-1)).toMatch(/^300 rows, the first 200 are shown/);
  expect(terminal("head", "examples/pbmc.h5ad", "X", "-n", "300")).toHaveLength(302);
});

test("--safe-text of convert and query, and nowhere else", async () => {
  const sql = "select '=1+1' as a, -1 as b, '-5' as c";
  const safe = await annarrow("query", "examples/pbmc.h5ad", sql, "--format", "csv", "--safe-text");
  expect(safe.stdout).toBe("a,b,c\n'=1+1,-1,-5\n");
  const table = await annarrow("query", "examples/pbmc.h5ad", sql, "--safe-text");
  expect([table.code, table.stderr]).toEqual([2, expect.stringContaining("only csv and tsv have --safe-text")]);
});
