/** The tab `table` on examples/pbmc.h5ad; `a` in comments is `anndata.read_h5ad("examples/pbmc.h5ad")`, `o` its obs. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Field, Int32, makeData, RecordBatch, Schema, Struct, Table } from "apache-arrow";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { ipcFile } from "../../src/sinks/ipc/ipc.js";
import { viewFrame } from "./view-frame.js";

const frame = viewFrame();

const cell = (page: Page, row: number, column: number) => page.locator(`[data-row="${row}"][data-column="${column}"]`);

async function goTo(page: Page, row: number): Promise<void> {
  await page.getByLabel("Go to row").fill(String(row));
  await page.getByLabel("Go to row").press("Enter");
}

const count = (page: Page) => page.locator(".row-count").textContent();

test("the last row of a table", async () => {
  const { page } = await frame.served(["examples/pbmc.h5ad"]);
  await cell(page, 0, 0).getByText("TTGCGACTTTCGTT-1").waitFor();
  await goTo(page, 2699);
  await expect.poll(() => cell(page, 2699, 0).textContent()).toBe("TGCGCAGGGCCTAA-1");
  // o.iloc[2699][["cell_type", "n_counts", "pct_mt"]]
  expect(await cell(page, 2699, 1).textContent()).toBe("CD4 T cell");
  expect(await cell(page, 2699, 4).textContent()).toBe("121");
  await page.getByRole("grid").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => cell(page, 2699, 11).count()).toBe(1);
  await frame.screenshot(page, "table");
});

test("a key that comes before the event of a scroll moves from the new place", async () => {
  const { page } = await frame.served(["examples/pbmc.h5ad"]);
  await cell(page, 0, 0).getByText("TTGCGACTTTCGTT-1").waitFor();
  await page.getByRole("grid").evaluate(async (grid) => {
    const press = (key: string) => grid.dispatchEvent(new KeyboardEvent("keydown", { key }));
    press("End");
    // The page is drawn again in a microtask; browsers tell of a scroll with the next picture.
    await Promise.resolve();
    press("ArrowLeft");
  });
  await expect.poll(() => page.getByRole("grid").getAttribute("aria-activedescendant")).toBe("cell-0-10");
  await frame.screenshot(page, "table-keys");
  // len(o.columns) is 11, and the index is the first: the last column stays in sight.
  expect(await cell(page, 0, 11).count()).toBe(1);
});

test("sort, filters and a condition, and the cells that they select", async () => {
  const { page } = await frame.served(["examples/pbmc.h5ad"]);
  await page.getByRole("button", { name: "n_counts", exact: true }).click();
  // o.n_counts.min()
  await expect.poll(() => cell(page, 0, 4).textContent()).toBe("42");
  await page.getByRole("button", { name: "n_counts", exact: true }).click();
  // o.n_counts.max()
  await expect.poll(() => cell(page, 0, 4).textContent()).toBe("468");
  await page.getByRole("button", { name: "Filter by cell_type" }).click();
  await page.getByRole("checkbox", { name: "B cell" }).check();
  await page.getByRole("button", { name: "Apply" }).click();
  // (o.cell_type == "B cell").sum()
  await expect.poll(() => count(page)).toBe("333 of 2,700 rows");
  await page.getByLabel("Condition in SQL").fill("age > 60");
  await page.getByLabel("Condition in SQL").press("Enter");
  // ((o.cell_type == "B cell") & (o.age > 60)).sum()
  await expect.poll(() => count(page)).toBe("84 of 2,700 rows");
  await page.getByRole("button", { name: "Select these cells" }).click();
  await page.getByLabel("Selection").getByText("84", { exact: true }).waitFor();
  // A link shows the same.
  await expect.poll(() => page.url()).toContain("cells=");
  await page.reload();
  await expect.poll(() => count(page)).toBe("84 of 2,700 rows");
  await page.getByLabel("Selection").getByText("84", { exact: true }).waitFor();
});

test("a range and a text", async () => {
  const { page } = await frame.served(["examples/pbmc.h5ad"]);
  await page.getByRole("button", { name: "Filter by quality" }).click();
  await page.getByRole("checkbox", { name: "low" }).check();
  await page.getByRole("button", { name: "Apply" }).click();
  // (o.quality == "low").sum()
  await expect.poll(() => count(page)).toBe("533 of 2,700 rows");
  await page.getByRole("button", { name: "Filter by n_counts" }).click();
  await page.getByLabel("At least").fill("100");
  await page.getByLabel("At most").fill("150");
  await page.getByRole("button", { name: "Apply" }).click();
  // ((o.quality == "low") & (o.n_counts >= 100) & (o.n_counts <= 150)).sum()
  await expect.poll(() => count(page)).toBe("46 of 2,700 rows");
});

test("a filter that is opened before the column has been read", async () => {
  const { page } = await frame.served(["examples/pbmc.h5ad"], {
    before: (opened) =>
      opened.route("**/ask", async (route) => {
        const body = route.request().postData() ?? "";
        if (body.includes('"quality"')) await new Promise((resolve) => setTimeout(resolve, 2000));
        await route.continue();
      }),
  });
  await page.getByRole("button", { name: "Filter by quality" }).click();
  await page.getByText("The values are being read…").waitFor();
  await page.getByRole("checkbox", { name: "low" }).check();
  await page.getByRole("button", { name: "Apply" }).click();
  // (o.quality == "low").sum()
  await expect.poll(() => count(page)).toBe("533 of 2,700 rows");
});

