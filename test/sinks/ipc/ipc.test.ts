import { readFileSync } from "node:fs";
import {
  type Data,
  Field,
  Int32,
  makeData,
  RecordBatch,
  RecordBatchReader,
  Schema,
  Struct,
  Table,
  tableFromIPC,
} from "apache-arrow";
import { describe, expect, test } from "vitest";
import { createJsonFormatter } from "../../../src/arrow/apache/cell-text.js";
import { ipcFile, ipcStream } from "../../../src/sinks/ipc/ipc.js";
import { bytesOf, tableOf } from "../dataset-of.js";

const types = tableFromIPC(readFileSync("test/fixtures/data/sinks/types.arrow"));

/** Every value of every column as JSON. */
function values(table: Table): Record<string, string[]> {
  return Object.fromEntries(
    table.schema.fields.map((field, i) => [
      field.name,
      table.batches.flatMap((batch) => {
        const text = createJsonFormatter(batch.data.children[i]);
        return Array.from({ length: batch.numRows }, (_, row) => text(row));
      }),
    ]),
  );
}

describe.each([
  ["file", ipcFile],
  ["stream", ipcStream],
])("IPC %s", (_, encode) => {
  test.each([20, 3])("keeps every type, in batches of %d rows", async (batchRows) => {
    const read = tableFromIPC(await bytesOf(encode(tableOf("types", types, { batchRows }))));
    expect(read.batches).toHaveLength(Math.ceil(20 / batchRows));
    expect(read.schema.fields.map(String)).toEqual(types.schema.fields.map(String));
    expect(read.schema.metadata.get("annarrow")).toBe('{"kind":"dataframe"}');
    expect(values(read)).toEqual(values(types));
  });

  test("a table without rows keeps its dictionaries", async () => {
    const empty = types.select(["dictionary_ordered"]).slice(0, 0);
    const batch = types.select(["dictionary_ordered"]).batches[0].slice(0, 0);
    expect(empty.numRows).toBe(0);
    const read = tableFromIPC(await bytesOf(encode(tableOf("t", new Table([batch])))));
    const { dictionary } = read.batches[0]?.data.children[0] ?? {};
    expect([...(dictionary ?? [])]).toEqual(["c", "a", "b", "unused"]);
  });

  test("columns that share one buffer stay whole", async () => {
    const shared = Int32Array.from({ length: 40_000 }, (_, i) => i).buffer;
    const fields = ["a", "b", "c"].map((name) => new Field(name, new Int32(), false));
    // Neighbours in one order, overlap in the other: joining by buffer would lose bytes.
    const views = [
      new Int32Array(shared, 80_000),
      new Int32Array(shared, 0, 20_000),
      new Int32Array(shared, 40_000, 20_000),
    ];
    const children = views.map((data): Data => makeData({ type: new Int32(), length: 20_000, nullCount: 0, data }));
    const struct = makeData({ type: new Struct(fields), length: 20_000, nullCount: 0, children });
    const table = new Table([new RecordBatch(new Schema(fields), struct)]);
    const read = tableFromIPC(await bytesOf(encode(tableOf("t", table))));
    expect(["a", "b", "c"].map((name) => read.getChild(name)?.get(19_999))).toEqual([39_999, 19_999, 29_999]);
  });

  test("dictionaries are written once", async () => {
    const one = types.select(["dictionary_int8"]);
    const bytes = await bytesOf(encode(tableOf("t", one, { batchRows: 1 })));
    expect(Buffer.from(bytes).toString("latin1").split("unused")).toHaveLength(2);
  });

  test("a cancelled reading ends with the signal's reason", async () => {
    const signal = AbortSignal.abort();
    await expect(bytesOf(encode(tableOf("t", types), { signal }))).rejects.toThrow("aborted");
  });
});

test("a file has the schema before its batches too, as the format wants", async () => {
  const bytes = await bytesOf(ipcFile(tableOf("t", types.select(["int8"]))));
  const inside = RecordBatchReader.from(bytes.subarray(8));
  expect(inside.open().schema.fields.map((field) => field.name)).toEqual(["int8"]);
});

test("a batch of another schema is an error, not the end of the stream", async () => {
  const table = tableOf("t", types.select(["int8"]));
  const other = { ...table, batches: () => tableOf("t", types.select(["int16"])).batches() };
  await expect(bytesOf(ipcStream(other))).rejects.toThrow(/a batch has the schema .*int16/);
});

test("progress is reported in rows", async () => {
  const seen: number[] = [];
  await bytesOf(ipcStream(tableOf("t", types, { batchRows: 8 }), { onProgress: ({ done }) => seen.push(done) }));
  expect(seen).toEqual([0, 8, 16, 20]);
});
