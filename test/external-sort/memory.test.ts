import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { ColumnBatch } from "../../src/arrow/column.js";
import { sortCoordinates } from "../../src/external-sort/sort-coordinates.js";
import { temporarySpill } from "../../src/external-sort/spill.node.js";
import { column, numbersOf } from "./coordinate-batches.js";

test("sorting takes no more memory than the budget and a few batches", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage: unknown = runInNewContext("gc");
  if (typeof collectGarbage !== "function") throw new TypeError("no garbage collector");
  const used = () => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  const base = used();
  let most = 0;
  const [batch, batches] = [2 ** 15, 60];
  const look = () => {
    most = Math.max(most, used() - base);
  };
  async function* entries(): AsyncGenerator<ColumnBatch> {
    for (let b = 0; b < batches; b++) {
      const mixed = (factor: number) => Int32Array.from({ length: batch }, (_, i) => ((b * batch + i) * factor) % 9973);
      yield { length: batch, columns: [column(mixed(37)), column(mixed(101)), column(mixed(3))] };
      look();
    }
  }
  const budgetBytes = 4 * 2 ** 20;
  const folder = await mkdtemp(join(tmpdir(), "annarrow-sort-"));
  const options = { order: "row", shape: [9973, 9973], budgetBytes, spill: temporarySpill(folder) } as const;
  let [count, last] = [0, 0];
  for await (const { length, columns } of sortCoordinates(entries(), options)) {
    const rows = numbersOf(columns[0]);
    if (rows.some((row, i) => row < (i === 0 ? last : rows[i - 1]))) throw new Error("out of order");
    [count, last] = [count + length, rows.at(-1) ?? last];
    look();
  }
  await rm(folder, { recursive: true });
  expect(count).toBe(batch * batches);
  // All entries take 23 MiB; a batch of the input 0.4, the one that is handed out and the one begun up to 3 each.
  expect(most).toBeLessThan(budgetBytes + 6.5 * 2 ** 20);
  expect(most).toBeGreaterThan(budgetBytes / 2);
});
