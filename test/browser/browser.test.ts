import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import { unzipSync } from "fflate";
import { readParquet } from "parquet-wasm";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { expectedOf, filesOf } from "../readers/bpcells/stores.js";
import { launch } from "./chromium.js";
import { pageFiles } from "./for-pages.js";
import type { Answers, Way } from "./page.js";
import { type Server, serve } from "./server.js";

const DUCKDB = "node_modules/@duckdb/duckdb-wasm/dist";

/** Computed by examples/make_pbmc_sim.py with pandas and scipy. */
const expected = JSON.parse(readFileSync("examples/pbmc.expected.json", "utf8"));

/** Beside its expected.json, which loompy's values are in. */
const LOOM = "test/fixtures/data/loom";

/** Beside its expected.json, by mudata. */
const MUDATA = "test/fixtures/data/mudata";

const MARKERS = Object.keys(expected.meanOfStoredValues);
const QUERIES = {
  X: "select count(*)::int as nonzeros, sum(value::double) as sum from X",
  counts: `select count(*)::int as nonzeros, sum(value)::int as sum from "layers/counts"`,
  cellsPerType: "select cell_type::varchar as name, count(*)::int as cells from obs group by all",
  cellsPerQuality: "select quality::varchar as name, count(*)::int as cells from obs group by all",
  missing: `select count(*) filter (is_doublet is null)::int as is_doublet, count(*) filter (age is null)::int as age,
              count(*) filter (note is null)::int as note from obs`,
  sums: `select sum(age)::int as age, count(*) filter (is_doublet)::int as doublets,
           (select count(*) filter (highly_variable)::int from var) as variable from obs`,
  markers: `select symbol, cell_type::varchar as cell_type, avg(value) as mean
              from X join obs using (row) join var using (col)
              where symbol in (${MARKERS.map((symbol) => `'${symbol}'`)}) group by all`,
  umap: `select cell_type::varchar as cell_type, avg(value[1]::double) as x, avg(value[2]::double) as y
           from "obsm/X_umap" join obs using (row) group by all`,
  cells: "select _index from obs order by row limit 3",
};

let page: Page;
let context: BrowserContext;
let server: Server;
const profile = mkdtempSync(join(tmpdir(), "annarrow-chromium-"));

async function filesToServe(): Promise<Map<string, Uint8Array>> {
  // unzipit of ZipFileStore looks for worker_threads behind a check for Node.
  const files = await pageFiles("page", { external: ["worker_threads"] });
  for (const name of ["duckdb-browser-eh.worker.js", "duckdb-eh.wasm"]) {
    files.set(`/duckdb/${name}`, readFileSync(`${DUCKDB}/${name}`));
  }
  const parquet = "node_modules/parquet-wasm/esm/parquet_wasm_bg.wasm";
  if (existsSync(parquet)) files.set("/bundle/parquet_wasm_bg.wasm", readFileSync(parquet));
  files.set("/data/pbmc.h5ad", readFileSync("examples/pbmc.h5ad"));
  const zip = readFileSync("examples/pbmc.zarr.zip");
  files.set("/data/pbmc.zarr.zip", zip);
  for (const [key, bytes] of Object.entries(unzipSync(zip))) files.set(`/data/pbmc.zarr/${key}`, bytes);
  for (const [key, bytes] of filesOf("packed")) files.set(`/data/packed/${key}`, bytes);
  files.set("/data/packed.rds", readFileSync("test/fixtures/data/bpcells-rds/packed.rds"));
  files.set("/data/loompy.loom", readFileSync(`${LOOM}/loompy.loom`));
  files.set("/data/axis0.h5mu", readFileSync(`${MUDATA}/axis0.h5mu`));
  return files;
}

beforeAll(async () => {
  server = await serve(await filesToServe());
  context = await launch(profile);
  page = await context.newPage();
  page.on("pageerror", (error) => console.error(error));
  await page.goto(`${server.url}/index.html`);
  await page.waitForFunction(() => "ask" in window);
});

