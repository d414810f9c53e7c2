/** Bytes of Arrow IPC streams that arrive in pieces; the streams are pyarrow's, with the values that pyarrow has. */

import { readFileSync } from "node:fs";
import { type RecordBatch, Table } from "apache-arrow";
import { afterEach, expect, test, vi } from "vitest";
import { streamBytes } from "../../../../../src/ipc/write/apache-writer.js";
import { plainValues } from "../../../../../test/readers/tables/plain-values.js";
import { readIpcStream } from "../../../src/flight/messages/ipc-stream.js";
import { wideBatch, wideJoins } from "../wide-batch.js";

const STREAM = new Uint8Array(readFileSync("test/fixtures/data/tables/pyarrow.arrows"));
const RIGHT = JSON.parse(readFileSync("test/fixtures/data/tables/pyarrow.json", "utf8"));

afterEach(() => vi.restoreAllMocks());

function* pieces(bytes: Uint8Array, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function valuesOf(given: Parameters<typeof readIpcStream>[0]) {
  const { batches } = await readIpcStream(given);
  const all: RecordBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return plainValues(new Table(all));
}

test.each([1, 7, 4096, 2 ** 30])("a stream in pieces of %d bytes", async (length) => {
  const found = await valuesOf(pieces(STREAM, length));
  for (const name of Object.keys(RIGHT)) expect(found[name], name).toEqual(RIGHT[name]);
});

test("a stream may end without its mark, and nowhere within a message", async () => {
  const end = STREAM.length - 8;
  expect(await valuesOf([STREAM.subarray(0, end)])).toEqual(await valuesOf([STREAM]));
  for (const cut of [0, 1, 4, 5, 8, 100, 1000, end - 1000, end - 9, end - 1, end + 4]) {
    await expect(valuesOf([STREAM.subarray(0, cut)]), `${cut}`).rejects.toMatchObject({ tag: "InvalidDataError" });
  }
});

test("a stream of many columns is read without a look at all columns for each of them", async () => {
  const batch = wideBatch(3000);
  const bytes = streamBytes(batch.schema, [batch, batch]);
  const joins = wideJoins();
  const { schema, batches } = await readIpcStream([bytes]);
  const values: unknown[] = [];
  for await (const { data } of batches) values.push(data.children.map(({ values: [value] }) => value));
  const right = Array.from({ length: 3000 }, (_, i) => i);
  expect([schema.fields.length, values]).toEqual([3000, [right, right]]);
  expect(joins()).toBe(0);
});
