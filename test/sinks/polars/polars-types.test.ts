import { readFileSync } from "node:fs";
import {
  Bool,
  BufferType,
  Data,
  type DataType,
  DateDay,
  DateMillisecond,
  Decimal,
  Dictionary,
  DurationSecond,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  Int32,
  Int64,
  Map_,
  makeData,
  Null,
  Struct,
  Table,
  TimeMillisecond,
  TimeSecond,
  Timestamp,
  TimestampSecond,
  TimeUnit,
  tableFromIPC,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import pl from "nodejs-polars";
import { describe, expect, test } from "vitest";
import { fromPolars, toPolars } from "../../../src/sinks/polars/polars.node.js";
import { tableOf } from "../dataset-of.js";
import { columnOf, data, deep, textData, values } from "../one-column-tables.js";

const types = tableFromIPC(readFileSync("test/fixtures/data/sinks/types.arrow"));
const BYTES = ["binary", "fixed_binary"];
const held = types.select(types.schema.fields.map((field) => field.name).filter((name) => !BYTES.includes(name)));

const text = (type: DataType) => String(type);

/** What each type of the fixture is in Polars, and what comes back. */
const expected: Record<string, readonly [polars: string, back: string]> = {
  int8: ["(Int8)", "Int8"],
  int16: ["(Int16)", "Int16"],
  int32: ["(Int32)", "Int32"],
  int64: ["(Int64)", "Int64"],
  uint8: ["(UInt8)", "Uint8"],
  uint16: ["(UInt16)", "Uint16"],
  uint32: ["(UInt32)", "Uint32"],
  uint64: ["(UInt64)", "Uint64"],
  float16: ["(Float32)", "Float32"],
  float32: ["(Float32)", "Float32"],
  float64: ["(Float64)", "Float64"],
  bool: ["(Bool)", "Bool"],
  utf8: ["(String)", "LargeUtf8"],
  large_utf8: ["(String)", "LargeUtf8"],
  timestamp_s: ["(Datetime(ms,))", "Timestamp<MILLISECOND>"],
  duration_s: ["(Duration(ms))", "Duration<MILLISECOND>"],
  timestamp_ms: ["(Datetime(ms,))", "Timestamp<MILLISECOND>"],
  duration_ms: ["(Duration(ms))", "Duration<MILLISECOND>"],
  timestamp_us: ["(Datetime(us,))", "Timestamp<MICROSECOND>"],
  // nodejs-polars calls every duration one of milliseconds, the unit stays.
  duration_us: ["(Duration(ms))", "Duration<MICROSECOND>"],
  timestamp_ns: ["(Datetime(ns,))", "Timestamp<NANOSECOND>"],
  duration_ns: ["(Duration(ms))", "Duration<NANOSECOND>"],
  null: ["(Null)", "Null"],
  fixed_list: ["(FixedSizeList((Float64),2))", "FixedSizeList[2]<Float64>"],
  fixed_list_nested: ["(FixedSizeList((FixedSizeList((Int64),2)),3))", "FixedSizeList[3]<FixedSizeList[2]<Int64>>"],
  fixed_list_half: ["(FixedSizeList((Float32),2))", "FixedSizeList[2]<Float32>"],
  complex: ['(Struct(Field("real", (Float32)),Field("imag", (Float32))))', "Struct<{real:Float32, imag:Float32}>"],
  list: ["(List((Int64)))", "LargeList<Int64>"],
  large_list: ["(List((Float32)))", "LargeList<Float32>"],
  list_struct: [
    '(List((Struct(Field("index", (Int32)),Field("value", (Float32))))))',
    "LargeList<Struct<{index:Int32, value:Float32}>>",
  ],
  dictionary_int8: ["(Categorical)", "Dictionary<Uint32, LargeUtf8>"],
  dictionary_int16: ["(Categorical)", "Dictionary<Uint32, LargeUtf8>"],
  dictionary_int32: ["(Categorical)", "Dictionary<Uint32, LargeUtf8>"],
  dictionary_uint8: ["(Categorical)", "Dictionary<Uint32, LargeUtf8>"],
  dictionary_uint16: ["(Categorical)", "Dictionary<Uint32, LargeUtf8>"],
  dictionary_uint32: ["(Categorical)", "Dictionary<Uint32, LargeUtf8>"],
  dictionary_ordered: ["(Categorical)", "Dictionary<Uint32, LargeUtf8>"],
  dictionary_of_int64: ["(Int64)", "Int64"],
  dictionary_of_float64: ["(Float64)", "Float64"],
  dictionary_of_float16: ["(Float32)", "Float32"],
  dictionary_of_bool: ["(Bool)", "Bool"],
  dictionary_of_timestamp_s: ["(Datetime(ms,))", "Timestamp<MILLISECOND>"],
  dictionary_of_duration_ns: ["(Duration(ms))", "Duration<NANOSECOND>"],
  list_dictionary: ["(List((Categorical)))", "LargeList<Dictionary<Uint32, LargeUtf8>>"],
};

describe.each([20, 3, 0])("every type, in batches of %d rows", (batchRows) => {
  const given = batchRows === 0 ? held.slice(0, 0) : held;
  const table = tableOf("types", given, batchRows === 0 ? {} : { batchRows });

  test("arrives", async () => {
    const frame = await toPolars(table, pl);
    const found = frame.columns.map((name, i) => [name, String(frame.dtypes[i]).replaceAll("DataType", "")]);
    expect(found.map(([name]) => name)).toEqual(Object.keys(expected));
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(expected).map(([name, [polars]]) => [name, polars])),
    );
    expect(frame.height).toBe(given.numRows);
  });

  test("comes back", async () => {
    const back = fromPolars(await toPolars(table, pl));
    expect(Object.fromEntries(back.schema.fields.map((field) => [field.name, text(field.type)]))).toEqual(
      Object.fromEntries(Object.entries(expected).map(([name, [, type]]) => [name, type])),
    );
    for (const name of Object.keys(expected)) {
      const scale = name === "duration_s" ? 1000n : 1n;
      const before = [...(given.getChild(name) ?? [])].map((value) => plain(value, scale));
      expect([name, ...[...(back.getChild(name) ?? [])].map((value) => plain(value))]).toEqual([name, ...before]);
    }
  });
});

