import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ZipPart, zip } from "../io/sources/zip-writer.js";
import { ZarrStore } from "../jobs/zarr-store.js";
import { launch } from "./chromium.js";
import { pageFiles } from "./for-pages.js";
import { serve } from "./server.js";
import type { Walk } from "./workers-page.js";

const ROWS = 90_000;
const PER_ROW = 25;
const NNZ = ROWS * PER_ROW;

const profile = mkdtempSync(join(tmpdir(), "annarrow-workers-"));
let browser: Awaited<ReturnType<typeof launch>>;
let files: Map<string, Uint8Array>;

beforeAll(async () => {
  files = await pageFiles("workers-page", { more: ["./packages/published/src/worker.ts"] });
  files.set("/large.zarr.zip", largeStore());
  browser = await launch(profile);
});

afterAll(async () => {
  await browser?.close();
  rmSync(profile, { recursive: true, force: true });
});

/** 2.25 million non-zeros by formula, 27 MB. */
function largeStore(): Uint8Array {
  const parts: ZipPart[] = [];
  const zarr = new ZarrStore((name, data) => parts.push({ name, data }));
  zarr.group("", { "encoding-type": "anndata", "encoding-version": "0.1.0" });
  zarr.group("X", { "encoding-type": "csr_matrix", "encoding-version": "0.1.0", shape: [ROWS, PER_ROW] });
  zarr.numbers(
    "X/data",
    Float32Array.from({ length: NNZ }, (_, i) => i % 8),
    40_000,
  );
  zarr.numbers(
    "X/indices",
    Int32Array.from({ length: NNZ }, (_, i) => i % PER_ROW),
    40_000,
  );
  zarr.numbers(
    "X/indptr",
    Int32Array.from({ length: ROWS + 1 }, (_, i) => i * PER_ROW),
    70_000,
  );
  for (const [axis, size] of [
    ["obs", ROWS],
    ["var", PER_ROW],
  ] as const) {
    const frame = { "encoding-type": "dataframe", "encoding-version": "0.2.0", _index: "_index", "column-order": [] };
    zarr.group(axis, frame);
    zarr.text(
      `${axis}/_index`,
      Array.from({ length: size }, (_, i) => String(i)),
      size,
    );
  }
  return zip(parts);
}

const series = (count: number) => (count * (count - 1)) / 2;
const SUM = series(ROWS) * PER_ROW + series(PER_ROW) * ROWS + (NNZ / 8) * series(8);

async function walk(served: ReadonlyMap<string, Uint8Array>): Promise<Walk> {
  const server = await serve(served);
  const page = await browser.newPage();
  try {
    await page.goto(`${server.url}/index.html`);
    await page.waitForFunction(() => "walk" in window);
    return await page.evaluate(() => window.walk("/large.zarr.zip"));
  } finally {
    await page.close();
    server.close();
  }
}

test("a large file is read by workers", async () => {
  const result = await walk(files);
  expect(result).toMatchObject({ rows: NNZ, sum: SUM, warnings: [] });
  expect(result.workers).toBeGreaterThan(1);
});

test("where the worker's file is not served, the page reads by itself, and says once what to do", async () => {
  const without = new Map([...files].filter(([path]) => path !== "/bundle/worker.js"));
  const result = await walk(without);
  expect(result).toMatchObject({ rows: NNZ, sum: SUM });
  expect(result.warnings).toEqual([expect.stringContaining("Give the bundler annarrow/worker as a further entry")]);
});
