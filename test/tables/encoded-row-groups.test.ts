import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";
import {
  Bool,
  type Data,
  type DataType,
  Dictionary,
  Field,
  FixedSizeBinary,
  Float32,
  Float64,
  Int8,
  Int32,
  Int64,
  makeData,
  makeVector,
  RecordBatch,
  Schema,
  Struct,
  Table,
  TimestampSecond,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { readParquet } from "parquet-wasm";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { WorkerRequest } from "../../src/jobs/workers/messages.js";
import { getWorkerPool } from "../../src/jobs/workers/pool.js";
import type { DataTable } from "../../src/model/dataset.js";
import { createNodeThreads } from "../../src/platform/platform.node.js";
import { parquetFile } from "../../src/sinks/parquet/parquet.js";
import { useThreads } from "../jobs/use-threads.js";
import { type WorkerEntry, workerEntry } from "../jobs/worker-entry.js";
import { bytesOf, tableOf } from "../sinks/dataset-of.js";

/** Four row groups of 2^20 rows, and one that is smaller. */
const ROWS = 4 * 2 ** 20 + 12_345;
/** Batches end between bytes of the bitmaps, and within row groups. */
const BATCH_ROWS = 300_003;

let entry: WorkerEntry;

beforeAll(async () => {
  entry = await workerEntry();
});
afterEach(() => useThreads(null));
afterAll(() => entry.remove());

type Make = (bytes: number) => ArrayBuffer | SharedArrayBuffer;
const unshared: Make = (bytes) => new ArrayBuffer(bytes);
const shared: Make = (bytes) => new SharedArrayBuffer(bytes);

/** Every kind of column by formula, with nulls where the name says so. */
function tableIn(make: Make): { table: Table; arrays: ArrayBufferView[] } {
  const arrays: ArrayBufferView[] = [];
  const kept = <T extends ArrayBufferView>(array: T): T => {
    arrays.push(array);
    return array;
  };
  const row = kept(new Int32Array(make(4 * ROWS)));
  const value = kept(new Float32Array(make(4 * ROWS)));
  const wide = kept(new BigInt64Array(make(8 * ROWS)));
  const codes = kept(new Int8Array(make(ROWS)));
  const pairs = kept(new Uint8Array(make(2 * ROWS)));
  const offsets = kept(new Int32Array(make(4 * (ROWS + 1))));
  const text = kept(new Uint8Array(make(4 * ROWS)));
  const bits = kept(new Uint8Array(make(Math.ceil(ROWS / 8))));
  for (let i = 0; i < ROWS; i++) {
    row[i] = i >> 5;
    value[i] = (Math.imul(i, 2654435761) >>> 24) / 3;
    wide[i] = BigInt(i % 1000);
    codes[i] = i % 4;
    pairs[2 * i] = i;
    offsets[i + 1] = offsets[i] + (i % 4);
    for (let k = offsets[i]; k < offsets[i + 1]; k++) text[k] = 97 + ((i >> 7) % 26);
    if (i % 11 !== 3) bits[i >> 3] |= 1 << (i & 7);
  }
  const nulls = { length: ROWS, nullBitmap: bits };
  const names = vectorFromArray(["a", "bé", "unused", "d"], new Utf8());
  const coded = new Dictionary(new Utf8(), new Int8());
  const columns: Record<string, Data> = {
    row: makeData({ type: new Int32(), data: row }),
    value: makeData({ type: new Float32(), data: value }),
    "value, null": makeData({ type: new Float32(), data: value, ...nulls }),
    wide: makeData({ type: new Int64(), data: wide }),
    time: makeData({ type: new TimestampSecond(), data: wide, ...nulls }),
    kind: makeData({ type: coded, data: codes, dictionary: names }),
    "kind, null": makeData({ type: coded, data: codes, dictionary: names, ...nulls }),
    pair: makeData({ type: new FixedSizeBinary(2), data: pairs, length: ROWS }),
    text: makeData({ type: new Utf8(), data: text, valueOffsets: offsets, length: ROWS }),
    "text, null": makeData({ type: new Utf8(), data: text, valueOffsets: offsets, ...nulls }),
    "flag, null": makeData({ type: new Bool(), data: bits, ...nulls }),
  };
  const fields = Object.entries(columns).map(
    ([name, { type }]) => new Field<DataType>(name, type, /null|time/.test(name)),
  );
  const schema = new Schema(fields);
  const data = makeData({ type: new Struct(fields), length: ROWS, nullCount: 0, children: Object.values(columns) });
  return { table: new Table(new RecordBatch(schema, data)), arrays };
}

/** A table of numbers that is large enough for workers. */
const numbers = (last?: number) => {
  const values = new Float64Array(3 * 2 ** 20).map((_, i) => i % 777);
  const times = new BigInt64Array(values.length);
  if (last !== undefined) times[last] = 2n ** 62n;
  const data = [makeVector(values).data[0], makeData({ type: new TimestampSecond(), data: times })];
  const fields = [new Field("value", new Float64(), false), new Field("time", new TimestampSecond(), false)];
  const type = new Struct(fields);
  return new Table(new RecordBatch(new Schema(fields), makeData({ type, length: values.length, children: data })));
};

const hash = (...parts: ArrayBufferView[]) => {
  const sum = createHash("sha256");
  for (const part of parts) sum.update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  return sum.digest("hex");
};
const written = (table: DataTable) => bytesOf(parquetFile(table));

/** Workers that run already; tells how many row groups they were given. */
async function workers(count: number, url = entry.url): Promise<() => number> {
  const threads = createNodeThreads(url, count);
  let encodes = 0;
  useThreads({
    count,
    start(events) {
      const thread = threads.start(events);
      const post = (request: WorkerRequest, transfer: ArrayBuffer[]) => {
        if (request.kind === "encode") encodes++;
        thread.post(request, transfer);
      };
      return { ...thread, post };
    },
  });
  const pool = getWorkerPool();
  pool?.start();
  await vi.waitUntil(() => pool?.ready, { timeout: 20_000 });
  return () => encodes;
}

describe("a table in memory", () => {
  test("has the same bytes inline and by workers, and stays as it is", async () => {
    const { table, arrays } = tableIn(unshared);
    const given = tableOf("X", table, { batchRows: BATCH_ROWS });
    const before = hash(...arrays);
    const inline = await written(given);
    expect(readParquet(inline).numBatches).toBeGreaterThan(0);
    for (const count of [2, 3]) {
      const encodes = await workers(count);
      expect(hash(await written(given))).toBe(hash(inline));
      expect(encodes()).toBeGreaterThan(0);
    }
    expect(hash(...arrays)).toBe(before);
    const { table: same, arrays: others } = tableIn(shared);
    const encodes = await workers(2);
    expect(hash(await written(tableOf("X", same, { batchRows: BATCH_ROWS })))).toBe(hash(inline));
    expect(encodes()).toBeGreaterThan(0);
    expect(hash(...others)).toBe(before);
    useThreads(null);
    expect(hash(await written(tableOf("X", same, { batchRows: BATCH_ROWS })))).toBe(hash(inline));
  }, 120_000);

  test("may have another dictionary in every batch", async () => {
    const type = new Dictionary(new Utf8(), new Int32());
    const schema = new Schema([new Field("kind", type, false)]);
    const batches = ["a", "b", "c", "a"].map((first) => {
      const indices = new Int32Array(1_500_000).map((_, i) => i % 3);
      const dictionary = vectorFromArray([first, "x", "y"], new Utf8());
      const children = [makeData({ type, data: indices, dictionary })];
      return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: indices.length, children }));
    });
    const given: DataTable = {
      ...tableOf("X", new Table(batches.slice(0, 1))),
      rows: null,
      async *batches() {
        yield* batches;
      },
    };
    const inline = await written(given);
    const encodes = await workers(2);
    expect(hash(await written(given))).toBe(hash(inline));
    expect(encodes()).toBeGreaterThan(0);
  });

  test("is encoded inline where it is small", async () => {
    const encodes = await workers(2);
    await written(tableOf("X", numbers().slice(0, 1_000_000)));
    expect(encodes()).toBe(0);
  });
});

