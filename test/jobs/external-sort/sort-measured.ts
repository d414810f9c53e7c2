/**
 * Sorts two million mixed entries on disk, and prints as JSON how many came out, whether they were in order, and the
 * most bytes of array buffers that were in use meanwhile. `node --expose-gc sort-measured.mjs BUDGET FOLDER`, in a
 * process of its own: other tests' memory would be counted, too.
 */

import type { ColumnBatch } from "../../../src/arrow/column.js";
import { sortCoordinates } from "../../../src/jobs/external-sort/sort-coordinates.js";
import { createTemporarySpill } from "../../../src/jobs/external-sort/spill.node.js";
import { column, numbersOf } from "./coordinate-batches.js";

const SIZE = 9973;
const BATCH = 2 ** 15;
const BATCHES = 60;

const [budget = "", folder = ""] = process.argv.slice(2);
const { gc } = globalThis;
if (gc === undefined) throw new TypeError("Node runs without --expose-gc");

function used(): number {
  gc?.();
  return process.memoryUsage().arrayBuffers;
}

const base = used();
let most = 0;

async function* entries(): AsyncGenerator<ColumnBatch> {
  for (let b = 0; b < BATCHES; b++) {
    const mixed = (factor: number) => Int32Array.from({ length: BATCH }, (_, i) => ((b * BATCH + i) * factor) % SIZE);
    yield { length: BATCH, columns: [column(mixed(37)), column(mixed(101)), column(mixed(3))] };
    most = Math.max(most, used() - base);
  }
}

const options = {
  order: "row",
  shape: [SIZE, SIZE],
  budgetBytes: Number(budget),
  spill: createTemporarySpill(folder),
} as const;
let [count, last, inOrder] = [0, 0, true];
for await (const { length, columns } of sortCoordinates(entries(), options)) {
  for (const row of numbersOf(columns[0])) {
    if (row < last) inOrder = false;
    last = row;
  }
  count += length;
  most = Math.max(most, used() - base);
}
process.stdout.write(JSON.stringify({ expected: BATCH * BATCHES, count, inOrder, most }));
