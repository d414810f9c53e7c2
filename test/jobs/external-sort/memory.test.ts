import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bundled } from "../../../scripts/import-bundled.mjs";

test("sorting takes no more memory than the budget and a few batches", async () => {
  const budgetBytes = 4 * 2 ** 20;
  const folder = await mkdtemp(join(tmpdir(), "annarrow-sort-"));
  const program = await bundled("test/jobs/external-sort/sort-measured.ts");
  try {
    const args = ["--expose-gc", program.file, String(budgetBytes), folder];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { expected, count, inOrder, most } = JSON.parse(stdout);
    expect(count).toBe(expected);
    expect(inOrder).toBe(true);
    // All entries take 23 MiB; a batch of the input 0.4, the one that is handed out and the one begun up to 3 each.
    expect(most).toBeLessThan(budgetBytes + 6.5 * 2 ** 20);
    expect(most).toBeGreaterThan(budgetBytes / 2);
  } finally {
    await program.remove();
    await rm(folder, { recursive: true });
  }
});
