import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Data, RecordBatch } from "apache-arrow";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ConvertOptions, convert, open } from "../../packages/published/src/node.js";
import type { Reply, WorkerRequest } from "../../src/jobs/workers/messages.js";
import { getWorkerPool } from "../../src/jobs/workers/pool.js";
import type { BatchOptions, DataTable, Layout } from "../../src/model/dataset.js";
import { viewAsBytes } from "../../src/model/stored.js";
import { createNodeThreads } from "../../src/platform/platform.node.js";
import { draws } from "../draws.js";
import { useThreads } from "./use-threads.js";
import { type WorkerEntry, workerEntry } from "./worker-entry.js";
import { intoFolder, ZarrStore } from "./zarr-store.js";

let entry: WorkerEntry;
let folder: string;
let stores = 0;

beforeAll(async () => {
  entry = await workerEntry();
});
afterAll(() => entry.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-reused-"));
});
afterEach(() => {
  useThreads(null);
  rmSync(folder, { recursive: true });
});

interface Shape {
  /** About so many; workers are asked from 1.4 million on, and seven jobs of a million are more than two have ahead. */
  readonly entries: number;
  readonly rows: number;
  readonly columns: number;
  readonly seed: number;
  readonly dataChunk: number;
  readonly indexChunk: number;
  /** Indices of 64 bits are narrowed. */
  readonly wide: boolean;
}

const index = { "encoding-type": "dataframe", "encoding-version": "0.2.0", _index: "_index", "column-order": [] };

function writeStore({ entries: wanted, rows, columns, seed, dataChunk, indexChunk, wide }: Shape): string {
  const root = join(folder, `store-${stores++}.zarr`);
  const zarr = new ZarrStore(intoFolder(root));
  const random = randomOf(seed);
  const mean = Math.ceil(wanted / rows);
  const pointers = new Int32Array(rows + 1);
  // Rows of very different lengths, some empty.
  for (let row = 0; row < rows; row++) {
    const length = row % 7 === 3 ? 0 : row % 11 === 5 ? 3 * mean : Math.round(mean * (0.5 + random()));
    pointers[row + 1] = pointers[row] + Math.min(columns, length);
  }
  const entries = pointers[rows];
  const indices = new Int32Array(entries);
  for (let row = 0; row < rows; row++) {
    const length = pointers[row + 1] - pointers[row];
    const step = columns / Math.max(1, length);
    for (let i = 0; i < length; i++) indices[pointers[row] + i] = Math.floor(i * step);
  }
  const data = new Float32Array(entries);
  for (let i = 0; i < entries; i++) data[i] = Math.floor(random() * 1000);
  zarr.group("", { "encoding-type": "anndata", "encoding-version": "0.1.0" });
  zarr.group("X", { "encoding-type": "csr_matrix", "encoding-version": "0.1.0", shape: [rows, columns] });
  zarr.numbers("X/data", data, dataChunk);
  if (wide) zarr.numbers("X/indices", BigInt64Array.from(indices, BigInt), indexChunk);
  else zarr.numbers("X/indices", indices, indexChunk);
  zarr.numbers("X/indptr", pointers, 10_000);
  for (const [name, count] of [["obs", rows] as const, ["var", columns] as const]) {
    zarr.group(name, index);
    zarr.text(
      `${name}/_index`,
      Array.from({ length: count }, (_, i) => `${name}-${i}`),
      count,
    );
  }
  return root;
}

/** Numbers in [0, 1), the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const SHAPE: Shape = {
  entries: 2_500_000,
  rows: 20_000,
  columns: 8000,
  seed: 7,
  dataChunk: 30_000,
  indexChunk: 50_000,
  wide: false,
};

async function withTable<T>(store: string, layout: Layout | null, run: (table: DataTable) => Promise<T>): Promise<T> {
  const data = await open(store);
  try {
    const table = data.table("X");
    return await run(layout === null ? table : await table.layout(layout));
  } finally {
    await data.close();
  }
}

/** All values as one hash, each batch looked at before the next one is asked for. */
function values(store: string, layout: Layout | null, options: BatchOptions): Promise<string> {
  return withTable(store, layout, async (table) => {
    const hashes = new Map<string, ReturnType<typeof createHash>>();
    for await (const batch of table.batches(options)) {
      for (const [name, bytes] of valuesOf(batch)) {
        const hash = hashes.get(name) ?? createHash("sha256");
        hashes.set(name, hash.update(bytes));
      }
    }
    return [...hashes].map(([name, hash]) => `${name} ${hash.digest("hex")}`).join("\n");
  });
}