describe("what goes wrong", () => {
  test("a worker that cannot be loaded leaves the work to this thread", async () => {
    const given = tableOf("X", numbers());
    const inline = await written(given);
    useThreads(createNodeThreads(pathToFileURL("nothing.mjs"), 2));
    expect(hash(await written(given))).toBe(hash(inline));
  });

  test("an error keeps its class and element", async () => {
    const given = tableOf("obsm/T", numbers(2 ** 21 + 5));
    const failure = {
      tag: "UnsupportedError",
      element: "obsm/T",
      problem: expect.stringMatching(/^row 2097157 of a batch is \d+ seconds from 1970/),
    };
    await expect(written(given)).rejects.toMatchObject(failure);
    const encodes = await workers(2);
    await expect(written(given)).rejects.toMatchObject(failure);
    expect(encodes()).toBeGreaterThan(0);
  });

  test("a signal stops, and a consumer that leaves early leaves nothing behind", async () => {
    const given = tableOf("X", numbers());
    await workers(2);
    const controller = new AbortController();
    const read = async () => {
      for await (const _ of parquetFile(given, { signal: controller.signal })) controller.abort(new Error("enough"));
    };
    await expect(read()).rejects.toThrow("enough");
    for await (const _ of parquetFile(given)) break;
    const inWorkers = hash(await written(given));
    useThreads(null);
    expect(inWorkers).toBe(hash(await written(given)));
  });
});
