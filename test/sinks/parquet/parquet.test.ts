import { readFileSync } from "node:fs";
import {
  Dictionary,
  Field,
  FixedSizeList,
  Float32,
  Int8,
  Int32,
  List,
  makeData,
  Null,
  RecordBatch,
  Schema,
  Struct,
  Table,
  TimestampSecond,
  tableFromArrays,
  tableFromIPC,
  Utf8,
} from "apache-arrow";
import { readParquet } from "parquet-wasm";
import { describe, expect, test } from "vitest";
import { createJsonFormatter } from "../../../src/arrow/apache/cell-text.js";
import { PARQUET_COMPRESSIONS } from "../../../src/parquet/write/compression.js";
import { canHoldInParquet, parquetFile } from "../../../src/sinks/parquet/parquet.js";
import { bytesOf, tableOf } from "../dataset-of.js";

const types = tableFromIPC(readFileSync("test/fixtures/data/sinks/types.arrow"));
const read = (bytes: Uint8Array) => tableFromIPC(readParquet(bytes).intoIPCStream());

function column(table: Table, name: string): string[] {
  const at = table.schema.fields.findIndex((field) => field.name === name);
  return table.batches.flatMap((batch) => {
    const text = createJsonFormatter(batch.data.children[at]);
    return Array.from({ length: batch.numRows }, (_, row) => text(row));
  });
}

test.each([20, 3])("every type comes back with its values, in batches of %d rows", async (batchRows) => {
  const back = read(await bytesOf(parquetFile(tableOf("types", types, { batchRows }))));
  expect(back.numRows).toBe(20);
  for (const { name } of types.schema.fields) expect(column(back, name), name).toEqual(column(types, name));
});

test("types that Parquet has not are written in another form", async () => {
  const back = read(await bytesOf(parquetFile(tableOf("types", types))));
  const changed = types.schema.fields.flatMap((field, i) => {
    const now = String(back.schema.fields[i]?.type);
    return now === String(field.type) ? [] : [`${field.name}: ${now}`];
  });
  expect(changed).toEqual([
    "timestamp_s: Timestamp<MILLISECOND>",
    "dictionary_of_float16: Float16",
    "dictionary_of_bool: Bool",
    "dictionary_of_timestamp_s: Dictionary<Int8, Timestamp<MILLISECOND>>",
    "dictionary_of_duration_ns: Duration<NANOSECOND>",
  ]);
});

test("schema and field metadata are kept", async () => {
  const field = new Field("value", new Int32(), false, new Map([["annarrow", '{"kind":"array"}']]));
  const data = makeData({ type: new Int32(), length: 2, nullCount: 0, data: Int32Array.of(1, 2) });
  const schema = new Schema([field]);
  const struct = makeData({ type: new Struct([field]), length: 2, nullCount: 0, children: [data] });
  const back = read(await bytesOf(parquetFile(tableOf("t", new Table([new RecordBatch(schema, struct)])))));
  expect(back.schema.metadata.get("annarrow")).toBe('{"kind":"dataframe"}');
  expect(back.schema.fields[0]?.metadata.get("annarrow")).toBe('{"kind":"array"}');
  expect(back.schema.fields[0]?.nullable).toBe(false);
});

test("a table without rows keeps its schema", async () => {
  const empty = new Table([types.batches[0].slice(0, 0)]);
  const back = read(await bytesOf(parquetFile(tableOf("t", empty.select(["utf8", "fixed_list"])))));
  expect(back.numRows).toBe(0);
  expect(back.schema.fields.map((field) => String(field.type))).toEqual(["Utf8", "FixedSizeList[2]<Float64>"]);
});

test.each(PARQUET_COMPRESSIONS)("compression %s", async (compression) => {
  const value = Float32Array.from({ length: 5000 }, (_, i) => i % 7);
  const back = read(await bytesOf(parquetFile(tableOf("t", tableFromArrays({ value })), { compression })));
  expect(back.getChild("value")?.toArray()).toEqual(value);
});

test("coordinates are written as differences", async () => {
  const rows = 300_000;
  const row = Int32Array.from({ length: rows }, (_, i) => Math.floor(i / 1000));
  const col = Int32Array.from({ length: rows }, (_, i) => (i * 7) % 20_000);
  const bytes = await bytesOf(parquetFile(tableOf("X", tableFromArrays({ row, col })), { compression: "none" }));
  expect(bytes.length).toBeLessThan(rows * 2.5);
  const back = read(bytes);
  expect(back.getChild("row")?.toArray()).toEqual(row);
  expect(back.getChild("col")?.toArray()).toEqual(col);
});

describe("canHoldInParquet", () => {
  const holds = (type: Field["type"]) => canHoldInParquet(new Schema([new Field("value", type)]));
  const item = (type: Field["type"]) => new Field("item", type);

  test.each([
    ["a list of fixed size 0", new FixedSizeList(0, item(new Float32()))],
    ["a struct without fields", new Struct([])],
    ["a list of structs without fields", new List(item(new Struct([])))],
    ["a list of nulls", new List(item(new Null()))],
    ["a dictionary of structs", new Dictionary(new Struct([item(new Int8())]), new Int8())],
  ])("not %s", (_, type) => expect(holds(type)).toBe(false));

  // The time must follow the depth: an answer that asks every level twice takes 2^60 steps.
  test("a list in sixty others, unless it has nulls alone", () => {
    const nested = (inner: Field["type"]) =>
      Array.from({ length: 60 }).reduce<Field["type"]>((type) => new List(item(type)), inner);
    expect(holds(nested(new Int8()))).toBe(true);
    expect(holds(nested(new Null()))).toBe(false);
  });

  test("not a table without columns", () => expect(canHoldInParquet(new Schema([]))).toBe(false));

  test.each([
    ["nulls", new Null()],
    ["seconds", new TimestampSecond()],
    ["dictionaries", new Dictionary(new Utf8(), new Int8())],
  ])("%s", (_, type) => expect(holds(type)).toBe(true));

  test("what it cannot hold is refused before anything is written", async () => {
    const table = { ...tableOf("t", types), schema: new Schema([new Field("v", new Struct([]))]) };
    await expect(bytesOf(parquetFile(table))).rejects.toThrow("write the table as .arrow");
  });
});

test("seconds beyond what milliseconds hold are an error", async () => {
  const type = new TimestampSecond();
  const data = makeData({ type, length: 1, nullCount: 0, data: BigInt64Array.of(2n ** 62n) });
  const schema = new Schema([new Field("t", type)]);
  const struct = makeData({ type: new Struct(schema.fields), length: 1, nullCount: 0, children: [data] });
  const table = tableOf("obs", new Table([new RecordBatch(schema, struct)]));
  await expect(bytesOf(parquetFile(table))).rejects.toThrow(/obs: row 0 .* milliseconds cannot hold/);
});

test("what fails while reading is the error that is thrown", async () => {
  const table = tableOf("obs", types, { batchRows: 5, failsAfter: 2 });
  await expect(bytesOf(parquetFile(table))).rejects.toThrow("obs: the file ends here");
});

test("a consumer that stops early stops the reading", async () => {
  let ended = false;
  const table = tableOf("t", tableFromArrays({ value: new Float64Array(3_000_000).map((_, i) => i * 1.1) }), {
    batchRows: 100_000,
  });
  const watched = {
    ...table,
    async *batches() {
      try {
        yield* table.batches();
      } finally {
        ended = true;
      }
    },
  };
  for await (const chunk of parquetFile(watched, { compression: "none" })) {
    expect(chunk.length).toBeGreaterThan(0);
    break;
  }
  expect(ended).toBe(true);
});
