import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";

/** A scan of any size works within this, beside the runtime. */
const BUDGET = 256 * 2 ** 20;

test("32 million non-zeros are walked within the memory budget", async () => {
  const folder = await mkdtemp(join("node_modules", ".walk-"));
  try {
    const outfile = join(folder, "walk-large.mjs");
    await build({
      entryPoints: ["test/jobs/walk-large.ts"],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
    });
    const { stdout } = await promisify(execFile)(process.execPath, [outfile]);
    const result = JSON.parse(stdout);
    expect(result.nnz).toBe(32_000_000);
    expect(result.seen).toBe(result.nnz);
    // 12 bytes an entry, 16 MiB a batch.
    expect(result.batches).toBe(Math.ceil((32_000_000 * 12) / (16 * 2 ** 20)));
    expect(result.sum).toBe(
      Array.from({ length: 7 }, (_, i) => i * Math.ceil((32_000_000 - i) / 7)).reduce((a, b) => a + b),
    );
    expect(result.growth).toBeLessThan(BUDGET);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);