/** The values of a batch's columns; lists as their lengths and entries. */
function valuesOf({ schema, data }: RecordBatch): [string, Uint8Array][] {
  return data.children.flatMap((column, i): [string, Uint8Array][] => {
    const { name } = schema.fields[i];
    if (column.children.length === 0) return [[name, numbersOf(column, 0, column.length)]];
    const { valueOffsets, length } = column;
    const lengths = Int32Array.from({ length }, (_, k) => valueOffsets[k + 1] - valueOffsets[k]);
    const [first, last] = [valueOffsets[0], valueOffsets[length]];
    const [position, value] = column.children[0].children;
    return [
      [`${name} lengths`, viewAsBytes(lengths)],
      [`${name} index`, numbersOf(position, first, last)],
      [`${name} value`, numbersOf(value, first, last)],
    ];
  });
}

function numbersOf({ values: all }: Data, start: number, end: number): Uint8Array {
  return viewAsBytes(all.subarray(start, end));
}

interface Moves {
  /** Buffers that went to workers with each job, in the order in which these were sent. */
  readonly withJobs: number[];
  /** Bytes that came with each part. */
  readonly withParts: number[];
}

/** Workers, and what moves between them and this thread. */
function watchedThreads(count: number, url = entry.url): Moves {
  const threads = createNodeThreads(url, count);
  const moves: Moves = { withJobs: [], withParts: [] };
  useThreads({
    count,
    start(events) {
      const reply = (message: Reply) => {
        if (message.kind === "result") {
          moves.withParts.push(message.memory.reduce((sum, { byteLength }) => sum + byteLength, 0));
        }
        events.reply(message);
      };
      const thread = threads.start({ reply, failure: (reason) => events.failure(reason) });
      return {
        post(request: WorkerRequest, transfer: ArrayBuffer[]) {
          if (request.kind === "job") moves.withJobs.push(request.memory.length);
          thread.post(request, transfer);
        },
        idle: () => thread.idle(),
        busy: () => thread.busy(),
        stop: () => thread.stop(),
      };
    },
  });
  return moves;
}

describe("batches whose memory goes back", () => {
  const shapes = fc.record({
    entries: fc.integer({ min: 2_000_000, max: 7_500_000 }),
    rows: fc.integer({ min: 1500, max: 60_000 }),
    columns: fc.integer({ min: 8000, max: 40_000 }),
    seed: fc.nat(),
    dataChunk: fc.integer({ min: 10_000, max: 600_000 }),
    indexChunk: fc.integer({ min: 10_000, max: 600_000 }),
    wide: fc.boolean(),
  });
  const asked = fc.record({ batchBytes: fc.constantFrom(2 ** 17, 2 ** 20, 2 ** 24), part: fc.boolean() });

  test("have the values of those that stay, for any matrix, chunks and number of workers", async () => {
    await fc.assert(
      fc.asyncProperty(shapes, asked, async (shape, { batchBytes, part }) => {
        const store = writeStore(shape);
        const cases: [Layout | null, BatchOptions][] = [
          [null, { batchBytes }],
          ["list", { batchBytes, ...(part ? { rows: [11, shape.rows - 5] as const } : {}) }],
          [null, { where: { row: Array.from({ length: 800 }, (_, i) => i) } }],
        ];
        for (const [layout, options] of cases) {
          useThreads(null);
          const owned = await values(store, layout, options);
          for (const count of [1, 2, 3]) {
            useThreads(createNodeThreads(entry.url, count));
            expect(await values(store, layout, { ...options, reuse: true })).toBe(owned);
          }
        }
        rmSync(store, { recursive: true });
      }),
      draws(4),
    );
  }, 120_000);

  test("come in the memory of earlier ones", async () => {
    const store = writeStore({ ...SHAPE, entries: 7_000_000 });
    for (const layout of [null, "list"] as const) {
      const moves = watchedThreads(2);
      await values(store, layout, { reuse: true });
      expect(moves.withJobs.length).toBeGreaterThan(6);
      // As many jobs as are ahead of the consumer have memory of their own, each other one that of a part before it.
      expect(moves.withJobs.map((count) => count > 0)).toEqual(moves.withJobs.map((_, i) => i >= 4));
      expect(moves.withParts.every((bytes) => bytes > 2 ** 20)).toBe(true);
    }
  });

  test("stay where nobody said otherwise", async () => {
    const store = writeStore(SHAPE);
    const moves = watchedThreads(2);
    await withTable(store, null, async (table) => {
      const batches: RecordBatch[] = [];
      for await (const batch of table.batches()) batches.push(batch);
      expect(batches.length).toBeGreaterThan(1);
      expect(batches.every((batch) => batch.data.children.every(({ values: all }) => all.length > 0))).toBe(true);
    });
    expect(moves.withJobs.length).toBeGreaterThan(1);
    expect(new Set(moves.withJobs)).toEqual(new Set([0]));
    expect(new Set(moves.withParts)).toEqual(new Set([0]));
  });
});

