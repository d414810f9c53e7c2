import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ChunkEncoder } from "../../../src/containers/tree/container-writer.js";
import { createChunkEncoder } from "../../../src/jobs/workers/chunk-encoder.js";
import { getWorkerPool } from "../../../src/jobs/workers/pool.js";
import type { ChunkEncoding } from "../../../src/kernels/codecs/encode-chunk.js";
import { encodeChunk } from "../../../src/kernels/codecs/encode-chunk.js";
import { createNodeThreads } from "../../../src/platform/platform.node.js";
import { useThreads } from "../use-threads.js";
import { type WorkerEntry, workerEntry } from "../worker-entry.js";

let entry: WorkerEntry;
let folder: string;

beforeAll(async () => {
  entry = await workerEntry();
  folder = mkdtempSync(join(tmpdir(), "annarrow-chunks-"));
});
afterEach(() => useThreads(null));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await entry.remove();
});

const GZIP: ChunkEncoding = [
  { kind: "shuffle", elementBytes: 4 },
  { kind: "deflate", level: 4, form: "zlib" },
];
const ENCODINGS: readonly ChunkEncoding[] = [
  GZIP,
  [{ kind: "zstd", level: 3, checksum: true }, { kind: "crc32c" }],
  [{ kind: "blosc", cname: "lz4", clevel: 5, shuffle: "byte", elementBytes: 4 }],
  [{ kind: "fletcher32" }],
  [],
];

/** Sorted numbers, another for each chunk. */
function fill(chunk: Uint8Array<ArrayBuffer>, seed: number): void {
  const values = new Uint32Array(chunk.buffer, 0, Math.floor(chunk.length / 4));
  for (let i = 0, value = seed; i < values.length; i++) {
    value += (Math.imul(i + seed, 0x9e3779b1) >>> 28) + 1;
    values[i] = value;
  }
}

interface Sizes {
  readonly count: number;
  readonly bytes: number;
}

/** Encodes chunks as a writer does; what each became. */
async function encodeAll(encoder: ChunkEncoder, { count, bytes }: Sizes, encodings = ENCODINGS): Promise<Uint8Array[]> {
  const results: Promise<Uint8Array>[] = [];
  for (let i = 0; i < count; i++) {
    const chunk = encoder.memory(bytes);
    expect(chunk.length).toBe(bytes);
    fill(chunk, i);
    results.push(encoder.encode(chunk, encodings[i % encodings.length]));
    if (i >= encoder.window) await results[i - encoder.window];
  }
  return Promise.all(results);
}

async function expectRight(results: readonly Uint8Array[], bytes: number, encodings = ENCODINGS): Promise<void> {
  for (const [i, found] of results.entries()) {
    const chunk = new Uint8Array(bytes);
    fill(chunk, i);
    expect(Buffer.compare(found, await encodeChunk(chunk, encodings[i % encodings.length]))).toBe(0);
  }
}

/** Uses threads that are counted. */
function countedThreads(count: number, url = entry.url): { started: number } {
  const threads = createNodeThreads(url, count);
  const counter = { started: 0 };
  useThreads({
    count,
    start(events) {
      counter.started++;
      return threads.start(events);
    },
  });
  return counter;
}

describe.each([
  { threads: 0, title: "without workers" },
  { threads: 2, title: "one worker" },
  { threads: 4, title: "three workers" },
])("$title", ({ threads }) => {
  test.each([
    { count: 200, bytes: 100_000 },
    { count: 1500, bytes: 10_001 },
    { count: 5, bytes: 5_000_000 },
    { count: 30, bytes: 0 },
  ])("$count chunks of $bytes bytes", async (sizes) => {
    const counter = threads === 0 ? null : countedThreads(threads);
    const encoder = createChunkEncoder();
    await expectRight(await encodeAll(encoder, sizes), sizes.bytes);
    encoder.close();
    if (counter !== null) expect(counter.started).toBe(sizes.count * sizes.bytes > 4 * 2 ** 20 ? threads - 1 : 0);
  });
});

test("less than 4 MiB starts no worker", async () => {
  const counter = countedThreads(4);
  const encoder = createChunkEncoder();
  await expectRight(await encodeAll(encoder, { count: 39, bytes: 100_000 }, [GZIP]), 100_000, [GZIP]);
  encoder.close();
  expect(counter.started).toBe(0);
});

