/** Database files of DuckDB, read by DuckDB. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, expect, test } from "vitest";
import { convert, open, write } from "../../packages/published/src/node.js";
import { findVersionProblem } from "../../src/sinks/duckdb/native-connection.node.js";
import { ensureBuilt } from "../build.js";

const PBMC = "examples/pbmc.h5ad";
const folder = mkdtempSync(join(tmpdir(), "annarrow-database-"));
const expected = JSON.parse(readFileSync("examples/pbmc.expected.json", "utf8"));
afterAll(() => rmSync(folder, { recursive: true }));

async function rowsIn(file: string, sql: string) {
  const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjects();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

test("all tables are in one file, and views have the names of cells and genes", async () => {
  const output = join(folder, "pbmc.duckdb");
  const { tables, warnings } = await convert(PBMC, output);
  expect([tables.length, warnings]).toEqual([21, []]);
  expect(readdirSync(folder)).toEqual(["pbmc.duckdb"]);
  expect(await rowsIn(output, "select cell_type, count(*)::int as n from obs group by 1")).toEqual(
    expect.arrayContaining(Object.entries(expected.cellsPerType).map(([cell_type, n]) => ({ cell_type, n }))),
  );
  const perQuality = await rowsIn(
    output,
    "select quality::varchar as q, count(*)::int as n from obs group by quality order by quality",
  );
  expect(perQuality).toEqual(expected.qualityOrder.map((q: string) => ({ q, n: expected.cellsPerQuality[q] })));
  for (const name of ["X", "layers/counts"]) {
    const [found] = await rowsIn(output, `select sum(value::double) as sum, count(*)::int as n from "${name}_named"`);
    expect(found).toEqual({ sum: expect.closeTo(expected.sum[name], 6), n: expected.nonzeros[name] });
  }
  const [gene] = await rowsIn(
    output,
    "select count(*)::int as n from X_named join obs using (row) join var using (col) where obs_name != _index or var_name != gene_id",
  );
  expect(gene).toEqual({ n: 0 });
});

test("an array of cells that is called X has no names of genes", async () => {
  const output = join(folder, "obsm-x.duckdb");
  await using data = await open(PBMC);
  const elements = ["X", "obs", "var", "obsm/X_umap"];
  const input = join(folder, "obsm-x.h5ad");
  await write(input, await data.select({ elements, rename: { "obsm/X_umap": "obsm/X" } }));
  await convert(input, output);
  const views = await rowsIn(output, "select view_name from duckdb_views() where not internal");
  expect(views.map((row) => row.view_name)).toEqual(["X_named"]);
});

test("some tables, and an output that exists", async () => {
  const output = join(folder, "some.db");
  await convert(PBMC, output, { format: "duckdb", tables: ["obs", "obsm/X_umap"] });
  const tables = await rowsIn(output, "select table_name from duckdb_tables() order by 1");
  expect(tables.map((row) => row.table_name)).toEqual(["obs", "obsm/X_umap"]);
  await expect(convert(PBMC, output, { format: "duckdb" })).rejects.toThrow("exists already");
  await convert(PBMC, output, { format: "duckdb", tables: ["var"], overwrite: true });
  expect(await rowsIn(output, "select table_name from duckdb_tables()")).toEqual([{ table_name: "var" }]);
  await expect(convert(PBMC, join(folder, "x.parquet"), { format: "duckdb" })).rejects.toThrow(
    ".parquet file by its name",
  );
  await expect(convert(PBMC, "-", { format: "duckdb" })).rejects.toThrow("not written to the standard output");
  expect(existsSync(join(folder, "x.parquet"))).toBe(false);
});

test("what DuckDB cannot hold is an error, or is left out", async () => {
  const input = "test/fixtures/data/anndata/modern.h5ad";
  const output = join(folder, "odd.duckdb");
  await expect(convert(input, output)).rejects.toThrow("which DuckDB cannot");
  expect(existsSync(output)).toBe(false);
  const { warnings } = await convert(input, output, { lossy: true });
  expect(warnings.join("\n")).toContain("left out: ");
});

test("the names of a raw matrix are its own, and the ones of a modality too", async () => {
  const output = join(folder, "modalities.duckdb");
  await convert("test/fixtures/data/mudata/axis0.h5mu", output, { lossy: true });
  const views = await rowsIn(output, "select view_name from duckdb_views() where not internal order by 1");
  expect(views.length).toBeGreaterThan(0);
  for (const { view_name } of views) expect(String(view_name)).toMatch(/^mod\/\w+\/(X|layers\/\w+|raw\/X)_named$/);
});

test("a killed conversion leaves no file, or the one that was there", async () => {
  await ensureBuilt();
  const place = join(mkdtempSync(join(folder, "killed-")), "pbmc.duckdb");
  const convertTo = () => spawn(process.execPath, ["dist/cli/main.js", "convert", PBMC, place, "--overwrite"]);
  let before = 0;
  // Counted from the moment at which the conversion begins to write: how long it takes to start differs from run to run.
  for (const milliseconds of [0, 50, 200]) {
    writeFileSync(place, "before");
    const earlier = new Set(readdirSync(dirname(place)));
    const child = convertTo();
    const exit = once(child, "exit");
    const hasBegun = () => readdirSync(dirname(place)).some((name) => !earlier.has(name));
    while (child.exitCode === null && !hasBegun()) await sleep(1);
    await Promise.race([sleep(milliseconds), exit]);
    child.kill("SIGKILL");
    await exit;
    if (readFileSync(place, "latin1") === "before") before++;
    else expect(await rowsIn(place, "select count(*)::int as n from duckdb_tables()")).toEqual([{ n: 21 }]);
    expect(existsSync(`${place}.wal`)).toBe(false);
  }
  expect(before).toBeGreaterThan(0);
  // The next run removes what the killed ones have left.
  expect(await once(convertTo(), "exit")).toEqual([0, null]);
  expect(readdirSync(dirname(place))).toEqual(["pbmc.duckdb"]);
}, 240_000);

test("a file has the version of storage that all of DuckDB 1.x and 2.x read", async () => {
  const output = join(folder, "version.duckdb");
  await convert(PBMC, output, { tables: ["obs"] });
  // https://duckdb.org/docs/stable/internals/storage: the magic bytes, then the version, 64 from 0.9 to 1.1.
  const head = readFileSync(output).subarray(8, 20);
  expect([head.toString("latin1", 0, 4), head.readBigUInt64LE(4)]).toEqual(["DUCK", 64n]);
});

test.each([
  ["v1.5.5", null],
  ["v1.6.0-dev12", null],
  ["v2.0.0", "DuckDB v2.0.0 is not known to this version of annarrow"],
])("DuckDB %s", (version, reason) => {
  expect(findVersionProblem(version)).toBe(reason);
});
