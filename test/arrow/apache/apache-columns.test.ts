import { readFileSync } from "node:fs";
import {
  Data,
  Dictionary,
  Field,
  Int8,
  Int32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  TimestampMicrosecond,
  tableFromIPC,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { describe, expect, test } from "vitest";
import { toRecordBatch } from "../../../src/arrow/apache/apache.js";
import { toColumns, toSchemaField } from "../../../src/arrow/apache/apache-columns.js";
import { type ArrowType, INT32, UTF8 } from "../../../src/arrow/type.js";
import { plainColumn, throughIpc } from "../plain.js";

const types = tableFromIPC(readFileSync("test/fixtures/data/sinks/types.arrow"));
const flat = types.select(types.schema.fields.filter((field) => toSchemaField(field) !== null).map(({ name }) => name));
const fields = flat.schema.fields.flatMap((field) => toSchemaField(field) ?? []);
const plainTypes = fields.map(({ type }) => type);

const batchOf = (data: Data, nullable = true) => {
  const schema = new Schema([new Field("a", data.type, nullable)]);
  const struct = new Struct(schema.fields);
  return new RecordBatch(schema, makeData({ type: struct, length: data.length, nullCount: 0, children: [data] }));
};

describe("columns of apache-arrow's batches, and back", () => {
  // 13 begins inside a byte of the bitmaps.
  test.each([
    [0, 20],
    [3, 17],
    [13, 20],
    [8, 9],
    [5, 5],
  ])("rows %i to %i", (from, to) => {
    const [batch] = flat.batches;
    const part = batch.slice(from, to);
    const columns = toColumns(part, plainTypes);
    const back = throughIpc([toRecordBatch(flat.schema, columns, part.numRows)]);
    for (const [i, { name }] of flat.schema.fields.entries()) {
      expect(plainColumn(back, i), name).toEqual(plainColumn(flat, i).slice(from, to));
    }
  });

  test("batches share their dictionaries", () => {
    const [batch] = flat.batches;
    const dictionaries = [batch.slice(0, 3), batch.slice(3, 9)].map((part) =>
      toColumns(part, plainTypes).flatMap((column) => (column.layout === "dictionary" ? [column.dictionary] : [])),
    );
    expect(dictionaries[0].length).toBeGreaterThan(5);
    expect(dictionaries[0].every((one, i) => one === dictionaries[1][i])).toBe(true);
  });
});

test("fields keep name, nullability and all metadata", () => {
  const metadata = new Map([
    ["annarrow", "{}"],
    ["other", "x"],
  ]);
  const field = toSchemaField(new Field("a", new Dictionary(new Utf8(), new Int8(), null, true), false, metadata));
  expect(field).toEqual({
    name: "a",
    nullable: false,
    stored: metadata,
    type: { id: "Dictionary", index: { ...INT32, bits: 8 }, value: UTF8, ordered: true },
  });
});

test("nested types, time zones and large ones are left to others", () => {
  const names = ["large_utf8", "fixed_list", "complex", "list", "list_struct"];
  const left = types.schema.fields.filter(({ name }) => names.includes(name));
  expect(left.map(toSchemaField)).toEqual(names.map(() => null));
  expect(toSchemaField(new Field("a", new TimestampMicrosecond("UTC")))).toBeNull();
});

describe("what a batch must have", () => {
  const text = vectorFromArray(["ab", "c"], new Utf8()).data[0];
  const withBuffers = (offsets: Int32Array, bytes = text.values) =>
    new Data(new Utf8(), 0, 2, 0, { 0: offsets, 1: bytes });
  const numbers = makeData({ type: new Int32(), length: 8, nullCount: 0, data: new Int32Array(7) });

  test.each<[string, Data, ArrowType]>([
    ["should have 8 values of 4 bytes, there are 7 of 4 bytes", numbers, INT32],
    ["should have 3 offsets", withBuffers(Int32Array.of(0, 2)), UTF8],
    ["has the offset 1 behind 2", withBuffers(Int32Array.of(0, 2, 1)), UTF8],
    ["has the offset 9, its text 1 bytes", withBuffers(Int32Array.of(0, 1, 9), Uint8Array.of(1)), UTF8],
    ["has 2 nulls, and 0 bits that say which of 2", new Data(new Int32(), 0, 2, 2, { 1: new Int32Array(2) }), INT32],
  ])("%s", (message, data, type) => {
    expect(() => toColumns(batchOf(data), [type])).toThrow(`the column a ${message}`);
  });
});