test("a condition that is no SQL is told, and what was there stays", async () => {
  const { page } = await frame.served(["examples/pbmc.h5ad"]);
  await cell(page, 0, 0).getByText("TTGCGACTTTCGTT-1").waitFor();
  frame.expectProblem(/status of 400/);
  await page.getByLabel("Condition in SQL").fill("n_count > ");
  await page.getByLabel("Condition in SQL").press("Enter");
  await page
    .getByRole("alert")
    .getByText(/condition|syntax/i)
    .waitFor();
  expect(await cell(page, 0, 0).textContent()).toBe("TTGCGACTTTCGTT-1");
});

test("chosen cells are copied with the names of their columns", async () => {
  const { page } = await frame.served(["examples/pbmc.h5ad"], { permissions: ["clipboard-read", "clipboard-write"] });
  await cell(page, 1, 1).click();
  await cell(page, 2, 3).click({ modifiers: ["Shift"] });
  await page.keyboard.press("Control+c");
  await page.getByText("Copied 6 cells.").waitFor();
  // o.iloc[1:3, :3].to_csv(sep="\t", index=False)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    "cell_type\tquality\tdonor\nCD14+ monocyte\tmedium\tD1\nCD14+ monocyte\tmedium\tD4",
  );
});

test("a matrix as rows of cells, as coordinates, and as lists", async () => {
  const { page } = await frame.served(["examples/pbmc.h5ad"], { state: { table: "X" } });
  await expect.poll(() => count(page)).toBe("2,700 rows");
  await goTo(page, 2699);
  // a.X[2699].toarray()[0, :3] and a.var_names[:3]
  await expect.poll(() => cell(page, 2699, 0).textContent()).toBe("2.2261858");
  expect(await cell(page, 2699, 1).textContent()).toBe("3.7453144");
  expect(await page.getByRole("columnheader").nth(1).textContent()).toContain("SIMG0000002");
  await page.getByRole("button", { name: "Coordinates" }).click();
  // a.X.nnz
  await expect.poll(() => count(page)).toBe("187,809 rows");
  await page.getByRole("button", { name: "Lists" }).click();
  await expect.poll(() => count(page)).toBe("2,700 rows");
  await expect.poll(() => cell(page, 2699, 0).textContent()).toContain("{index: 0, value: 2.226");
});

