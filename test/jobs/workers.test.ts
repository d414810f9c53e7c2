import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Vector } from "apache-arrow";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { convert, open, write } from "../../packages/published/src/node.js";
import { openBlockingFileSource } from "../../src/io/sources/blocking-file.node.js";
import { getFileIdentity } from "../../src/io/sources/file.node.js";
import type { BatchOptions, Layout } from "../../src/model/dataset.js";
import type { Selection } from "../../src/model/selection.js";
import { viewAsBytes } from "../../src/model/stored.js";
import { createNodeThreads } from "../../src/platform/platform.node.js";
import { useThreads } from "./use-threads.js";
import { type WorkerEntry, workerEntry } from "./worker-entry.js";
import { intoFolder, ZarrStore } from "./zarr-store.js";

const ROWS = 90_000;
const PER_ROW = 25;
const NNZ = ROWS * PER_ROW;
const COLUMNS = 2000;

let folder: string;
let store: string;
let entry: WorkerEntry;

const index = { "encoding-type": "dataframe", "encoding-version": "0.2.0", _index: "_index" };

/** 2.25 million non-zeros by formula: enough for several jobs. */
function writeStore(root: string): void {
  const zarr = new ZarrStore(intoFolder(root));
  zarr.group("", { "encoding-type": "anndata", "encoding-version": "0.1.0" });
  zarr.group("X", { "encoding-type": "csr_matrix", "encoding-version": "0.1.0", shape: [ROWS, COLUMNS] });
  zarr.numbers(
    "X/data",
    Float32Array.from({ length: NNZ }, (_, i) => i % 97),
    40_000,
  );
  zarr.numbers(
    "X/indices",
    Int32Array.from({ length: NNZ }, (_, i) => (i % PER_ROW) * 80 + (i % 79)),
    40_000,
  );
  zarr.numbers(
    "X/indptr",
    Int32Array.from({ length: ROWS + 1 }, (_, i) => i * PER_ROW),
    10_000,
  );
  const columns = ["score", "kind", "maybe"];
  zarr.group("obs", { ...index, "column-order": columns });
  zarr.text(
    "obs/_index",
    Array.from({ length: ROWS }, (_, i) => `cell-${i}-${"é".repeat(150 + (i % 9))}`),
    7000,
  );
  zarr.numbers(
    "obs/score",
    Float64Array.from({ length: ROWS }, (_, i) => i / 7),
    9000,
  );
  zarr.group("obs/kind", { "encoding-type": "categorical", "encoding-version": "0.2.0", ordered: false });
  zarr.numbers(
    "obs/kind/codes",
    Int8Array.from({ length: ROWS }, (_, i) => (i % 4) - 1),
    8000,
  );
  zarr.text("obs/kind/categories", ["a", "b", "c", "unused"], 4);
  zarr.group("obs/maybe", { "encoding-type": "nullable-integer", "encoding-version": "0.1.0" });
  zarr.numbers(
    "obs/maybe/values",
    Int32Array.from({ length: ROWS }, (_, i) => i),
    8000,
  );
  zarr.numbers(
    "obs/maybe/mask",
    Uint8Array.from({ length: ROWS }, (_, i) => (i % 5 === 0 ? 1 : 0)),
    8000,
    "|b1",
  );
  zarr.group("var", { ...index, "column-order": [] });
  zarr.text(
    "var/_index",
    Array.from({ length: COLUMNS }, (_, i) => `gene-${i}`),
    500,
  );
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-workers-"));
  store = join(folder, "store.zarr");
  writeStore(store);
  entry = await workerEntry();
});
afterEach(() => useThreads(null));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await entry.remove();
});

/** All values of a table as one hash, whatever batches they came in. */
async function rowsOf(
  name: string,
  options: BatchOptions = {},
  layout?: Layout,
  selection: Selection = {},
): Promise<string> {
  const data = await open(store);
  try {
    const table = (await data.select(selection)).table(name);
    const read = await (layout === undefined ? table : await table.layout(layout)).read(options);
    const columns = read.schema.fields.map(({ name: field }) => {
      const vector = read.getChild(field);
      if (layout === "list" && vector !== null) return listValues(vector);
      const values: unknown = vector?.toArray();
      return ArrayBuffer.isView(values) ? hash(viewAsBytes(values)) : JSON.stringify(values, exactly);
    });
    return hash(`${read.numRows} ${read.schema} ${columns}`);
  } finally {
    await data.close();
  }
}

