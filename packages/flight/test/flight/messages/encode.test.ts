/** Tables as messages of Flight: sizes, order, and values as they were. */

import {
  Bool,
  Dictionary,
  Field,
  Int8,
  Int32,
  List,
  type RecordBatch,
  Table,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { readMessage } from "../../../../../src/ipc/read/message.js";
import { encodeBatchMessage } from "../../../../../src/ipc/write/message.js";
import type { Dataset } from "../../../../../src/model/dataset.js";
import { convertInputToColumns } from "../../../../../src/tables/given/arrow-column-table.js";
import { plainValues } from "../../../../../test/readers/tables/plain-values.js";
import { open } from "../../../../published/src/node.js";
import { FlightDecoder } from "../../../src/flight/messages/decode.js";
import { MESSAGE_BYTES, toMessageFlightData } from "../../../src/flight/messages/message-data.js";
import { splitBatch } from "../../../src/flight/messages/split-batch.js";
import { type BatchSource, encodeTableMessages } from "../../../src/flight/messages/table-messages.js";
import type { FlightData } from "../../../src/flight/protocol/flight-data.js";

const opened: Dataset[] = [];
afterAll(() => Promise.all(opened.map((dataset) => dataset.close())));

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

const kinds = (messages: readonly FlightData[]) => messages.map(({ header }) => readMessage(header).header.kind);

/** As Flight counts them, without the few of the frame. */
const dataBytes = ({ header, appMetadata, body }: FlightData) =>
  body.reduce((sum, { length }) => sum + length, header.length + appMetadata.length);

async function valuesOf(messages: readonly FlightData[]) {
  const decoder = new FlightDecoder();
  const batches: RecordBatch[] = [];
  for (const message of messages) {
    const found = await decoder.take(message);
    if (found?.batch) batches.push(await found.batch());
  }
  return plainValues(new Table(batches));
}

async function encoded(source: BatchSource, maxBytes = MESSAGE_BYTES): Promise<FlightData[]> {
  return (await all(encodeTableMessages(source, maxBytes))).map((message) => toMessageFlightData(message));
}

test("a row that is larger than a message is sent alone", async () => {
  const table = new Table({ t: vectorFromArray(["a", "x".repeat(5000), "b", "c"], new Utf8()) });
  const messages = await encoded(table, 1000);
  const sizes = messages.slice(1).map(({ header }) => {
    const { header: found } = readMessage(header);
    return found.kind === "batch" ? found.batch.rows : -1;
  });
  expect(sizes).toContain(1);
  expect((await valuesOf(messages)).t).toEqual(["a", "x".repeat(5000), "b", "c"]);
  for (const message of messages) {
    if (dataBytes(message) > 1000) expect(dataBytes(message)).toBeGreaterThan(5000);
  }
});

test("each message is the only view of its memory", async () => {
  const table = new Table({ t: vectorFromArray(["a", "b"], new Dictionary(new Utf8(), new Int8())) });
  const messages = await all(encodeTableMessages(table, MESSAGE_BYTES));
  expect(messages.map(({ rows }) => rows)).toEqual([null, null, 2]);
  for (const { bytes, metadataLength, bodyLength } of messages) {
    expect(bytes.byteLength).toBe(bytes.buffer.byteLength);
    expect(metadataLength + bodyLength).toBe(bytes.byteLength);
    const { body, header } = toMessageFlightData({ bytes, metadataLength, bodyLength });
    expect([header.buffer, body[0].buffer]).toEqual([bytes.buffer, bytes.buffer]);
  }
});

test("batches of apache-arrow of all types, split anywhere", async () => {
  for (const file of ["pyarrow_plain.arrow", "views.arrow"]) {
    const dataset = await open(`test/fixtures/data/tables/${file}`);
    opened.push(dataset);
    const [table] = dataset.tables.values();
    const read = await table.read();
    for (const maxBytes of [1, 6000, 2 ** 21]) {
      const messages = await encoded(read, maxBytes);
      expect(await valuesOf(messages)).toEqual(plainValues(read));
      if (maxBytes === 1) expect(kinds(messages).filter((kind) => kind === "batch").length).toBe(23);
    }
  }
});

test("dictionaries of apache-arrow are sent once, and again where they are replaced", async () => {
  const type = new Dictionary(new Utf8(), new Int8());
  const batch = (values: string[]) => new Table({ c: vectorFromArray(values, type) }).batches[0];
  const [one, other] = [batch(["a", "b"]), batch(["c"])];
  const messages = await encoded({ schema: one.schema, batches: [one, one, other] });
  expect(kinds(messages)).toEqual(["schema", "dictionary", "batch", "batch", "dictionary", "batch"]);
  expect((await valuesOf(messages)).c).toEqual(["a", "b", "a", "b", "c"]);
});

test("split messages have the same rows, whatever they are and however small the messages", async () => {
  const row = fc.record({
    text: fc.option(fc.string({ maxLength: 60 })),
    flag: fc.boolean(),
    list: fc.array(fc.integer({ min: -5, max: 5 })),
  });
  const list = new List(new Field("item", new Int32()));
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 3000 }),
      async (values, max) => {
        const table = new Table({
          text: vectorFromArray(
            values.map(({ text }) => text),
            new Utf8(),
          ),
          flag: vectorFromArray(
            values.map(({ flag }) => flag),
            new Bool(),
          ),
          list: vectorFromArray(
            values.map((one) => one.list),
            list,
          ),
        });
        const { fields, batches } = await convertInputToColumns(table);
        const [{ columns }] = await all(batches());
        const parts = await all(splitBatch(encodeBatchMessage(columns, values.length), fields, max));
        for (const { bytes, rows } of parts) expect(bytes.length <= max || rows === 1).toBe(true);
        const [schema] = await encoded(table);
        expect(await valuesOf([schema, ...parts.map((part) => toMessageFlightData(part))])).toEqual(plainValues(table));
      },
    ),
    { numRuns: 60 },
  );
});