test("the whole of a value, and the rows of a table as a file", async () => {
  const { page } = await frame.served(["examples/pbmc.h5ad"], { state: { table: "obsm/X_umap" } });
  await cell(page, 0, 0).dblclick();
  const dialog = page.getByRole("dialog");
  // repr(float(a.obsm["X_umap"][0, 0])) of float32
  await dialog.locator("pre").waitFor();
  expect(Math.fround(Number(await dialog.locator("pre").textContent()))).toBe(Math.fround(UMAP));
  await dialog.getByRole("button", { name: "Close" }).click();
  await page
    .getByRole("treeitem", { name: /^▾?obs\b/ })
    .first()
    .click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByLabel("Export the rows").selectOption("csv"),
  ]);
  const lines = readFileSync(await download.path(), "utf8")
    .trimEnd()
    .split(/\r?\n/);
  expect(lines.length).toBe(2701);
  expect(lines[2700]).toContain("TGCGCAGGGCCTAA-1");
});

test("the rows of a sorted and filtered table as a file have their order", async () => {
  const of = JSON.stringify(["pbmc.h5ad", "obs"]);
  const rows = {
    of,
    filters: [],
    sql: "cell_type = 'B cell'",
    sort: { column: "n_counts", descending: true },
    layout: null,
  };
  const { page } = await frame.served(["examples/pbmc.h5ad"], { state: { rows } });
  await expect.poll(() => count(page)).toBe("333 of 2,700 rows");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByLabel("Export the rows").selectOption("csv"),
  ]);
  const [head = "", ...lines] = readFileSync(await download.path(), "utf8")
    .trimEnd()
    .split("\n");
  const at = head.split(",").indexOf("n_counts");
  const counts = lines.map((line) => Number(line.split(",")[at]));
  // (o.cell_type == "B cell").sum()
  expect(counts).toHaveLength(333);
  expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  expect(Number(await cell(page, 0, 4).textContent())).toBe(counts[0]);
});

/** a.obsm["X_umap"][0, 0] */
const UMAP = 6.431725;

test("arrow keys in the tree, and a search that keeps what is above", async () => {
  const { page } = await frame.served(["examples/pbmc.h5ad"]);
  const tree = page.getByRole("tree");
  await tree.locator("[aria-selected=true]").focus();
  await page.keyboard.press("ArrowDown");
  expect(await tree.locator(":focus").textContent()).toContain("obsm");
  await page.keyboard.press("ArrowLeft");
  expect(await tree.locator(":focus").getAttribute("aria-expanded")).toBe("false");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByText("obsm/X_pca", { exact: true }).waitFor();
  await page.getByLabel("Search elements").fill("metric");
  await expect.poll(() => tree.getByRole("treeitem").count()).toBe(4);
});

test("a table of many columns shows a part of them, and the parts beside it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "annarrow-wide-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const schema = new Schema(Array.from({ length: 10_003 }, (_, i) => new Field(`c${i}`, new Int32())));
  const children = schema.fields.map(({ type }, i) =>
    makeData({ type, length: 1, nullCount: 0, data: Int32Array.of(i) }),
  );
  const batch = new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length: 1, nullCount: 0, children }),
  );
  await writeFile(join(folder, "wide.arrow"), ipcFile(new Table(schema, [batch])));
  const { page } = await frame.served([join(folder, "wide.arrow")]);
  await cell(page, 0, 3).getByText("3", { exact: true }).waitFor();
  const shown = page.getByRole("group", { name: "Columns that are shown" });
  expect(await shown.textContent()).toContain("columns 1 to 10,000 of 10,003");
  expect(await shown.getByRole("button", { name: "Columns before" }).isDisabled()).toBe(true);
  await shown.getByRole("button", { name: "Columns behind" }).click();
  await cell(page, 0, 2)
    .getByText("10,002", { exact: true })
    .or(cell(page, 0, 2).getByText("10002"))
    .waitFor();
  expect(await shown.textContent()).toContain("columns 10,001 to 10,003 of 10,003");
  expect(await page.getByRole("columnheader").allTextContents()).toEqual(
    expect.arrayContaining([expect.stringContaining("c10000"), expect.stringContaining("c10002")]),
  );
  await frame.screenshot(page, "wide");
  await shown.getByRole("button", { name: "Columns before" }).click();
  await cell(page, 0, 3).getByText("3", { exact: true }).waitFor();
});
