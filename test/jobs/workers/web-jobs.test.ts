import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { createNodeThreads } from "../../../src/platform/platform.node.js";
import { fileServer, serveFile } from "../../io/sources/file-server.js";
import { useThreads } from "../use-threads.js";
import { type WorkerEntry, workerEntry } from "../worker-entry.js";
import { ZarrStore } from "../zarr-store.js";

const ROWS = 100_000;
const PER_ROW = 30;
const NNZ = ROWS * PER_ROW;
const CHUNK = 2 ** 18;

/** Chunks of a job, which has 2^20 entries. */
const CHUNKS_PER_JOB = 4;

let entry: WorkerEntry;
beforeAll(async () => {
  entry = await workerEntry();
});
afterEach(() => useThreads(null));
afterAll(() => entry.remove());

/** A matrix of three jobs, by keys, with consolidated metadata. */
function matrixStore(): ReadonlyMap<string, Uint8Array> {
  const values = new Map<string, Uint8Array>();
  const zarr = new ZarrStore((key, bytes) => values.set(key, bytes));
  zarr.group("", { "encoding-type": "anndata", "encoding-version": "0.1.0" });
  zarr.group("X", { "encoding-type": "csr_matrix", "encoding-version": "0.1.0", shape: [ROWS, PER_ROW] });
  zarr.numbers("X/data", Float32Array.from({ length: NNZ }).fill(1), CHUNK);
  zarr.numbers(
    "X/indices",
    Int32Array.from({ length: NNZ }, (_, i) => i % PER_ROW),
    CHUNK,
  );
  const pointers = Int32Array.from({ length: ROWS + 1 }, (_, i) => i * PER_ROW);
  zarr.numbers("X/indptr", pointers, ROWS + 1);
  for (const axis of ["obs", "var"]) {
    const dataframe = { "encoding-type": "dataframe", "encoding-version": "0.2.0", _index: "_index" };
    zarr.group(axis, { ...dataframe, "column-order": [] });
    const names = Array.from({ length: axis === "obs" ? ROWS : PER_ROW }, (_, i) => String(i));
    zarr.text(`${axis}/_index`, names, names.length);
  }
  const documents = [...values].filter(([key]) => /\.z(group|attrs|array)$/.test(key));
  const metadata = Object.fromEntries(
    documents.map(([key, bytes]) => [key, JSON.parse(Buffer.from(bytes).toString())]),
  );
  values.set(".zmetadata", Buffer.from(JSON.stringify({ zarr_consolidated_format: 1, metadata })));
  return values;
}

test("a worker begins its next job while the first one waits for bytes from the web", { timeout: 20_000 }, async () => {
  const values = matrixStore();
  const waiting: (() => void)[] = [];
  const jobs = new Set<number>();
  const server = await fileServer((request, response: ServerResponse) => {
    const key = (request.url ?? "").replace("/store.zarr/", "");
    const value = values.get(key);
    if (value === undefined) return void response.writeHead(404).end();
    const answer = () => serveFile(value, request, response);
    const chunk = /^X\/indices\/(\d+)$/.exec(key);
    if (chunk === null) return answer();
    // No job gets its bytes before all three have asked for some, of which two workers run two at once.
    jobs.add(Math.floor(Number(chunk[1]) / CHUNKS_PER_JOB));
    waiting.push(answer);
    if (jobs.size === 3) for (const late of waiting.splice(0)) late();
  });
  useThreads(createNodeThreads(entry.url, 2));
  const data = await open(`${server.origin}/store.zarr`);
  const read = await data.table("X").read({ columns: ["row", "col"] });
  await data.close();
  const [rows, cols] = ["row", "col"].map((name) => read.getChild(name)?.toArray() as Int32Array);
  expect([rows.length, rows.findIndex((row, i) => row !== Math.floor(i / PER_ROW))]).toEqual([NNZ, -1]);
  expect(cols.findIndex((col, i) => col !== i % PER_ROW)).toBe(-1);
});