test("workers take their part, and memory comes back", async () => {
  countedThreads(2);
  await untilWorkersRun();
  const encoder = createChunkEncoder();
  const bytes = 100_000;
  const memory = new Set<ArrayBuffer>();
  const results: Promise<Uint8Array>[] = [];
  const chunks: Uint8Array[] = [];
  for (let i = 0; i < 400; i++) {
    const chunk = encoder.memory(bytes);
    // What moves to a worker is another object when it comes back, with what was in it.
    if (i > 100 && chunk.some((byte) => byte !== 0)) memory.add(chunk.buffer);
    fill(chunk, i);
    results.push(encoder.encode(chunk, GZIP));
    chunks.push(chunk);
    if (i >= encoder.window) await results[i - encoder.window];
  }
  await expectRight(await Promise.all(results), bytes, [GZIP]);
  encoder.close();
  const moved = chunks.filter((chunk) => chunk.length === 0).length;
  expect(moved).toBeGreaterThan(100);
  expect(moved).toBeLessThan(400);
  expect(memory.size).toBeGreaterThan(100);
});

async function untilWorkersRun(): Promise<void> {
  const encoder = createChunkEncoder();
  await encodeAll(encoder, { count: 60, bytes: 200_000 }, [GZIP]);
  for (let tries = 0; !getWorkerPool()?.ready && tries < 200; tries++) await new Promise((end) => setTimeout(end, 20));
  encoder.close();
}

test.each([1, 2, 8])("the window is what fits into a few MiB, for any number of workers: %i", (workers) => {
  countedThreads(workers);
  const encoder = createChunkEncoder();
  const windows = [1, 10_000, 2 ** 20, 2 ** 26].map((bytes) => {
    encoder.memory(bytes);
    return encoder.window;
  });
  encoder.close();
  // Files whose chunks are stored in the order in which they leave the window have the same bytes on every machine.
  expect(windows).toEqual([256, 256, 25, 9]);
});

test("workers that cannot begin are done without", async () => {
  const counter = countedThreads(3, pathToFileURL(join(folder, "missing.mjs")));
  const encoder = createChunkEncoder();
  const sizes = { count: 100, bytes: 100_000 };
  await expectRight(await encodeAll(encoder, sizes), sizes.bytes);
  encoder.close();
  expect(counter.started).toBe(2);
});

test("a worker that dies is an error", async () => {
  const file = join(folder, "dies.mjs");
  writeFileSync(
    file,
    `import { parentPort } from "node:worker_threads";
     parentPort.postMessage({ kind: "ready" });
     parentPort.on("message", () => process.exit(3));`,
  );
  countedThreads(2, pathToFileURL(file));
  const encoder = createChunkEncoder();
  // The worker may begin late: as many chunks as it takes until one gets there.
  const run = async () => {
    for (;;) await encodeAll(encoder, { count: 60, bytes: 100_000 }, [GZIP]);
  };
  await expect(run()).rejects.toThrow("a worker stopped: it ended with code 3");
  encoder.close();
});

test.each([0, 3])("what cannot be encoded is an error, with %d threads", async (threads) => {
  if (threads > 0) {
    countedThreads(threads);
    await untilWorkersRun();
  }
  const encoder = createChunkEncoder();
  const wrong: ChunkEncoding = [{ kind: "deflate", level: 10, form: "zlib" }];
  await expect(encodeAll(encoder, { count: 60, bytes: 100_000 }, [wrong])).rejects.toThrow("deflate has no level 10");
  await expectRight(await encodeAll(encoder, { count: 60, bytes: 100_000 }), 100_000);
  encoder.close();
});

describe.each([0, 3])("with %d threads", (threads) => {
  const reason = new Error("enough");

  test("an aborted signal rejects what is under way, and what comes after", async () => {
    if (threads > 0) countedThreads(threads);
    const controller = new AbortController();
    const encoder = createChunkEncoder(controller.signal);
    await encodeAll(encoder, { count: 60, bytes: 100_000 });
    const pending = Array.from({ length: 40 }, (_, i) => {
      const chunk = encoder.memory(500_000);
      fill(chunk, i);
      return encoder.encode(chunk, GZIP);
    });
    controller.abort(reason);
    const outcomes = await Promise.allSettled(pending);
    expect(new Set(outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason))).toEqual(
      new Set([reason]),
    );
    await expect(encoder.encode(encoder.memory(10), GZIP)).rejects.toBe(reason);
    encoder.close();
  });

  test("a signal aborted before", async () => {
    if (threads > 0) countedThreads(threads);
    const encoder = createChunkEncoder(AbortSignal.abort(reason));
    await expect(encoder.encode(encoder.memory(10), GZIP)).rejects.toBe(reason);
    encoder.close();
  });

  test("closing ends what is under way, which nobody need await", async () => {
    if (threads > 0) countedThreads(threads);
    const encoder = createChunkEncoder();
    const pending = Array.from({ length: 40 }, () => encoder.encode(encoder.memory(500_000), GZIP));
    encoder.close();
    encoder.close();
    await new Promise((end) => setTimeout(end, 50));
    await expect(pending[0]).rejects.toThrow("the encoder is closed");
    const next = createChunkEncoder();
    await expectRight(await encodeAll(next, { count: 100, bytes: 100_000 }), 100_000);
    next.close();
  });
});