describe("what goes wrong", () => {
  test("a consumer that leaves early, or stops by a signal, leaves workers that go on to serve", async () => {
    const store = writeStore({ ...SHAPE, entries: 7_000_000 });
    const owned = await values(store, "list", {});
    watchedThreads(2);
    for (const most of [1, 2, 5]) {
      await withTable(store, "list", async (table) => {
        let seen = 0;
        for await (const _ of table.batches({ reuse: true })) if (++seen === most) break;
        expect(seen).toBe(most);
      });
      const controller = new AbortController();
      const reads = withTable(store, null, async (table) => {
        let seen = 0;
        for await (const _ of table.batches({ reuse: true, signal: controller.signal })) {
          if (++seen === most) controller.abort(new Error("enough"));
        }
      });
      await expect(reads).rejects.toThrow("enough");
    }
    expect(await values(store, "list", { reuse: true })).toBe(owned);
  });

  test("two tables that are read at once keep apart", async () => {
    const stores = [5, 6].map((seed) => writeStore({ ...SHAPE, entries: 6_000_000, seed }));
    const owned = await Promise.all(stores.map((store) => values(store, "list", {})));
    expect(owned[0]).not.toBe(owned[1]);
    watchedThreads(3);
    expect(await Promise.all(stores.map((store) => values(store, "list", { reuse: true })))).toEqual(owned);
  });

  test("memory that the consumer itself moves away is missed by nobody", async () => {
    const store = writeStore({ ...SHAPE, entries: 7_000_000 });
    const owned = await values(store, null, { columns: ["value"] });
    watchedThreads(2);
    const hash = createHash("sha256");
    await withTable(store, null, async (table) => {
      for await (const batch of table.batches({ columns: ["value"], reuse: true })) {
        const [[, bytes]] = valuesOf(batch);
        const { buffer, byteOffset, length } = bytes;
        if (!(buffer instanceof ArrayBuffer)) throw new TypeError("memory of its own");
        hash.update(new Uint8Array(structuredClone(buffer, { transfer: [buffer] }), byteOffset, length));
      }
    });
    expect(`value ${hash.digest("hex")}`).toBe(owned);
  });

  test("a worker that dies while it holds such memory is an error, and the next table is read", async () => {
    const store = writeStore({ ...SHAPE, entries: 7_000_000 });
    const owned = await values(store, "list", {});
    const dying = join(folder, "dying.mjs");
    writeFileSync(
      dying,
      `import { parentPort } from "node:worker_threads";
       await import(${JSON.stringify(entry.url.href)});
       let jobs = 0;
       parentPort.on("message", ({ kind }) => kind === "job" && ++jobs === 4 && process.exit(3));`,
    );
    watchedThreads(2, pathToFileURL(dying));
    const read = values(store, "list", { reuse: true });
    await expect(read).rejects.toThrow(/X: a worker stopped: it ended with code 3/);
    watchedThreads(2);
    expect(await values(store, "list", { reuse: true })).toBe(owned);
  });

  test("a worker that cannot be loaded leaves the work to this thread", async () => {
    const store = writeStore(SHAPE);
    const owned = await values(store, null, {});
    useThreads(createNodeThreads(pathToFileURL(join(folder, "nothing.mjs")), 2));
    expect(getWorkerPool()?.broken ?? null).toBeNull();
    expect(await values(store, null, { reuse: true })).toBe(owned);
  });
});

describe("conversions", () => {
  async function written(store: string, name: string, count: number, options: ConvertOptions): Promise<string> {
    if (count === 0) useThreads(null);
    else watchedThreads(count);
    const out = join(folder, `${count}-${name}`);
    await convert(store, out, options);
    return out;
  }

  test.each([
    ["out.zarr", { format: "zarr" }],
    ["out.bpcells", { format: "bpcells", type: "uint", lossy: true }],
    ["by-column.bpcells", { format: "bpcells", order: "column", lossy: true }],
  ] as const)("to %s have the same bytes with and without workers", async (name, options) => {
    const store = writeStore({ ...SHAPE, entries: 6_000_000 });
    const alone = digest(await written(store, name, 0, options));
    for (const count of [2, 3]) expect(digest(await written(store, name, count, options))).toBe(alone);
  });

  test("to .h5ad have the same bytes for any number of workers, and the values that one thread writes", async () => {
    const store = writeStore({ ...SHAPE, entries: 6_000_000, wide: true });
    // In one thread batches have other ends, and the chunks of the matrix's arrays come in another order.
    const alone = await written(store, "out.h5ad", 0, { format: "h5ad" });
    const [two, three] = [
      await written(store, "out.h5ad", 2, { format: "h5ad" }),
      await written(store, "out.h5ad", 3, { format: "h5ad" }),
    ];
    expect(digest(two)).toBe(digest(three));
    useThreads(null);
    expect(await values(two, "list", {})).toBe(await values(alone, "list", {}));
  });
});

/** The names and bytes of all files. */
function digest(path: string): string {
  const hash = createHash("sha256");
  const files = statSync(path).isFile() ? [""] : readdirSync(path, { recursive: true, encoding: "utf8" }).sort();
  for (const file of files) {
    const at = join(path, file);
    if (statSync(at).isFile()) hash.update(`${file} `).update(readFileSync(at));
  }
  return hash.digest("hex");
}
