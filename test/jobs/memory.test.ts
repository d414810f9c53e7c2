import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bundled } from "../../scripts/import-bundled.mjs";

/** A scan of any size works within this, beside the runtime. */
const BUDGET = 256 * 2 ** 20;

test("32 million non-zeros are walked within the memory budget", async () => {
  const { file, remove } = await bundled("test/jobs/walk-large.ts");
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
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
    await remove();
  }
}, 60_000);