afterAll(async () => {
  await context?.close();
  server?.close();
  rmSync(profile, { recursive: true, force: true });
});

const TABLES = ["obs", "var", "X", "layers/counts", "obsm/X_umap"];

const ask = (url: string, way: Way): Promise<Answers> =>
  page.evaluate((question) => window.ask(question), { url, way, tables: TABLES, queries: QUERIES });

const CASES: readonly [url: string, way: Way, container: string][] = [
  ["/data/pbmc.h5ad", "bytes", "hdf5"],
  ["/data/pbmc.h5ad", "file", "hdf5"],
  ["/data/pbmc.h5ad", "url", "hdf5"],
  ["/data/pbmc.zarr.zip", "bytes", "zarr3"],
  ["/data/pbmc.zarr.zip", "file", "zarr3"],
  ["/data/pbmc.zarr.zip", "url", "zarr3"],
  ["/data/pbmc.zarr", "url", "zarr3"],
  ["/data/pbmc.zarr", "zarrita", "zarr3"],
  ["/data/pbmc.zarr.zip", "zarrita", "zarr3"],
];

describe.each(CASES)("%s by its %s", (url, way, container) => {
  let answers: Answers;
  beforeAll(async () => {
    answers = await ask(url, way);
  });
  const pairs = (name: string, value: string) =>
    Object.fromEntries(answers.sql[name].map((row) => [row.name, row[value]]));

  test("is an AnnData file of that shape", () => {
    expect(answers).toMatchObject({ format: "anndata", container, shape: expected.shape });
    expect(answers.tables).toEqual(expect.arrayContaining(["X", "layers/counts", "obs", "obsm/X_umap", "uns", "var"]));
  });

  test("gives the matrices", () => {
    const [x] = answers.sql.X;
    expect(x.nonzeros).toBe(expected.nonzeros.X);
    expect(x.sum).toBeCloseTo(expected.sum.X, 3);
    expect(answers.sql.counts).toEqual([
      { nonzeros: expected.nonzeros["layers/counts"], sum: expected.sum["layers/counts"] },
    ]);
  });

  test("gives categorical and nullable columns", () => {
    expect(pairs("cellsPerType", "cells")).toEqual(expected.cellsPerType);
    expect(pairs("cellsPerQuality", "cells")).toEqual(expected.cellsPerQuality);
    expect(answers.sql.missing).toEqual([expected.missing]);
    expect(answers.sql.sums).toEqual([
      { age: expected.ageSum, doublets: expected.doublets, variable: expected.highlyVariable },
    ]);
    expect(answers.sql.cells.map((row) => row._index)).toEqual(expected.firstCells);
  });

  test("joins cells, genes and values by position", () => {
    expect(answers.sql.markers.length).toBeGreaterThan(MARKERS.length);
    for (const { symbol, cell_type, mean } of answers.sql.markers) {
      expect(mean).toBeCloseTo(expected.meanOfStoredValues[String(symbol)][String(cell_type)], 9);
    }
    const found = answers.sql.markers.length;
    const all = MARKERS.flatMap((symbol) => Object.keys(expected.meanOfStoredValues[symbol]));
    expect(found).toBe(all.length);
  });

  test("gives the embedding as fixed-size lists", () => {
    expect(answers.sql.umap).toHaveLength(Object.keys(expected.umapCentre).length);
    for (const { cell_type, x, y } of answers.sql.umap) {
      expect(x).toBeCloseTo(expected.umapCentre[String(cell_type)][0], 5);
      expect(y).toBeCloseTo(expected.umapCentre[String(cell_type)][1], 5);
    }
  });
});

