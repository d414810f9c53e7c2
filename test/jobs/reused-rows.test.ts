/** Rows of a contiguous matrix of MATLAB, by whomever they are read, in whosever memory. */

import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { open } from "../../packages/published/src/node.js";
import type { BatchOptions } from "../../src/model/dataset.js";
import { viewAsBytes } from "../../src/model/stored.js";
import { createNodeThreads } from "../../src/platform/platform.node.js";
import { useThreads } from "./use-threads.js";
import { type WorkerEntry, workerEntry } from "./worker-entry.js";

/** Of test/fixtures/hdf5/make_contiguous.py: 39 MiB, three bands of 16 MiB, more than one of 32. */
const ROWS = 2500;
const COLUMNS = 2049;

let entry: WorkerEntry;
let folder: string;
let path: string;
let expected: (start: number, end: number) => string;

beforeAll(async () => {
  entry = await workerEntry();
  folder = mkdtempSync(join(tmpdir(), "annarrow-rows-"));
  path = join(folder, "m.mat");
  const rows = new BigUint64Array(ROWS * COLUMNS);
  const doubles = new Float64Array(rows.buffer);
  for (let i = 0; i < doubles.length; i++) doubles[i] = i / 8 - 1000;
  // A signalling NaN, R's missing value, one of the other sign.
  rows[1] = 0x7ff0000000000001n;
  rows[COLUMNS] = 0x7ff00000000007a2n;
  rows[rows.length - 1] = 0xfff8000000000123n;
  const columns = new BigUint64Array(rows.length);
  for (let row = 0; row < ROWS; row++) {
    for (let col = 0; col < COLUMNS; col++) columns[col * ROWS + row] = rows[row * COLUMNS + col];
  }
  writeFileSync(path, [readFileSync("test/fixtures/data/matlab/contiguous.head"), viewAsBytes(columns)].reduce(joined));
  expected = (start, end) => {
    return createHash("sha256")
      .update(viewAsBytes(rows.subarray(start * COLUMNS, end * COLUMNS)))
      .digest("hex");
  };
}, 60_000);
afterAll(() => {
  useThreads(null);
  entry.remove();
  rmSync(folder, { recursive: true });
});

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  return Buffer.concat([a, b]);
}

async function read(options: BatchOptions) {
  const data = await open(path);
  const hash = createHash("sha256");
  const rows: number[] = [];
  for await (const batch of data.table("m").batches(options)) {
    rows.push(batch.numRows);
    const { values } = batch.data.children[0].children[0];
    hash.update(viewAsBytes(values.subarray(0, batch.numRows * COLUMNS)));
  }
  await data.close();
  return { rows, hash: hash.digest("hex") };
}

test.each([0, 1, 2, 3])(
  "by %i workers: what was written, to the last bit of a NaN",
  async (workers) => {
    if (workers === 0) useThreads(null);
    else useThreads(createNodeThreads(entry.url, workers));
    for (const reuse of [false, true]) {
      for (const batchBytes of [2 ** 20, 2 ** 24]) {
        const { rows, hash } = await read({ reuse, batchBytes });
        expect({ reuse, batchBytes, hash }).toEqual({ reuse, batchBytes, hash: expected(0, ROWS) });
        expect(rows.reduce((a, b) => a + b, 0)).toBe(ROWS);
      }
      const rows = [3, ROWS - 7] as const;
      expect((await read({ reuse, rows })).hash).toBe(expected(...rows));
    }
  },
  60_000,
);

test("batches are as large as in memory of their own where two bands are read at once", async () => {
  useThreads(createNodeThreads(entry.url, 2));
  for (const reuse of [false, true]) expect((await read({ reuse })).rows).toEqual([1023, 1023, 454]);
});
