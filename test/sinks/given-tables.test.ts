/** Sinks with tables of the caller: whatever `write` takes. */

import {
  type RecordBatch,
  RecordBatchReader,
  type Table,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
} from "apache-arrow";
import { readParquet } from "parquet-wasm";
import { describe, expect, test } from "vitest";
import {
  type ColumnTableInput,
  csv,
  InvalidInputError,
  ipcFile,
  ipcStream,
  parquetFile,
} from "../../packages/published/src/index.js";

const table = () => tableFromArrays({ gene: ["CD3E", "NKG7", "LYZ"], count: Int32Array.of(1, 2, 3) });

async function* streamed(batches: readonly RecordBatch[]): AsyncGenerator<RecordBatch> {
  yield* batches;
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

const INPUTS: Readonly<Record<string, () => ColumnTableInput>> = {
  "a Table": table,
  "a schema and batches": () => {
    const { schema, batches } = table();
    return { schema, batches };
  },
  "a schema and a stream": () => {
    const { schema, batches } = table();
    return { schema, batches: streamed(batches) };
  },
  "a stream alone": () => streamed(table().batches),
  "a RecordBatchReader": () => RecordBatchReader.from(tableToIPC(table())),
  "bytes of IPC": () => tableToIPC(table()),
  "arrays by columns": () => ({ gene: ["CD3E", "NKG7", "LYZ"], count: Int32Array.of(1, 2, 3) }),
};

describe.each(Object.entries(INPUTS))("%s", (_, input) => {
  const rows = table()
    .toArray()
    .map((row) => row?.toJSON());
  const found = (made: Table) => made.toArray().map((row) => row?.toJSON());

  test("as csv", async () => {
    const text = new TextDecoder().decode(await bytesOf(csv(input())));
    expect(text).toBe("gene,count\nCD3E,1\nNKG7,2\nLYZ,3\n");
  });

  test("as Parquet", async () => {
    const bytes = await bytesOf(parquetFile(input()));
    expect(found(tableFromIPC(readParquet(bytes).intoIPCStream()))).toEqual(rows);
  });

  test("as Arrow IPC", async () => {
    expect(found(tableFromIPC(await bytesOf(ipcFile(input()))))).toEqual(rows);
    expect(found(tableFromIPC(await bytesOf(ipcStream(input()))))).toEqual(rows);
  });
});

test("a schema without batches is a table without rows", async () => {
  const { schema } = table();
  expect(tableFromIPC(await bytesOf(ipcStream({ schema, batches: [] }))).numRows).toBe(0);
  expect(String(await bytesOf(csv({ schema, batches: [] })))).toBe("gene,count\n");
});

test("batches of another schema are an error", async () => {
  const mixed = { schema: table().schema, batches: table().select(["count"]).batches };
  for (const sink of [csv, parquetFile, ipcFile, ipcStream]) {
    await expect(bytesOf(sink(mixed))).rejects.toThrow(InvalidInputError);
    await expect(bytesOf(sink(mixed))).rejects.toThrow(/batch 0 has the schema/);
  }
});

test("batches with other dictionaries than the schema are an error", async () => {
  const mixed = { schema: table().schema, batches: table().batches };
  await expect(bytesOf(ipcStream(mixed))).rejects.toThrow("table: batch 0 has other dictionaries than its table");
});