/** Lists of one meaning, by whatever object, as arrays. */
function plain(value: unknown, scale = 1n): unknown {
  if (typeof value === "bigint") return value * scale;
  if (value === null || typeof value !== "object") return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return nested(value.toJSON());
  return value;
}

function nested(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => plain(one));
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
  return value;
}

test("values are in Polars what they are in Arrow", async () => {
  const frame = await toPolars(tableOf("types", held), pl);
  const records = frame.toRecords();
  expect(records[4]).toMatchObject({
    int64: -(2 ** 63), // a number: beyond 2 ** 53 it is rounded
    uint64: 0n,
    float16: Number.NEGATIVE_INFINITY,
    bool: true,
    utf8: " z",
    timestamp_s: new Date(5000),
    duration_s: 5000,
    fixed_list: [1, 2],
    fixed_list_half: [8, 9],
    complex: { real: 4, imag: 4 },
    list: [1, 2],
    list_struct: [{ index: 1, value: 2.5 }],
    dictionary_ordered: "a",
    dictionary_of_int64: 10,
    list_dictionary: ["a"],
  });
  expect(records[0]).toMatchObject({ int64: null, bool: null, utf8: null, timestamp_s: null, list: null });
  expect(records[2]).toMatchObject({ dictionary_int8: null, dictionary_of_bool: null, list_dictionary: [null] });
  const sums = frame
    .select(pl.col("int8").sum(), pl.col("complex").struct.field("imag").sum().alias("imag"))
    .toRecords();
  expect(sums).toEqual([{ int8: 121, imag: 190 }]);
});

