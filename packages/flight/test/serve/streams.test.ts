/** Sends large matrices to fast and slow clients. Messages are encoded into memory that earlier messages used. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Data } from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createNodeThreads } from "../../../../src/platform/platform.node.js";
import { draws } from "../../../../test/draws.js";
import { useThreads } from "../../../../test/jobs/use-threads.js";
import { type WorkerEntry, workerEntry } from "../../../../test/jobs/worker-entry.js";
import { intoFolder, ZarrStore } from "../../../../test/jobs/zarr-store.js";
import type { FlightConnection } from "../../src/flight/connection.js";
import { connectFlight } from "../../src/flight/grpc-client.node.js";
import { type FlightServer, startFlightServer } from "../../src/flight/grpc-server.node.js";
import { FlightDecoder } from "../../src/flight/messages/decode.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { Serving } from "../../src/serve/answers/serving.node.js";
import { FlightService } from "../../src/serve/flight/flight-service.node.js";
import { BUILT } from "./built-files.js";

const [ROWS, COLUMNS, PER_ROW] = [4000, 2000, 750];
const ENTRIES = ROWS * PER_ROW;

const folder = mkdtempSync(join(tmpdir(), "annarrow-streams-"));
const right = {
  row: Int32Array.from({ length: ENTRIES }, (_, i) => Math.floor(i / PER_ROW)),
  col: Int32Array.from({ length: ENTRIES }, (_, i) => 2 * (i % PER_ROW) + (Math.floor(i / PER_ROW) % 3)),
  value: Float32Array.from({ length: ENTRIES }, (_, i) => i % 1_000_003),
};

let entry: WorkerEntry;
let serving: Serving;
let server: FlightServer;

beforeAll(async () => {
  writeStore("float32.zarr", right.value, right.col);
  writeStore("float64.zarr", Float64Array.from(right.value), BigInt64Array.from(right.col, BigInt));
  entry = await workerEntry();
  useThreads(createNodeThreads(entry.url, 2));
  serving = await Serving.open({
    folders: [folder],
    ...{ token: null, ticketKey: null, readOnly: true, log: () => undefined },
    endpoints: { endpointBytes: 2 ** 30, ticketTime: 600_000 },
    streams: 16,
    // Slow ones give their window back, and some messages are too large for the memory of others.
    pace: { patience: 40, bytes: 2 ** 21, batchBytes: 2 ** 19 },
    ...{ uploads: {}, statements: {}, trials: { entry: BUILT.trialProcess } },
  });
  server = await startFlightServer(new FlightService(serving), { host: "127.0.0.1", port: 0 });
}, 120_000);
afterAll(async () => {
  await server.close();
  await serving.close();
  useThreads(null);
  await entry.remove();
  rmSync(folder, { recursive: true });
});

function writeStore(name: string, data: Float32Array | Float64Array, indices: Int32Array | BigInt64Array): void {
  const zarr = new ZarrStore(intoFolder(join(folder, name)));
  zarr.group("", { "encoding-type": "anndata", "encoding-version": "0.1.0" });
  zarr.group("X", { "encoding-type": "csr_matrix", "encoding-version": "0.1.0", shape: [ROWS, COLUMNS] });
  zarr.numbers("X/data", data, 30_000);
  zarr.numbers("X/indices", indices, 30_000);
  const pointers = Int32Array.from({ length: ROWS + 1 }, (_, i) => i * PER_ROW);
  zarr.numbers("X/indptr", pointers, 1000);
  for (const [axis, count] of [["obs", ROWS] as const, ["var", COLUMNS] as const]) {
    zarr.group(axis, { "encoding-type": "dataframe", "encoding-version": "0.2.0", _index: "i", "column-order": [] });
    zarr.text(
      `${axis}/i`,
      Array.from({ length: count }, (_, i) => `${i}`),
      count,
    );
  }
}

interface Reader {
  /** The message before which it waits, and how long; it leaves for good before the last of them where it is hasty. */
  readonly waits: readonly (readonly [message: number, milliseconds: number])[];
  readonly leaves: boolean;
}

async function read(connection: FlightConnection, ticket: Uint8Array, { waits, leaves }: Reader): Promise<void> {
  const decoder = new FlightDecoder();
  let [at, message] = [0, 0];
  for await (const data of connection.stream(METHODS.doGet, { ticket })) {
    for (const [before, milliseconds] of waits) {
      if (before !== message) continue;
      await setTimeout(milliseconds);
      if (leaves) return;
    }
    message++;
    const found = await decoder.take(data);
    if (!found?.batch) continue;
    const batch = await found.batch();
    const names = batch.schema.fields.map(({ name }) => name);
    expect(names).toEqual(["row", "col", "value"]);
    const expected = [right.row, right.col, right.value].map((all) => all.subarray(at, at + found.rows));
    expect(batch.data.children.every((column, i) => same(column, expected[i]))).toBe(true);
    at += found.rows;
  }
  expect(at).toBe(ENTRIES);
}

function same({ values, length }: Data, expected: Int32Array | Float32Array): boolean {
  for (let i = 0; i < length; i++) if (values[i] !== expected[i]) return false;
  return length === expected.length;
}

test("every client gets all values, whoever reads beside it, waits, or leaves", async () => {
  const waits = fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 90 })), { maxLength: 4 });
  const readers = fc.array(fc.record({ waits, leaves: fc.boolean() }), { minLength: 1, maxLength: 3 });
  const datasets = fc.constantFrom("float32.zarr", "float64.zarr");
  await fc.assert(
    fc.asyncProperty(readers, datasets, async (some, dataset) => {
      const client = () => connectFlight(`grpc://127.0.0.1:${server.port}`);
      const first = await client();
      const command = new TextEncoder().encode(JSON.stringify({ dataset, table: "X" }));
      const { endpoints } = await first.unary(METHODS.getFlightInfo, { kind: "command", command });
      const connections = [first];
      try {
        await Promise.all(
          some.map(async (reader, i) => {
            // Two of them share a connection.
            const own = i < 2 ? first : await client();
            if (i >= 2) connections.push(own);
            await read(own, endpoints[0].ticket.ticket, reader);
          }),
        );
      } finally {
        for (const connection of connections) await connection.close();
      }
    }),
    draws(10),
  );
}, 240_000);
