import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordBatch } from "apache-arrow";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { axisSums, convert, open } from "../../../packages/published/src/node.js";
import type { BatchOptions, DataTable } from "../../../src/model/dataset.js";
import { createNodeThreads } from "../../../src/platform/platform.node.js";
import { draws } from "../../draws.js";
import { useThreads } from "../../jobs/use-threads.js";
import { type WorkerEntry, workerEntry } from "../../jobs/worker-entry.js";
import { coordinates, type Entries, packedStore } from "./packed-store.js";
import { text } from "./stores.js";

let folder: string;
let stores = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-packed-"));
});
afterEach(() => useThreads(null));
afterAll(() => rmSync(folder, { recursive: true }));

/** The store on disk, where it is read in another way than in memory. */
function onDisk(files: ReadonlyMap<string, Uint8Array>): string {
  const path = mkdtempSync(join(folder, `${stores++}-`));
  for (const [name, bytes] of files) writeFileSync(join(path, name), bytes);
  return path;
}

const entriesOf = (batch: RecordBatch): [number, number, number][] =>
  Array.from({ length: batch.numRows }, (_, i) => [
    batch.getChildAt(0)?.get(i),
    batch.getChildAt(1)?.get(i),
    batch.getChildAt(2)?.get(i),
  ]);

async function read(table: DataTable, options: BatchOptions): Promise<[number, number, number][]> {
  const entries: [number, number, number][] = [];
  for await (const batch of table.batches(options)) entries.push(...entriesOf(batch));
  return entries;
}

/** A few long or empty slices, over several pages now and then. */
const matrices = fc
  .record({
    minor: fc.integer({ min: 1, max: 5000 }),
    order: fc.constantFrom("row" as const, "col" as const),
    sizes: fc.array(fc.oneof({ weight: 5, arbitrary: fc.nat(300) }, fc.nat(40_000)), { maxLength: 12 }),
    seed: fc.integer({ min: 1, max: 2 ** 31 - 2 }),
    bits: fc.nat(32),
    isDouble: fc.boolean(),
  })
  .map(({ minor, order, sizes, seed, bits, isDouble }): Entries => {
    let state = seed;
    const random = () => {
      state = (state * 48271) % (2 ** 31 - 1);
      return state / (2 ** 31 - 1);
    };
    const idxptr = [0];
    for (const size of sizes) idxptr.push(idxptr[idxptr.length - 1] + size);
    const nnz = idxptr[idxptr.length - 1];
    const index = Uint32Array.from({ length: nnz }, () => Math.floor(random() * minor));
    const numbers = Array.from({ length: nnz }, () => Math.floor(random() * 2 ** bits));
    const shape = order === "row" ? ([sizes.length, minor] as const) : ([minor, sizes.length] as const);
    return { shape, order, idxptr, index, val: isDouble ? Float64Array.from(numbers) : Uint32Array.from(numbers) };
  });

