/** The page shows files of every format, and what a hostile file says as text. */

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { convert, writeBytes } from "../../packages/published/src/node.js";
import { viewFrame } from "./view-frame.js";

const frame = viewFrame();

const DATA = "test/fixtures/data";

/** A value in the index of `obs`, or of what stands in its place, as the programs that made the files wrote it. */
const modern = JSON.parse(readFileSync(`${DATA}/anndata/modern.expected.json`, "utf8"));
const loompy = JSON.parse(readFileSync(`${DATA}/loom/expected.json`, "utf8")).loompy;
const axis0 = JSON.parse(readFileSync(`${DATA}/mudata/axis0.expected.json`, "utf8"));

const [firstCell] = JSON.parse(readFileSync("examples/pbmc.expected.json", "utf8")).firstCells;
const cellranger = JSON.parse(readFileSync(`${DATA}/cellranger/expected.json`, "utf8")).v3;
const saved = JSON.parse(readFileSync(`${DATA}/r/expected.json`, "utf8"));

interface Case {
  /** A file, or a folder that is chosen. */
  readonly file: string;
  /** What the head of the page says. */
  readonly facts: RegExp;
  readonly table: string;
  /** A text in the table; only that rows are there where no other program tells one. */
  readonly cell?: string;
}

const CASES: readonly Case[] = [
  {
    file: "anndata/modern.h5ad",
    facts: /AnnData \(encoding version 0.1.0\).*HDF5/,
    table: "obs",
    cell: modern.obs.columns._index[0],
  },
  { file: "anndata/legacy_0_6.h5ad", facts: /AnnData .*HDF5/, table: "obs" },
  { file: "anndata/modern.v2.zarr.zip", facts: /AnnData .*Zarr 2/, table: "obs" },
  { file: "anndata/modern.v3.zarr.zip", facts: /AnnData .*Zarr 3/, table: "obs" },
  { file: "loom/loompy.loom", facts: /Loom/, table: "col_attrs", cell: loompy.col_attrs.columns.CellID[0] },
  { file: "mudata/axis0.h5mu", facts: /MuData/, table: "obs", cell: axis0.obs.columns._index[0] },
  { file: "matlab/python.mat", facts: /MATLAB/, table: "" },
  { file: "bpcells-rds/packed.rds", facts: /BPCells .*RDS/, table: "matrix" },
  { file: "bpcells/packed", facts: /BPCells .*folder/, table: "matrix" },
  { file: "cellranger/v3.h5", facts: /Cell Ranger .*HDF5/, table: "obs", cell: cellranger.obs.columns._index[0] },
  { file: "fragments/packed", facts: /BPCells .*folder/, table: "fragments" },
  { file: "r/seurat.rds", facts: /R Seurat .*RDS/, table: "obs", cell: saved.seurat.obs._index[4] },
  { file: "r/several.RData", facts: /R .*RDS/, table: "columns", cell: saved["several.RData"].columns.text[2] },
];

/** Rows of values: those that say where they are, but the heads. */
const rowsOf = (page: Page) => page.getByRole("grid").first().locator("[role=row][aria-rowindex]");

test.each(CASES)("$file", async ({ file, facts, table, cell }) => {
  const state = table === "" ? {} : { table };
  const { page } = await frame.statically({ state });
  const button = statSync(`${DATA}/${file}`).isDirectory() ? "Folder" : "Files";
  await page.getByLabel(button, { exact: true }).setInputFiles(`${DATA}/${file}`);
  await page.locator(".facts").filter({ hasText: facts }).waitFor();
  const tree = page.getByRole("navigation", { name: "Elements" });
  expect((await tree.textContent())?.length).toBeGreaterThan(0);
  if (table === "") return;
  await expect.poll(() => rowsOf(page).count()).toBeGreaterThan(1);
  if (cell !== undefined) await page.getByRole("grid").first().getByText(cell, { exact: true }).first().waitFor();
});

test("the first fragments in text, whose number nobody knows", async () => {
  const { page } = await frame.opened(`${DATA}/fragments/fragments.tsv.gz`, { state: { table: "fragments" } });
  await page
    .locator(".facts")
    .filter({ hasText: /Cell Ranger .*TSV/ })
    .waitFor();
  const { chr, start } = JSON.parse(readFileSync(`${DATA}/fragments/expected.json`, "utf8"));
  const count = `${chr.length.toLocaleString("en")} rows`;
  await expect.poll(() => page.locator(".row-count").textContent()).toBe(count);
  const first = page.locator('[data-row="0"]');
  await expect.poll(() => first.nth(1).textContent()).toBe(chr[0]);
  expect(await first.nth(2).textContent()).toBe(String(start[0]));
});

test.each(["parquet", "arrow"] as const)("a folder of tables in %s", async (format) => {
  const folder = join(mkdtempSync(join(tmpdir(), "annarrow-tables-")), "pbmc");
  onTestFinished(() => rmSync(dirname(folder), { recursive: true }));
  await convert("examples/pbmc.h5ad", folder, { format });
  const { page } = await frame.statically();
  await page.getByLabel("Folder", { exact: true }).setInputFiles(folder);
  // The tables of an AnnData keep its name.
  await page.getByText("2,700 cells × 800 genes").waitFor();
  const cell = page.getByRole("grid").first().getByText(firstCell, { exact: true }).first();
  expect(await cell.textContent()).toBe(firstCell);
});

describe("a hostile file", () => {
  const SCRIPT = `<script>document.title = "broken"</script><img src=x onerror="document.title = 'broken'">`;
  const BIDIRECTIONAL = "\u202egnp.exe\u2066";
  const LONG = "long ".repeat(20_000);
  const VALUES = [SCRIPT, BIDIRECTIONAL, LONG, "a\0b"];

  async function hostile(): Promise<Buffer> {
    const bytes = await writeBytes("zarr.zip", {
      X: { row: Int32Array.of(0), col: Int32Array.of(0), value: Float32Array.of(1) },
      obs: { _index: VALUES.map((_, i) => `cell ${i}`), [SCRIPT.replaceAll("/", "|")]: VALUES, note: VALUES },
      var: { _index: [SCRIPT] },
    });
    return Buffer.from(bytes);
  }

  test.each(["table", "embedding", "sql", "matrix", "quality"])("is shown as text in the tab %s", async (tab) => {
    const buffer = await hostile();
    const { page } = await frame.statically({ state: { tab } });
    const name = `<img src=x onerror="document.title='broken'">.zarr.zip`;
    await page
      .getByLabel("Files", { exact: true })
      .setInputFiles({ name, mimeType: "application/octet-stream", buffer });
    await page.locator(".facts").filter({ hasText: "4 cells" }).waitFor();
    if (tab === "table") {
      const grid = page.getByRole("grid").first();
      await grid
        .getByText(/<script>document.title/)
        .first()
        .waitFor();
      await grid
        .getByText(/long long/)
        .first()
        .waitFor();
      await grid.getByText("⟨U+202E⟩gnp.exe⟨U+2066⟩").first().waitFor();
      await frame.screenshot(page, "hostile");
    } else await page.waitForTimeout(500);
    expect(await page.title()).not.toContain("broken");
    expect(await page.locator("img, script:not([src])").count()).toBe(0);
    // No value makes the page wider than its window.
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  });
});
