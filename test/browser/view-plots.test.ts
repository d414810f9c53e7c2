/** The tabs `sql`, `matrix` and `quality` on examples/pbmc.h5ad; `a` in comments is what anndata reads, `o` its obs. */

import { readFileSync } from "node:fs";
import type { Download, Page } from "playwright-core";
import { expect, test } from "vitest";
import { viewFrame } from "./view-frame.js";

const frame = viewFrame();

const FILE = "examples/pbmc.h5ad";

test("a statement is answered as a table and as a chart", async () => {
  const sql = "select cell_type, count(*) as cells from obs group by 1 order by 2 desc";
  const { page } = await frame.served([FILE], { state: { tab: "sql", sql } });
  await page.getByRole("textbox", { name: "Statement in SQL" }).click();
  await page.keyboard.press("Control+Enter");
  const rows = page.getByRole("grid").getByRole("row");
  // o.cell_type.value_counts()
  await expect.poll(() => rows.nth(1).textContent()).toBe("0CD4 T cell1076");
  await expect.poll(() => rows.nth(8).textContent()).toBe("7Megakaryocyte36");
  await page.getByRole("button", { name: "Chart" }).click();
  await page.getByRole("img", { name: "bar of cell_type and cells" }).waitFor();
  await frame.screenshot(page, "sql");
});

test("an error of a statement stands below it", async () => {
  frame.expectProblem(/status of 400/);
  const { page } = await frame.served([FILE], { state: { tab: "sql", sql: "select nothing from obs" } });
  await page.getByRole("button", { name: "Run" }).click();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("nothing");
  expect(await page.getByRole("grid").count()).toBe(0);
});

test("a statement that is cancelled ends", async () => {
  const sql = "select count(*) from range(100000000) a, range(100000) b where a.range % 7 = b.range % 11";
  const { page } = await frame.served([FILE], { state: { tab: "sql", sql } });
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText(/^Running for/).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Cancelled").waitFor();
  expect(await page.getByRole("button", { name: "Cancel" }).isDisabled()).toBe(true);
});

test("the rows of an answer become the selection", async () => {
  const sql = "select row from obs where cell_type = 'NK cell'; -- all of them";
  const { page } = await frame.served([FILE], { state: { tab: "sql", sql } });
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByRole("button", { name: "Use as selection" }).click();
  // (o.cell_type == "NK cell").sum()
  await expect.poll(() => selected(page)).toContain("166 of 2,700 cells");
});

test("an answer as CSV", async () => {
  const sql = `select 'a,"b' as text, null as nothing, 1.5 as number`;
  const { page } = await frame.served([FILE], { state: { tab: "sql", sql } });
  await page.getByRole("button", { name: "Run" }).click();
  const text = await saved(page, () => page.getByLabel("Save as…").selectOption("csv"));
  expect(text).toBe('text,nothing,number\n"a,""b",,1.5\n');
});

/** a.var.symbol[[0, 11, 17]] is CD3D, MS4A1, NKG7. */
const GENES = [0, 11, 17];

test("means and shares of genes by groups are those of numpy", async () => {
  const { page } = await frame.served([FILE], { state: { tab: "matrix", matrix: { genes: GENES } } });
  await page.getByRole("img", { name: "Genes of X by cell_type" }).waitFor();
  // x = a.X[:, [0, 11, 17]].toarray().astype(float); m = o.cell_type == group; x[m].mean(0), (x[m] != 0).mean(0)
  const expected = {
    "CD4 T cell": [
      [3.4835081710912923, 0.9414498141263941],
      [0.016313771111371347, 0.007434944237918215],
      [0.026380422722451304, 0.012081784386617101],
    ],
    "B cell": [
      [0.019537937175762188, 0.009009009009009009],
      [2.637420491413311, 0.8348348348348348],
      [0, 0],
    ],
    "NK cell": [
      [0.035544767437211, 0.018072289156626505],
      [0.01081890585910843, 0.006024096385542169],
      [3.136797357754535, 0.8975903614457831],
    ],
  };
  expectValues(await values(page), expected);
  await frame.screenshot(page, "matrix");
});

test("means of a layer by another column", async () => {
  const state = { tab: "matrix", matrix: { genes: GENES, matrix: "layers/counts", by: "donor" } };
  const { page } = await frame.served([FILE], { state });
  // l = a.layers["counts"][:, [0, 11, 17]].toarray().astype(float); l[o.donor == "D2"].mean(0)
  const found = await values(page);
  expect(found.get("D2")?.map(([mean]) => mean)).toEqual([
    expect.closeTo(3.6432664756446993, 9),
    expect.closeTo(0.3108882521489971, 9),
    expect.closeTo(0.35816618911174786, 9),
  ]);
});

test("only selected cells count", async () => {
  const cells = [{ by: "filter", mode: "within", filter: "cell_type = 'B cell' and age > 60" }];
  const { page } = await frame.served([FILE], { state: { tab: "matrix", matrix: { genes: GENES }, cells } });
  await page.getByLabel("Selection").getByText("84", { exact: true }).waitFor();
  // m = (o.cell_type == "B cell") & (o.age > 60); x[m].mean(0)
  await expect
    .poll(async () => (await values(page)).get("B cell")?.map(([mean]) => mean))
    .toEqual([expect.closeTo(0.024965964612506684, 9), expect.closeTo(2.7730642770017897, 9), 0]);
});

