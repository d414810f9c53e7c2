/** What the page does without a server: tables, statements in DuckDB-WASM, and parts that are saved. */

import { readFileSync } from "node:fs";
import type { Download, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { open } from "../../packages/published/src/node.js";
import { viewFrame } from "./view-frame.js";

const frame = viewFrame();

/** Computed by examples/make_pbmc_sim.py with pandas and scipy. */
const expected = JSON.parse(readFileSync("examples/pbmc.expected.json", "utf8"));

const PBMC = "examples/pbmc.h5ad";

/** Notes the files of DuckDB that the page loads. Its worker loads them, so that only the context sees them. */
function duckdbFiles(page: Page): string[] {
  const loaded: string[] = [];
  page.context().on("request", (request) => {
    const name = /\/duckdb\/([^/]+)$/.exec(request.url())?.[1];
    if (name !== undefined) loaded.push(name);
  });
  return loaded;
}

async function run(page: Page, sql: string): Promise<void> {
  // `fill` would keep the style of what it replaces, as an attribute that the page's policy refuses.
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(sql);
  await page.getByRole("button", { name: "Run", exact: true }).click();
}

test("shows the first table", async () => {
  const { page } = await frame.opened(PBMC);
  const duckdb = duckdbFiles(page);
  const grid = page.getByRole("grid").first();
  for (const name of expected.firstCells) await grid.getByText(name).waitFor();
  await frame.screenshot(page, "static-table");
  expect(duckdb).toEqual([]);
});

describe("SQL", () => {
  test("is answered by DuckDB beside the page, which is loaded once", async () => {
    const { page } = await frame.opened(PBMC, { state: { tab: "sql" } });
    const duckdb = duckdbFiles(page);
    await run(page, "select cell_type::varchar as name, count(*)::int as cells from obs group by all");
    const grid = page.getByRole("grid").first();
    for (const [name, cells] of Object.entries(expected.cellsPerType)) {
      await grid.getByRole("row").filter({ hasText: name }).getByText(String(cells), { exact: true }).waitFor();
    }
    await run(page, `select sum(value)::double as total from "layers/counts"`);
    await grid.getByText(new RegExp(expected.sum["layers/counts"].toString())).waitFor();
    await run(page, "select count(*) as stored from gene('CD79A')");
    await frame.screenshot(page, "static-sql");
    await run(page, "select symbl from var");
    await page.getByRole("alert").filter({ hasText: "symbol" }).waitFor();
    expect(duckdb.sort()).toEqual(["duckdb-browser-eh.worker.js", "duckdb-eh.wasm"]);
  });

  test("an answer is saved as Parquet", async () => {
    const { page } = await frame.opened(PBMC, { state: { tab: "sql" } });
    await run(page, "select cell_type::varchar as name, count(*)::int as cells from obs group by all");
    const waiting = page.waitForEvent("download");
    await page.getByLabel("Save as…").selectOption("parquet");
    const download = await waiting;
    expect(download.suggestedFilename()).toBe("pbmc-answer.parquet");
    const data = await open(new Uint8Array(readFileSync(await download.path())));
    const [table] = data.tables.values();
    const rows = Array.from(await table.read(), (row) => [row?.name, row?.cells]);
    expect(Object.fromEntries(rows)).toEqual(expected.cellsPerType);
    await data.close();
  });

  test("a cancelled statement ends, and the next one is answered by the same DuckDB", async () => {
    const { page } = await frame.opened(PBMC, { state: { tab: "sql" } });
    const duckdb = duckdbFiles(page);
    await run(page, "select sum(a.range * b.range)::double as s from range(1000000) a, range(1000000) b");
    await page.waitForTimeout(1500);
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await run(page, "select 6 * 7 as answer");
    await page.getByRole("grid").first().getByText("42", { exact: true }).waitFor();
    expect(duckdb.filter((name) => name.endsWith(".wasm"))).toHaveLength(1);
  });

  test("reaches no files and no network", async () => {
    const { page } = await frame.opened(PBMC, { state: { tab: "sql" } });
    const host = await frame.hosted(new Map([["/a.csv", Buffer.from("a\n1\n")]]));
    await run(page, `select * from read_csv('${host.url}/a.csv')`);
    await page.getByRole("alert").first().waitFor();
    expect(host.requests).toEqual([]);
  });
});

describe("a selection is saved", () => {
  const B_CELLS = { by: "values", mode: "within", column: "cell_type", values: ["B cell"] };
  const count: number = expected.cellsPerType["B cell"];

  async function saved(format: string): Promise<Download> {
    const { page } = await frame.opened(PBMC, { state: { cells: [B_CELLS] } });
    await page
      .getByText(`${count.toLocaleString("en")} of`)
      .first()
      .waitFor();
    await page.getByLabel("Format", { exact: true }).selectOption(format);
    const waiting = page.waitForEvent("download");
    await page.getByRole("region", { name: "Save as" }).getByRole("button", { name: "Save" }).click();
    return waiting;
  }

  test.each(["h5ad", "zarr.zip"])("as %s", async (format) => {
    const download = await saved(format);
    expect(download.suggestedFilename()).toMatch(new RegExp(`\\.${format}$`));
    const data = await open(new Uint8Array(readFileSync(await download.path())));
    const obs = await data.table("obs").read();
    expect(data.shape).toEqual([count, expected.shape[1]]);
    expect([...new Set(obs.getChild("cell_type"))]).toEqual(["B cell"]);
    expect((await data.table("X").read()).numRows).toBeGreaterThan(0);
    await data.close();
  });

  test("as a table", async () => {
    const download = await saved("parquet");
    const data = await open(new Uint8Array(readFileSync(await download.path())));
    const [table] = data.tables.values();
    expect(table.rows).toBe(count);
    await data.close();
  });
});