/** Lengths and entries of all lists; objects for each of them would take a minute. */
function listValues(vector: Vector): string {
  const parts: Uint8Array[][] = [[], [], []];
  for (const { valueOffsets, length, children } of vector.data) {
    const [from, to] = [valueOffsets[0], valueOffsets[length]];
    const [position, value] = children[0].children;
    const lengths = Int32Array.from({ length }, (_, i) => valueOffsets[i + 1] - valueOffsets[i]);
    const arrays = [lengths, position.values.subarray(from, to), value.values.subarray(from, to)];
    for (const [i, array] of arrays.entries()) parts[i].push(viewAsBytes(array));
  }
  return parts.map((bytes) => hash(Buffer.concat(bytes))).join();
}

const exactly = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}n` : value);
const hash = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex");

/** Three workers; how many of them were started. */
function countedThreads(): () => number {
  const threads = createNodeThreads(entry.url, 3);
  let started = 0;
  useThreads({
    count: threads.count,
    start(events) {
      started++;
      return threads.start(events);
    },
  });
  return () => started;
}

describe("in workers and inline", () => {
  test.each([
    ["X", {}],
    ["X", { columns: ["value", "row"] }],
    ["X", { where: { col: [0, 81, 1999] } }],
    ["X", { where: { row: Array.from({ length: 300 }, (_, i) => i * 290) } }],
    ["X", { rows: [123_456, 2_200_001] }],
    ["obs", {}],
    ["obs", { columns: ["kind", "_index"] }],
    ["X", {}, "list"],
    ["X", { rows: [7, 89_000] }, "list"],
  ] as const)("the rows of %s %o %s are the same", async (name, options, layout?: Layout) => {
    const inline = await rowsOf(name, options, layout);
    const starts = countedThreads();
    expect(await rowsOf(name, options, layout)).toBe(inline);
    expect(starts()).toBeGreaterThan(1);
  });

  const turned = Int32Array.from({ length: ROWS }, (_, i) => ROWS - 1 - i);
  const scattered = Int32Array.from({ length: ROWS }, (_, i) => (i * 7919) % ROWS);
  const genes = Int32Array.from({ length: 700 }, (_, i) => (i * 37) % COLUMNS);
  test.each([
    ["of all cells, the last one first,", "X", { obs: turned }, "list"],
    ["of scattered cells", "X", { obs: scattered }, "list"],
    ["of scattered cells", "X", { obs: scattered }, "coordinate"],
    ["of genes in any order and with repeats", "X", { var: [...genes, ...genes] }, "coordinate"],
    ["of genes in any order", "X", { var: genes }, "list"],
    ["of cells and genes", "X", { obs: turned, var: genes }, "list"],
    ["of scattered cells", "obs", { obs: scattered }],
  ] satisfies [string, string, Selection, Layout?][])(
    "a part %s has the same %s",
    async (_, name, selection: Selection, layout?: Layout) => {
      const inline = await rowsOf(name, {}, layout, selection);
      const starts = countedThreads();
      expect(await rowsOf(name, {}, layout, selection)).toBe(inline);
      expect(starts()).toBeGreaterThan(1);
    },
  );

  test("a Parquet file has the same bytes, whatever the number of workers", async () => {
    const file = (name: string) => hash(readFileSync(join(folder, name)));
    const written = async (name: string) => {
      await convert(store, join(folder, name), { format: "parquet" });
      return ["X", "obs", "var"].map((table) => file(`${name}/${table}.parquet`));
    };
    const inline = await written("inline");
    for (const count of [2, 5]) {
      useThreads(createNodeThreads(entry.url, count));
      expect(await written(`workers-${count}`)).toEqual(inline);
    }
  });
});

test("a matrix is the same in the other order, transposed in workers and inline", async () => {
  const written = async (name: string) => {
    await convert(store, join(folder, name), { order: "csc" });
    const data = await open(join(folder, name));
    try {
      const read = await data.table("X").read();
      return ["row", "col", "value"].map((column) => hash(viewAsBytes(read.getChild(column)?.toArray())));
    } finally {
      await data.close();
    }
  };
  const inline = await written("inline.h5ad");
  const starts = countedThreads();
  expect(await written("workers.h5ad")).toEqual(inline);
  expect(starts()).toBeGreaterThan(1);
});

describe("what goes wrong", () => {
  test("a worker that cannot be loaded leaves the work to this thread", async () => {
    const inline = await rowsOf("X");
    await convert(store, join(folder, "x.parquet"), { tables: ["X"] });
    useThreads(createNodeThreads(pathToFileURL(join(folder, "nothing.mjs")), 2));
    expect(await rowsOf("X")).toBe(inline);
    useThreads(createNodeThreads(pathToFileURL(join(folder, "nothing.mjs")), 3));
    await convert(store, join(folder, "alone.parquet"), { tables: ["X"] });
    expect(readFileSync(join(folder, "alone.parquet"))).toEqual(readFileSync(join(folder, "x.parquet")));
  });

  test("a worker that dies is an error, not a hang", async () => {
    const file = join(folder, "dying.mjs");
    writeFileSync(
      file,
      `import { parentPort } from "node:worker_threads";
       parentPort.postMessage({ kind: "ready" });
       parentPort.on("message", ({ kind }) => kind === "job" && process.exit(3));`,
    );
    useThreads(createNodeThreads(pathToFileURL(file), 2));
    await expect(rowsOf("X")).rejects.toThrow(/X: a worker stopped: it ended with code 3/);
  });

  test("an error in a worker keeps its class, file and element", async () => {
    useThreads(createNodeThreads(entry.url, 2));
    const chunk = join(store, "X", "indices", "30");
    const whole = readFileSync(chunk);
    try {
      const bad = Buffer.from(whole);
      bad.writeInt32LE(COLUMNS, 400);
      writeFileSync(chunk, bad);
      await expect(rowsOf("X")).rejects.toMatchObject({
        tag: "InvalidDataError",
        source: store,
        element: "X/indices",
        problem: `indices[${30 * 40_000 + 100}] is ${COLUMNS}, outside 0 … ${COLUMNS - 1}`,
      });
    } finally {
      writeFileSync(chunk, whole);
    }
  });

  test("a file that was replaced since it was opened is an error", async () => {
    const path = join(folder, "replaced");
    writeFileSync(path, "one");
    const identity = getFileIdentity(statSync(path));
    expect(await openBlockingFileSource(path, identity).read(1, 3)).toEqual(Uint8Array.from(Buffer.from("ne")));
    writeFileSync(`${path}.new`, "two!");
    renameSync(`${path}.new`, path);
    expect(() => openBlockingFileSource(path, identity)).toThrow(/replaced: the file was changed while it was read/);
  });

  test("a signal stops at once, and the workers go on to serve", async () => {
    useThreads(createNodeThreads(entry.url, 2));
    const data = await open(store);
    const controller = new AbortController();
    const batches = data.table("X").batches({ signal: controller.signal, batchBytes: 1 << 20 });
    const read = async () => {
      for await (const _ of batches) controller.abort(new Error("enough"));
    };
    await expect(read()).rejects.toThrow("enough");
    await data.close();
    const served = await rowsOf("X");
    useThreads(null);
    expect(served).toBe(await rowsOf("X"));
  });

  test("a consumer that leaves early leaves nothing behind", async () => {
    useThreads(createNodeThreads(entry.url, 2));
    const data = await open(store);
    for await (const batch of data.table("X").batches()) {
      expect(batch.numRows).toBeGreaterThan(0);
      break;
    }
    await data.close();
  });
});

test("a chunk that only workers have read, and that is written into, is told of", async () => {
  const started = countedThreads();
  const copy = join(folder, "changes.zarr");
  cpSync(store, copy, { recursive: true });
  const data = await open(copy);
  let rows = 0;
  for await (const { numRows } of data.table("X").batches()) rows += numRows;
  expect([rows, started() > 0]).toEqual([NNZ, true]);
  const chunk = join(copy, "X/data/40");
  writeFileSync(chunk, readFileSync(chunk).reverse());
  await expect(write(join(folder, "changed.h5ad"), data)).rejects.toMatchObject({
    code: "source-changed",
    message: expect.stringContaining("X/data/40"),
  });
  await data.close();
});
