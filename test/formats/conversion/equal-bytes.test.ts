/** Files have the same bytes for any number of workers, so that they do not depend on the machine. */

import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { convert, write } from "../../../packages/published/src/node.js";
import { createNodeThreads } from "../../../src/platform/platform.node.js";
import { useThreads } from "../../jobs/use-threads.js";
import { type WorkerEntry, workerEntry } from "../../jobs/worker-entry.js";

let entry: WorkerEntry;
let folder: string;
let input: string;

/** A file of many chunks: entries that one worker encodes in a few messages, names, categories and numbers. */
beforeAll(async () => {
  entry = await workerEntry();
  folder = mkdtempSync(join(tmpdir(), "annarrow-equal-"));
  input = join(folder, "input.h5ad");
  const [cells, genes, perCell] = [12_000, 400, 150];
  const entries = cells * perCell;
  const name = (prefix: string, length: number) => Array.from({ length }, (_, i) => `${prefix}${i}`);
  const X = {
    row: Int32Array.from({ length: entries }, (_, i) => Math.floor(i / perCell)),
    col: Int32Array.from({ length: entries }, (_, i) => (i % perCell) * 2 + (Math.floor(i / perCell) % 2)),
    value: Float32Array.from({ length: entries }, (_, i) => (Math.imul(i, 0x9e3779b1) >>> 26) + 1),
  };
  const obs = {
    _index: name("cell", cells),
    score: Float64Array.from({ length: cells }, (_, i) => Math.sin(i)),
    batch: name("b", cells).map((_, i) => `batch ${i % 7}`),
  };
  await write(input, { X, obs, var: { _index: name("gene", genes) } });
});
afterEach(() => useThreads(null));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await entry.remove();
});

/** The hash of each file of an output, by its name. */
function hashes(path: string): Readonly<Record<string, string>> {
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true }).flatMap((one) =>
        one.isFile() ? [join(one.parentPath, one.name)] : [],
      )
    : [path];
  const hash = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
  return Object.fromEntries(files.sort().map((file) => [file.slice(path.length), hash(file)]));
}

test.each([
  ["out.h5ad", {}],
  ["out.zarr.zip", {}],
  ["out.loom", {}],
  ["out.mat", {}],
  ["out.h5seurat", {}],
  ["out.seurat.rds", {}],
  ["tables", { format: "parquet" }],
  ["arrow", { format: "arrow" }],
] as const)("%s for 1, 2 and 8 workers", async (name, options) => {
  const written: Readonly<Record<string, string>>[] = [];
  for (const workers of [1, 2, 8]) {
    const threads = createNodeThreads(entry.url, workers);
    let started = 0;
    useThreads({
      count: workers,
      start(events) {
        started++;
        return threads.start(events);
      },
    });
    const output = join(folder, `${workers}-${name}`);
    await convert(input, output, { ...options, lossy: true });
    expect(started > 0).toBe(workers > 1);
    written.push(hashes(output));
    rmSync(output, { recursive: true });
  }
  const [one, two, eight] = written;
  expect(two).toEqual(one);
  expect(eight).toEqual(one);
});