test.each([
  ["/data/packed", "url", "directory"],
  ["/data/packed.rds", "bytes", "rds"],
  ["/data/packed.rds", "file", "rds"],
] as const)("a matrix of BPCells: %s by its %s", async (url, way, container) => {
  const queries = { entries: "select row, col, value from matrix", names: "select value from row_names" };
  const tables = ["matrix", "row_names"];
  const found = await page.evaluate((question) => window.ask(question), { url, way, tables, queries });
  const { shape, row, col, value, row_names } = expectedOf("packed");
  expect(found).toMatchObject({ format: "bpcells", container, shape });
  expect(found.sql.entries).toEqual(value.map((one, i) => ({ row: row[i], col: col[i], value: one })));
  expect(found.sql.names).toEqual(row_names?.map((name) => ({ value: name })));
});

test.each(["bytes", "file", "url"] as const)("a Loom file by its %s", async (way) => {
  const queries = {
    values: "select unnest(value::double[]) as value from matrix",
    counts: `select sum(list_sum(value::int[]))::int as sum from "layers/counts"`,
    cells: "select CellID from col_attrs",
    genes: "select Gene, Valid::int as Valid from row_attrs",
    edges: `select row, col, value from "col_graphs/KNN"`,
    title: `select value from "attrs/title"`,
  };
  const tables = ["matrix", "layers/counts", "row_attrs", "col_attrs", "col_graphs/KNN", "attrs/title"];
  const question = { url: "/data/loompy.loom", way, tables, queries };
  const found = await page.evaluate((one) => window.ask(one), question);
  const wanted = JSON.parse(readFileSync(`${LOOM}/expected.json`, "utf8")).loompy;
  const column = (table: string, name: string): unknown[] => wanted[table].columns[name];
  expect(found).toMatchObject({ format: "loom", container: "hdf5", shape: [70, 9] });
  const { values, counts, cells, genes, edges, title } = found.sql;
  expect(values.map(({ value }) => value)).toEqual(column("matrix", "value").flat().map(Number));
  expect(counts[0].sum).toBe(
    column("layers/counts", "value")
      .flat()
      .reduce((sum, one) => Number(sum) + Number(one), 0),
  );
  expect(cells.map(({ CellID }) => CellID)).toEqual(column("col_attrs", "CellID"));
  expect(genes.map(({ Gene }) => Gene)).toEqual(column("row_attrs", "Gene"));
  expect(genes.map(({ Valid }) => String(Valid))).toEqual(column("row_attrs", "Valid"));
  for (const name of ["row", "col", "value"]) {
    expect(edges.map((edge) => edge[name])).toEqual(column("col_graphs/KNN", name));
  }
  expect(title).toEqual([{ value: "by loompy" }]);
});

test.each(["bytes", "file", "url"] as const)("a MuData file by its %s", async (way) => {
  const wanted = JSON.parse(readFileSync(`${MUDATA}/axis0.expected.json`, "utf8"));
  const columns: Record<string, readonly string[]> = {
    "mod/rna/X": ["row", "col", "value"],
    "mod/rna/obs": ["_index", "type", "count"],
    "mod/prot/var": ["_index", "isotype"],
    obs: ["_index", "batch"],
    "obsmap/rna": ["value"],
    "uns/wnn/title": ["value"],
  };
  const tables = Object.keys(columns);
  // Categories are text to SQL.
  const plain = (name: string) =>
    name === "type" || name === "batch" ? `"${name}"::varchar as "${name}"` : `"${name}"`;
  const queries = Object.fromEntries(
    tables.map((table) => [table, `select ${columns[table].map(plain)} from "${table}"`]),
  );
  const found = await page.evaluate((one) => window.ask(one), { url: "/data/axis0.h5mu", way, tables, queries });
  expect(found).toMatchObject({ format: "mudata", container: "hdf5", shape: [8, 7] });
  for (const table of tables) {
    for (const name of columns[table]) {
      const values = found.sql[table].map((row) => row[name]);
      expect(values, `${table}, ${name}`).toEqual(wanted[table].columns[name]);
    }
  }
});