describe("other types", () => {
  const entries = new Struct([new Field("key", new Utf8(), false), new Field("value", new Int32(), true)]);
  const map = new Map_(new Field("entries", entries, false));
  const berlin = new Timestamp(TimeUnit.SECOND, "Europe/Berlin");
  const decimal = new Decimal(2, 10, 128);
  const none = new FixedSizeList(0, new Field("item", new Float32()));
  const noFields = new Struct([]);

  test.each<readonly [string, Data, string, string, readonly unknown[]]>([
    ["dates", data(new DateDay(), Int32Array.of(0, 20000)), "Date", "Date32<DAY>", [0, 20000 * 86400000]],
    [
      "dates in milliseconds",
      data(new DateMillisecond(), BigInt64Array.of(0n, 1n)),
      "Datetime(ms,)",
      "Timestamp<MILLISECOND>",
      [0, 1],
    ],
    [
      "seconds of a day",
      data(new TimeSecond(), Int32Array.of(1, 2)),
      "Time",
      "Time64<NANOSECOND>",
      ["1000000000n", "2000000000n"],
    ],
    [
      "milliseconds of a day",
      data(new TimeMillisecond(), Int32Array.of(1, 2)),
      "Time",
      "Time64<NANOSECOND>",
      ["1000000n", "2000000n"],
    ],
    [
      "a time zone",
      data(berlin, BigInt64Array.of(1n, 2n)),
      "Datetime(ms,Europe/Berlin)",
      "Timestamp<MILLISECOND, Europe/Berlin>",
      [1000, 2000],
    ],
    ["decimals", data(decimal, Uint32Array.of(5, 0, 0, 0)), "Decimal(10,2)", "Decimal[10e+2]", ["5"]],
    ["nulls", makeData({ type: new Null(), length: 2 }), "Null", "Null", [null, null]],
    [
      "lists of the fixed size 0",
      new Data(none, 0, 2, 0, {}, [data(new Float32(), new Float32Array())]),
      "List(DataType(Float32))",
      "LargeList<Float32>",
      [[], []],
    ],
    [
      "structs without fields",
      makeData({ type: noFields, length: 2, nullCount: 0, children: [] }),
      "Struct()",
      "Struct<{}>",
      [{}, {}],
    ],
    [
      "maps",
      makeData({
        type: map,
        length: 1,
        nullCount: 0,
        valueOffsets: Int32Array.of(0, 1),
        child: makeData({
          type: entries,
          length: 1,
          nullCount: 0,
          children: [textData("k"), data(new Int32(), Int32Array.of(7))],
        }),
      }),
      'List(DataType(Struct(Field("key", DataType(String)),Field("value", DataType(Int32)))))',
      "LargeList<Struct<{key:LargeUtf8, value:Int32}>>",
      [[{ key: "k", value: 7 }]],
    ],
  ])("%s", async (_, column, polars, back, expected) => {
    const frame = await toPolars(columnOf(column), pl);
    expect(String(frame.dtypes[0])).toBe(`DataType(${polars})`);
    const found = fromPolars(frame);
    expect(text(found.schema.fields[0].type)).toBe(back);
    expect(values(found).map((value) => (value instanceof Uint32Array ? String(value[0]) : deep(value)))).toEqual(
      expected,
    );
  });

  test("a null struct stays one", async () => {
    const type = new Struct([new Field("a", new Int32(), true)]);
    const children = [data(new Int32(), Int32Array.of(1, 2))];
    const column = makeData({ type, length: 2, nullCount: 1, nullBitmap: Uint8Array.of(1), children });
    expect(deep(values(fromPolars(await toPolars(columnOf(column), pl))))).toEqual([{ a: 1 }, null]);
  });

  test("seconds that no count of milliseconds reaches are an error, under a null they are nothing", async () => {
    const far = 2n ** 63n / 1000n;
    for (const type of [new TimestampSecond(), new DurationSecond()]) {
      const column = data(type, BigInt64Array.of(1n, far + 1n));
      await expect(toPolars(tableOf("times", columnOf(column)), pl)).rejects.toThrow(
        `times: ${far + 1n} seconds, Polars counts milliseconds, at most ${far} seconds`,
      );
      const buffers = { [BufferType.DATA]: BigInt64Array.of(-1n, -far - 1n), [BufferType.VALIDITY]: Uint8Array.of(1) };
      const covered = new Data(type, 0, 2, 1, buffers);
      const frame = await toPolars(columnOf(covered), pl);
      expect(frame.nullCount().row(0)).toEqual([1]);
    }
  });
});

test("random columns come back as they were", async () => {
  const cell = fc.record({
    big: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    real: fc.option(fc.double()),
    word: fc.option(fc.string({ unit: "grapheme" })),
    coded: fc.option(fc.constantFrom("a", "b", "", "c")),
    yes: fc.option(fc.boolean()),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(cell, { minLength: 1, maxLength: 50 }),
      fc.integer({ min: 1, max: 60 }),
      async (rows, size) => {
        const table = new Table({
          big: vectorFromArray(
            rows.map((row) => row.big),
            new Int64(),
          ),
          real: vectorFromArray(
            rows.map((row) => row.real),
            new Float64(),
          ),
          word: vectorFromArray(
            rows.map((row) => row.word),
            new Utf8(),
          ),
          coded: vectorFromArray(
            rows.map((row) => row.coded),
            new Dictionary(new Utf8(), new Int32(), 3),
          ),
          yes: vectorFromArray(
            rows.map((row) => row.yes),
            new Bool(),
          ),
        });
        const back = fromPolars(await toPolars(tableOf("random", table, { batchRows: size }), pl));
        table.schema.fields.forEach((_, i) => {
          expect([...(back.getChildAt(i) ?? [])]).toEqual([...(table.getChildAt(i) ?? [])]);
        });
      },
    ),
    { numRuns: 50 },
  );
});
