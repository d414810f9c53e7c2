/** Answers of tables: order and size of messages, and values as they were. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DenseUnion,
  Field,
  Int32,
  makeData,
  type RecordBatch,
  Table,
  tableToIPC,
  Utf8,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import { afterAll, describe, expect, test } from "vitest";
import { readMessage, removeMessagePrefix } from "../../../../../src/ipc/read/message.js";
import type { Dataset } from "../../../../../src/model/dataset.js";
import { PlannedTable } from "../../../../../src/tables/planned-table.js";
import { plainValues } from "../../../../../test/readers/tables/plain-values.js";
import { open, write } from "../../../../published/src/node.js";
import { FlightDecoder } from "../../../src/flight/messages/decode.js";
import { MESSAGE_BYTES, type TableMessage, toMessageFlightData } from "../../../src/flight/messages/message-data.js";
import { Backpressure } from "../../../src/serve/answers/backpressure.js";
import { createTableAnswer } from "../../../src/serve/answers/table-answer.js";
import type { TableRequest } from "../../../src/serve/requests/request.js";

const folder = mkdtempSync(join(tmpdir(), "annarrow-answers-"));
const opened: Dataset[] = [];
afterAll(async () => {
  for (const dataset of opened) await dataset.close();
  rmSync(folder, { recursive: true });
});

const { signal } = new AbortController();

async function tableOf(path: string, name: string) {
  const dataset = await open(path);
  opened.push(dataset);
  return dataset.table(name);
}

/** As the server answers: a table of a file before any Arrow object, where it is stored as such. */
async function answered(
  table: Awaited<ReturnType<typeof tableOf>>,
  wanted: Pick<TableRequest, "columns" | "rows"> = {},
  batchBytes = MESSAGE_BYTES,
) {
  const origin = { name: "a", identity: "b", isFixed: true, since: null, close: () => undefined };
  const request: TableRequest = { kind: "table", path: ["a"], ...wanted };
  const asked = table instanceof PlannedTable ? table.stored : table;
  const answer = await createTableAnswer(asked, request, origin, new Backpressure({ batchBytes }));
  const messages: TableMessage[] = [];
  for await (const message of answer.messages(signal)) messages.push(message);
  return messages;
}

const kindOf = ({ bytes, metadataLength }: TableMessage) =>
  readMessage(removeMessagePrefix(bytes.subarray(0, metadataLength))).header.kind;

async function valuesOf(messages: readonly TableMessage[]) {
  const decoder = new FlightDecoder();
  const batches: RecordBatch[] = [];
  for (const message of messages) {
    const found = await decoder.take(toMessageFlightData(message));
    if (found?.batch) batches.push(await found.batch());
  }
  return plainValues(new Table(batches));
}

describe.each(["X", "obs", "var", "uns", "obsm/X_pca", "layers/counts"])("the stored table %s", (name) => {
  test("comes as schema, dictionaries and batches, each small enough", async () => {
    const table = await tableOf("examples/pbmc.h5ad", name);
    const values = plainValues(await table.read());
    for (const most of [4096, MESSAGE_BYTES]) {
      const messages = await answered(table, {}, most);
      const [first, ...rest] = messages.map(kindOf);
      expect(first).toBe("schema");
      expect(rest.lastIndexOf("dictionary")).toBeLessThan(rest.indexOf("batch"));
      for (const { bytes, rows } of messages) {
        if (rows !== null && rows > 1) expect(bytes.length).toBeLessThanOrEqual(most);
      }
      expect(await valuesOf(messages)).toEqual(values);
    }
  });

  test("some rows of some columns", async () => {
    const table = await tableOf("examples/pbmc.h5ad", name);
    const values = plainValues(await table.read());
    const names = table.schema.fields.map((field) => field.name);
    const columns = [...new Set([names.at(-1) ?? "", names[0]])];
    const end = Math.min(table.rows ?? 0, 50);
    const messages = await answered(table, { rows: [1, end], columns }, 1024);
    const found = await valuesOf(messages);
    expect(Object.keys(found)).toEqual(columns);
    for (const column of columns) expect(found[column]).toEqual(values[column].slice(1, end));
    expect(messages.reduce((sum, { rows }) => sum + (rows ?? 0), 0)).toBe(end - 1);
  });
});

test("no rows are one batch, with its dictionaries", async () => {
  const messages = await answered(await tableOf("examples/pbmc.h5ad", "obs"), { rows: [0, 0] });
  expect(messages.map(kindOf).filter((kind) => kind === "batch")).toEqual(["batch"]);
  expect(messages.map(kindOf)).toContain("dictionary");
});

describe("no message is larger than is allowed, whatever its schema lets one expect", () => {
  const long = Array.from({ length: 3000 }, (_, i) => `${i}`.padEnd(i % 500 === 7 ? 60_000 : 2500, "x"));
  const index = Array.from({ length: 3000 }, (_, i) => `cell ${i}`);

  test("long text of a stored dataframe", async () => {
    const path = join(folder, "long.h5ad");
    const obs = new Table({ _index: vectorFromArray(index, new Utf8()), text: vectorFromArray(long, new Utf8()) });
    const var_ = new Table({ _index: vectorFromArray(["gene"], new Utf8()) });
    await write(path, { obs, var: var_ });
    const messages = await answered(await tableOf(path, "obs"));
    expect(messages.length).toBeGreaterThan(4);
    for (const { bytes } of messages) expect(bytes.length).toBeLessThanOrEqual(MESSAGE_BYTES);
    expect((await valuesOf(messages)).text).toEqual(long);
  });

  test("long rows of a matrix as lists", async () => {
    const X = await tableOf("examples/pbmc.h5ad", "X");
    const lists = await X.layout("list");
    const messages = await answered(lists, {}, 2 ** 15);
    for (const { bytes, rows } of messages) expect(bytes.length <= 2 ** 15 || rows === 1).toBe(true);
    expect(await valuesOf(messages)).toEqual(plainValues(await lists.read()));
  });

  test("text and unions of an Arrow file", async () => {
    const path = join(folder, "long.arrow");
    const half = long.length / 2;
    const type = new DenseUnion(Int32Array.of(0, 1), [new Field("text", new Utf8()), new Field("number", new Int32())]);
    const union = makeData({
      type,
      length: long.length,
      typeIds: Int8Array.from(long, (_, i) => i % 2),
      valueOffsets: Int32Array.from(long, (_, i) => i >> 1),
      children: [
        vectorFromArray(long.slice(0, half), new Utf8()).data[0],
        vectorFromArray(
          Array.from({ length: half }, (_, i) => i),
          new Int32(),
        ).data[0],
      ],
    });
    const table = new Table({ union: new Vector([union]), text: vectorFromArray(long, new Utf8()) });
    writeFileSync(path, tableToIPC(table, "file"));
    const messages = await answered(await tableOf(path, "long"));
    expect(messages.filter(({ rows }) => rows !== null).length).toBeGreaterThan(5);
    for (const { bytes } of messages) expect(bytes.length).toBeLessThanOrEqual(MESSAGE_BYTES);
    expect(await valuesOf(messages)).toEqual(plainValues(table));
  });
});

test("among many streams none holds a window of jobs", () => {
  const pace = new Backpressure();
  const ends = Array.from({ length: 8 }, () => pace.begin());
  const leave = pace.tryWide();
  expect(leave).not.toBeNull();
  leave?.();
  ends.push(pace.begin());
  expect(pace.isCrowded).toBe(true);
  expect(pace.tryWide()).toBeNull();
  for (const end of ends) end();
  expect(pace.tryWide()).not.toBeNull();
});