test("of a store on the web only what is asked for is fetched", () => {
  const chunks = server.requests.filter((path) => /^\/data\/pbmc\.zarr\/.*\/c\//.test(path));
  expect(chunks.filter((path) => path.startsWith("/data/pbmc.zarr/X/data/c/"))).not.toEqual([]);
  expect(chunks.filter((path) => path.startsWith("/data/pbmc.zarr/uns/cell_type_colors/"))).toEqual([]);
});

describe("a file on another host, of which only parts are fetched", () => {
  const h5ad = readFileSync("examples/pbmc.h5ad");
  const host = async (headers: Record<string, string>) => {
    const other = await serve(new Map([["/pbmc.h5ad", h5ad]]), headers);
    onTestFinished(() => other.close());
    const found = await page.evaluate(([url, name]) => window.column(url, name), [`${other.url}/pbmc.h5ad`, "_index"]);
    return { found, requests: other.requests };
  };
  const anybody = { "Access-Control-Allow-Origin": "*" };

  test("that shows Content-Range", async () => {
    const { found, requests } = await host({
      ...anybody,
      "Access-Control-Expose-Headers": "Content-Range, ETag",
      ETag: '"one"',
    });
    expect(found).toHaveLength(expected.shape[0]);
    expect(found.slice(0, 3)).toEqual(expected.firstCells);
    expect(requests[0]).toBe("/pbmc.h5ad bytes=0-65535");
    expect(requests.every((one) => /^\/pbmc\.h5ad bytes=\d+-\d+$/.test(one))).toBe(true);
  });

  test("that hides Content-Range: its size is asked for", async () => {
    const { found, requests } = await host(anybody);
    expect(found.slice(0, 3)).toEqual(expected.firstCells);
    expect(requests.slice(0, 2)).toEqual(["/pbmc.h5ad bytes=0-65535", "/pbmc.h5ad bytes=0-"]);
  });

  test("that does not let pages read: a named error", async () => {
    expect((await host({})).found).toMatch(
      /^InvalidDataError: .*pbmc\.h5ad: bytes 0-65535: Failed to fetch .*Access-Control-Allow-Origin.* after 4 attempts/,
    );
  });
});

test("a store of zarrita written in the page holds what zarrita reads", async () => {
  const values = await page.evaluate(([url, path]) => window.written(url, path), ["/data/pbmc.h5ad", "X/data"]);
  expect(values).toHaveLength(expected.nonzeros.X);
  expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(expected.sum.X, 3);
});

describe("Parquet written in the page", () => {
  const written = async (table: string) => {
    const text = await page.evaluate(([url, name]) => window.parquet(url, name), ["/data/pbmc.h5ad", table]);
    return tableFromIPC(readParquet(Buffer.from(text, "latin1")).intoIPCStream());
  };

  test("holds the matrix", async () => {
    const values: Float32Array = (await written("X")).getChild("value")?.toArray();
    expect(values.length).toBe(expected.nonzeros.X);
    expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(expected.sum.X, 3);
  });

  test("holds nested columns", async () => {
    const umap = await written("obsm/X_umap");
    expect(umap.numRows).toBe(expected.shape[0]);
    expect(String(umap.schema.fields[0].type)).toBe("FixedSizeList[2]<Float32>");
  });

  test("holds dictionaries and nulls", async () => {
    const obs = await written("obs");
    expect(obs.getChild("age")?.nullCount).toBe(expected.missing.age);
    expect(obs.getChild("_index")?.get(0)).toBe(expected.firstCells[0]);
    const types = [...(obs.getChild("cell_type") ?? [])];
    expect(types.filter((name) => name === "B cell")).toHaveLength(expected.cellsPerType["B cell"]);
  });
});

test("a table that exceeds DuckDB's memory is kept in the page's own files", async () => {
  const rows = 2 ** 23;
  const found = await page.evaluate(([count, limit]) => window.kept(count, limit), [rows, "40MB"] as const);
  const expectedRow = { rows, sum: (rows * (rows - 1)) / 2, joined: 1000 };
  expect(found).toMatchObject({ first: expectedRow, again: expectedRow, left: [] });
  expect(found.files["kept.duckdb"]).toBeGreaterThan(2 ** 22);
  expect(found.refused).toMatch(/pages have no temporary files: .*opfs:/);
});