test("any rows in any batches are those of a plain loop, from a folder and from memory, kept or used again", async () => {
  await fc.assert(
    fc.asyncProperty(
      matrices,
      fc.constantFrom(undefined, 100, 4000, 2 ** 24),
      fc.boolean(),
      fc.boolean(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (matrix, batchBytes, reuse, disk, a, b) => {
        const files = packedStore(matrix);
        const data = await open(disk ? onDisk(files) : files);
        const all = coordinates(matrix);
        const [start, end] = [a, b].map((part) => Math.floor(part * all.length)).sort((x, y) => x - y);
        const options = batchBytes === undefined || all.length > 20_000 ? { reuse } : { batchBytes, reuse };
        expect(await read(data.table("matrix"), { ...options, rows: [start, end] })).toEqual(all.slice(start, end));
        const columns = ["value", "col"];
        const turned = [];
        for await (const batch of data.table("matrix").batches({ ...options, columns })) {
          for (let i = 0; i < batch.numRows; i++)
            turned.push([batch.getChildAt(0)?.get(i), batch.getChildAt(1)?.get(i)]);
        }
        expect(turned).toEqual(all.map(([, col, value]) => [value, col]));
        await data.close();
      },
    ),
    draws(25),
  );
}, 60_000);

test("selected rows and columns are those of a plain loop", async () => {
  await fc.assert(
    fc.asyncProperty(matrices, fc.array(fc.nat(20)), fc.boolean(), fc.boolean(), async (matrix, asked, disk, reuse) => {
      const files = packedStore(matrix);
      const data = await open(disk ? onDisk(files) : files);
      for (const [axis, name] of [
        [0, "row"],
        [1, "col"],
      ] as const) {
        const wanted = asked.filter((position) => position < matrix.shape[axis]);
        const found = await read(data.table("matrix"), { where: { [name]: wanted }, reuse });
        expect(found).toEqual(coordinates(matrix).filter((entry) => wanted.includes(entry[axis])));
      }
      await data.close();
    }),
    draws(30),
  );
}, 60_000);

test("sums are those of a plain loop", async () => {
  await fc.assert(
    fc.asyncProperty(matrices, fc.boolean(), async (matrix, disk) => {
      const files = packedStore(matrix);
      const data = await open(disk ? onDisk(files) : files);
      for (const [axis, name] of [
        [0, "row"],
        [1, "col"],
      ] as const) {
        const sums = new Float64Array(matrix.shape[axis]);
        for (const entry of coordinates(matrix)) sums[entry[axis]] += entry[2];
        expect(await axisSums(data.table("matrix"), name)).toEqual(sums);
        expect(await axisSums(await data.table("matrix").layout("list"), name)).toEqual(sums);
      }
      await data.close();
    }),
    draws(30),
  );
}, 60_000);

/** Columns of 3,000 entries. */
function largeMatrix(slices: number, val: (at: number) => number): Entries {
  const per = 3000;
  const nnz = slices * per;
  return {
    shape: [4000, slices],
    order: "col",
    idxptr: Array.from({ length: slices + 1 }, (_, i) => i * per),
    index: Uint32Array.from({ length: nnz }, (_, i) => ((i * 7919) % 4000) ^ (i % 2)),
    val: Uint32Array.from({ length: nnz }, (_, i) => val(i)),
  };
}

test("workers give the same sums and files as this thread", async () => {
  const entry: WorkerEntry = await workerEntry();
  try {
    const path = onDisk(packedStore(largeMatrix(1500, (at) => (at % 1000 === 0 ? 4e9 : at % 97))));
    const results = async (name: string) => {
      const data = await open(path);
      const sums = [await axisSums(data.table("matrix"), "row"), await axisSums(data.table("matrix"), "col")];
      await data.close();
      const file = join(folder, `${name}.parquet`);
      await convert(path, file, { tables: ["matrix"] });
      return { sums, bytes: createHash("sha256").update(readFileSync(file)).digest("hex") };
    };
    const inline = await results("inline");
    useThreads(createNodeThreads(entry.url, 3));
    expect(await results("workers")).toEqual(inline);
  } finally {
    await entry.remove();
  }
}, 60_000);

test("batches that are not used again stay as they are", async () => {
  const data = await open(onDisk(packedStore(largeMatrix(150, (at) => at))));
  const kept: RecordBatch[] = [];
  for await (const batch of data.table("matrix").batches({ rows: [0, 400_000] })) kept.push(batch);
  const values = kept.flatMap((batch) => Array.from(batch.getChildAt(2)?.toArray() ?? []));
  expect(values).toEqual(Array.from({ length: 400_000 }, (_, i) => i));
  const table = await data.table("matrix").read({ rows: [0, 400_000], reuse: true });
  expect(Array.from(table.getChild("value")?.toArray() ?? [])).toEqual(values);
  await data.close();
});

test("an index outside the matrix is an error wherever it is used", async () => {
  const matrix = largeMatrix(150, () => 1);
  const wrong = 70_001;
  matrix.index[wrong] = 4000;
  const data = await open(onDisk(packedStore(matrix)));
  const table = data.table("matrix");
  const error = { tag: "InvalidDataError", element: "index", problem: `indices[${wrong}] is 4000, outside 0 … 3999` };
  await expect(read(table, {})).rejects.toMatchObject(error);
  await expect(read(table, { reuse: true })).rejects.toMatchObject(error);
  await expect(read(table, { where: { col: [23] } })).rejects.toMatchObject(error);
  await expect(axisSums(table, "row")).rejects.toMatchObject(error);
  // Neighbours are none the worse for it.
  expect((await read(table, { rows: [wrong - 1, wrong] })).length).toBe(1);
  expect((await read(table, { where: { col: [22] } })).length).toBe(3000);
  await data.close();
});

test.runIf(existsSync("/proc/self/fd"))("a dataset that is closed leaves no file open", async () => {
  const path = onDisk(packedStore(largeMatrix(150, () => 1)));
  const links = () =>
    readdirSync("/proc/self/fd").flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)];
      } catch {
        return [];
      }
    });
  const openFiles = () => links().filter((link) => link.startsWith(path)).length;
  const data = await open(path);
  await read(data.table("matrix"), { rows: [0, 10] });
  expect(openFiles()).toBeGreaterThan(0);
  await data.close();
  expect(openFiles()).toBe(0);
});

test("a signal ends reading", async () => {
  const data = await open(onDisk(packedStore(largeMatrix(150, () => 1))));
  const table = data.table("matrix");
  const reason = new Error("enough");
  const stopped = new AbortController();
  let rows = 0;
  const reading = async () => {
    for await (const batch of table.batches({ signal: stopped.signal, reuse: true })) {
      rows += batch.numRows;
      stopped.abort(reason);
    }
  };
  await expect(reading()).rejects.toBe(reason);
  expect(rows).toBe(2 ** 18);
  await expect(axisSums(table, "row", { signal: stopped.signal })).rejects.toBe(reason);
  // What was on its way for the one who stopped is read again for others.
  expect((await axisSums(table, "col"))[149]).toBe(3000);
  await data.close();
});

test("a table that is no sparse matrix has no sums; a matrix without entries has zeros", async () => {
  const files = packedStore(largeMatrix(0, () => 1));
  files.set("row_names", text(Array.from({ length: 4000 }, (_, i) => `gene-${i}\n`).join("")));
  const data = await open(files);
  await expect(axisSums(data.table("row_names"), "row")).rejects.toMatchObject({
    tag: "InvalidInputError",
    element: "row_names",
  });
  expect(await axisSums(data.table("matrix"), "row")).toEqual(new Float64Array(4000));
  expect(await axisSums(data.table("matrix"), "col")).toEqual(new Float64Array(0));
});