test("a figure as SVG and as PNG", async () => {
  const { page } = await frame.served([FILE], { state: { tab: "matrix", matrix: { genes: GENES, form: "heat" } } });
  const figure = page.getByRole("figure");
  const plot = figure.getByRole("img", { name: "Genes of X by cell_type" });
  await plot.waitFor();
  await figure.hover();
  const svg = await saved(page, () => figure.getByRole("button", { name: /as SVG/ }).click());
  expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  expect(svg).toContain("MS4A1");
  expect(svg).not.toContain("var(--");
  const [png] = await Promise.all([
    page.waitForEvent("download"),
    figure.getByRole("button", { name: /as PNG/ }).click(),
  ]);
  const bytes = readFileSync(await png.path());
  expect(bytes.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
  const box = await plot.boundingBox();
  expect(bytes.readUInt32BE(16)).toBe(3 * Math.ceil(box?.width ?? 0));
});

test("a pasted list of genes, by symbols and names", async () => {
  const { page } = await frame.served([FILE], { state: { tab: "matrix" } });
  await page.getByRole("main").getByRole("button", { name: "Paste a list" }).click();
  await page.getByLabel("List of genes").fill("MS4A1, nkg7\nSIMG0000001 NOTAGENE");
  await page.getByText("not found, or not unique: NOTAGENE").waitFor();
  await page.getByRole("button", { name: "Use 3 genes" }).click();
  expect([...((await values(page)).get("B cell") ?? [])].length).toBe(3);
});

test("distributions, and ranges and bars that select", async () => {
  const viewport = { width: 1280, height: 2400 };
  const { page } = await frame.served([FILE], { state: { tab: "quality" }, viewport });
  const figure = page.getByRole("img", { name: "Distribution of pct_mt" });
  await figure.waitFor();
  // np.histogram(o.pct_mt.astype(float), bins=40)[0]
  const counts = await figure.locator("rect title").allTextContents();
  expect(counts.map((words) => Number(/: (.*) cells/.exec(words)?.[1]))).toEqual([
    ...[70, 11, 76, 89, 86, 114, 131, 155, 163, 160, 170, 148, 154, 136, 134, 143, 104, 85, 76, 84],
    ...[55, 67, 55, 39, 30, 37, 29, 22, 14, 8, 12, 8, 10, 5, 4, 5, 1, 3, 4, 3],
  ]);
  await page.getByLabel("n_counts, at least").fill("100");
  await page.getByLabel("n_counts, at most").fill("150");
  await page.getByLabel("n_counts, at most").press("Enter");
  // ((o.n_counts >= 100) & (o.n_counts <= 150)).sum()
  await expect.poll(() => selected(page)).toContain("1,210 of 2,700 cells");
  const quality = page.getByRole("img", { name: "Cells by quality" });
  await quality.scrollIntoViewIfNeeded();
  const box = await quality.boundingBox();
  if (box === null) throw new Error("no figure of quality");
  // Categories stand in the order of the file: low, medium, high.
  await page.mouse.click(box.x + 90, box.y + 4 + (box.height - 8) / 6);
  // ((o.quality == "low") & (o.n_counts >= 100) & (o.n_counts <= 150)).sum()
  await expect.poll(() => selected(page)).toContain("46 of 2,700 cells");
  await frame.screenshot(page, "quality");
});

test("a range that is drawn selects", async () => {
  const { page } = await frame.served([FILE], { state: { tab: "quality" } });
  const figure = page.getByRole("img", { name: "Distribution of n_counts" });
  await figure.waitFor();
  const box = await figure.boundingBox();
  if (box === null) throw new Error("no figure of n_counts");
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 50, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => selected(page)).toMatch(/n_counts/);
  // The middle of the figure lies between 205 and 245: (o.n_counts > 245).sum() and (o.n_counts > 205).sum().
  const count = Number(/([\d,]+) of 2,700 cells/.exec((await selected(page)) ?? "")?.[1]);
  expect(count).toBeGreaterThanOrEqual(82);
  expect(count).toBeLessThanOrEqual(249);
});

/** What the panel of the selection says. */
const selected = (page: Page) => page.getByRole("complementary", { name: "Selection" }).textContent();

async function saved(page: Page, act: () => Promise<unknown>): Promise<string> {
  const [download]: [Download, unknown] = await Promise.all([page.waitForEvent("download"), act()]);
  return readFileSync(await download.path(), "utf8");
}

/** Mean and share of each gene, by groups. */
async function values(page: Page): Promise<ReadonlyMap<string, readonly (readonly [number, number])[]>> {
  const csv = await saved(page, () => page.getByRole("button", { name: "Save the values as CSV" }).click());
  const found = new Map<string, (readonly [number, number])[]>();
  for (const line of csv.trimEnd().split("\r\n").slice(1)) {
    const [, group, , mean, share] = line.split(",");
    found.set(group, [...(found.get(group) ?? []), [Number(mean), Number(share)]]);
  }
  return found;
}

function expectValues(
  found: ReadonlyMap<string, readonly (readonly [number, number])[]>,
  expected: Readonly<Record<string, readonly (readonly number[])[]>>,
): void {
  for (const [group, genes] of Object.entries(expected)) {
    expect([group, found.get(group)]).toEqual([
      group,
      genes.map(([mean, share]) => [expect.closeTo(mean, 9), expect.closeTo(share, 12)]),
    ]);
  }
}
