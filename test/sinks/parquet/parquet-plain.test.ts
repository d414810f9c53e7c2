import {
  Binary,
  Bool,
  type Data,
  DateDay,
  DateMillisecond,
  Dictionary,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float16,
  Float32,
  Int8,
  Int32,
  Int64,
  LargeUtf8,
  List,
  makeData,
  makeVector,
  Null,
  RecordBatch,
  Schema,
  Struct,
  Table,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  tableFromIPC,
  Utf8,
} from "apache-arrow";
import fc from "fast-check";
import { readParquet } from "parquet-wasm";
import { describe, expect, test } from "vitest";
import { MAX_ENTRIES } from "../../../src/kernels/parquet/dictionary.js";
import type { DataTable } from "../../../src/model/dataset.js";
import type { Codec } from "../../../src/parquet/write/compression.js";
import { canEncodeSchema, parquetFile, toFlatTable } from "../../../src/sinks/parquet/parquet.js";
import { encodeFlatParquet } from "../../../src/sinks/parquet/plain-parquet.js";
import { bytesOf, tableOf } from "../dataset-of.js";

type Numbers =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

const PAGE = 2 ** 17;
const GROUP = 2 ** 20;

/** A table of required columns. */
function required(columns: Readonly<Record<string, Data | Numbers>>): Table {
  const data = Object.entries(columns).map(([name, column]) => {
    const values: Data = ArrayBuffer.isView(column) ? makeVector(column).data[0] : column;
    return { field: new Field(name, values.type, false, new Map([["of", name]])), values };
  });
  const schema = new Schema(data.map(({ field }) => field));
  const children = data.map(({ values }) => values);
  const { length } = children[0];
  return new Table(
    new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children })),
  );
}

const write = (table: Table, batchRows = Number.POSITIVE_INFINITY, compression: Codec = "zstd") =>
  own(tableOf("X", table, { batchRows }), compression);

/** `table` by our own encoder. */
async function own(table: DataTable, compression: Codec = "zstd"): Promise<Uint8Array> {
  const flat = toFlatTable(table, compression, {});
  if (flat === null) throw new Error("not a flat table");
  return bytesOf(encodeFlatParquet(flat.description, flat.batches));
}

const read = (bytes: Uint8Array): Table => tableFromIPC(readParquet(bytes).intoIPCStream());

/** The bytes of all values of a column, one batch after the other. */
function bits(table: Table, name: string): Uint8Array {
  const column = table.getChild(name);
  const parts = column?.data.map(({ values, length }) => {
    const own = values.subarray(0, length);
    return Buffer.from(own.buffer, own.byteOffset, own.byteLength);
  });
  return Buffer.concat(parts ?? []);
}

async function expectSame(table: Table, batchRows?: number, compression?: Codec) {
  const back = read(await write(table, batchRows, compression));
  expect(back.numRows).toBe(table.numRows);
  expect(back.schema.fields.map(String)).toEqual(table.schema.fields.map(String));
  for (const { name } of table.schema.fields) {
    // Not toEqual: it compares a few million numbers for minutes.
    expect(Buffer.compare(bits(back, name), bits(table, name)), name).toBe(0);
  }
}

const LENGTHS = [0, 1, 2, 31, 32, 33, 127, 128, 129, 130, 1000, PAGE - 1, PAGE, PAGE + 1, GROUP, GROUP + 1];

describe("coordinate tables come back bit by bit", () => {
  test.each(LENGTHS)("%i rows", async (length) => {
    const table = required({
      row: Int32Array.from({ length }, (_, i) => Math.floor(i / 7)),
      col: Int32Array.from({ length }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 17),
      value: Float32Array.from({ length }, (_, i) => i % 375),
    });
    await expectSame(table);
  });

  test.each(["zstd", "snappy", "gzip", "none"] as const)("with %s, in batches of any size", async (compression) => {
    const length = PAGE + 4321;
    const table = required({
      row: BigInt64Array.from({ length }, (_, i) => BigInt(i) * 3_000_000_000n),
      col: Int32Array.from({ length }, (_, i) => -i),
      value: Float64Array.from({ length }, (_, i) => (i % 5000) / 3),
    });
    for (const batchRows of [1000, PAGE - 1, PAGE + 1]) await expectSame(table, batchRows, compression);
  });

  test("bytes do not depend on the batches", async () => {
    const table = required({
      row: Int32Array.from({ length: 300_000 }, (_, i) => i >> 3),
      value: new Uint8Array(300_000).fill(3),
    });
    const whole = await write(table);
    expect(Buffer.compare(whole, await write(table, 1001))).toBe(0);
  });

  test("few distinct values take few bytes", async () => {
    const length = 100_000;
    const table = required({
      row: Int32Array.from({ length }, (_, i) => i >> 8),
      value: Float32Array.from({ length }, (_, i) => 1 + (i % 4)),
    });
    // Two bits of an index for a value, and next to nothing for a row.
    expect((await write(table, undefined, "none")).length).toBeLessThan(length / 4 + 10_000);
  });
});

describe("values of every kind", () => {
  const cycle = <T>(values: readonly T[], length = 1000) => Array.from({ length }, (_, i) => values[i % values.length]);
  const integers = [-(2 ** 31), 2 ** 31 - 1, 0, -1, 1, 200, 70_000];
  const wide = [-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n, 2n ** 32n, 2n ** 31n];
  const floats = [Number.NaN, -0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e-45, 3.5];
  const arrays: Record<string, Numbers> = {
    int8: Int8Array.from(cycle([-128, 127, 0])),
    uint8: Uint8Array.from(cycle([255, 128, 0])),
    int16: Int16Array.from(cycle([-32768, 32767, 5])),
    uint16: Uint16Array.from(cycle([65535, 32768, 5])),
    int32: Int32Array.from(cycle(integers)),
    uint32: Uint32Array.from(cycle(integers)),
    int64: BigInt64Array.from(cycle(wide)),
    uint64: BigUint64Array.from(cycle(wide)),
    float32: Float32Array.from(cycle(floats)),
    float64: Float64Array.from(cycle(floats)),
    nan: new Float32Array(1000).fill(Number.NaN),
    row: Int32Array.from(cycle([2 ** 31 - 1, -(2 ** 31)])),
    col: BigInt64Array.from(cycle([2n ** 63n - 1n, -(2n ** 63n), 5n])),
  };

  test.each(Object.keys(arrays))("%s", async (name) => {
    await expectSame(required({ [name]: arrays[name] }));
    await expectSame(required({ [name]: arrays[name] }), 77);
    await expectSame(required({ [name]: arrays[name].subarray(0, 3) }));
  });

  test.each([MAX_ENTRIES, MAX_ENTRIES + 1])("%i distinct values", async (distinct) => {
    const length = 2 * distinct + 100;
    await expectSame(
      required({
        float: Float32Array.from({ length }, (_, i) => (i % distinct) / 3),
        double: Float64Array.from({ length }, (_, i) => (i % distinct) / 3),
        integer: Int32Array.from({ length }, (_, i) => Math.imul(i % distinct, 0x9e3779b1)),
        bigint: BigUint64Array.from({ length }, (_, i) => BigInt(i % distinct) * 2n ** 45n),
      }),
    );
  });

  test("dates and times", async () => {
    const times = (type: TimestampMillisecond | TimestampMicrosecond | TimestampNanosecond) =>
      makeData({ type, length: 1000, nullCount: 0, data: BigInt64Array.from(cycle([0n, -1n, 10n ** 15n])) });
    await expectSame(
      required({
        day: makeData({
          type: new DateDay(),
          length: 1000,
          nullCount: 0,
          data: Int32Array.from(cycle([0, -1, 19_000])),
        }),
        ms: times(new TimestampMillisecond()),
        us: times(new TimestampMicrosecond()),
        ns: times(new TimestampNanosecond()),
        zone: times(new TimestampMicrosecond("Europe/Berlin")),
      }),
    );
  });

  test.each([1, 8, 1000, PAGE + 3])("%i booleans, in batches that begin inside a byte", async (length) => {
    const values = Array.from({ length }, (_, i) => (i * i) % 7 < 3);
    const bytes = new Uint8Array(Math.ceil((length + 3) / 8));
    values.forEach((value, i) => {
      if (value) bytes[(i + 3) >> 3] |= 1 << ((i + 3) & 7);
    });
    const table = required({ flag: makeData({ type: new Bool(), offset: 3, length, nullCount: 0, data: bytes }) });
    for (const batchRows of [length, 77]) {
      const back = read(await write(table, batchRows));
      expect(Array.from(back.getChild("flag") ?? [])).toEqual(values);
    }
  });

  test("random columns", async () => {
    const column = fc.oneof(
      fc.float32Array({ maxLength: 400 }),
      fc.float64Array({ maxLength: 400 }),
      fc.int32Array({ maxLength: 400 }),
      fc.uint16Array({ maxLength: 400 }),
      fc.bigInt64Array({ maxLength: 400 }),
      fc.bigUint64Array({ maxLength: 400, max: 3n }),
    );
    await fc.assert(
      fc.asyncProperty(
        column,
        fc.constantFrom("row", "value"),
        fc.integer({ min: 1, max: 500 }),
        (values, name, size) => expectSame(required({ [name]: values }), size),
      ),
      { numRuns: 60 },
    );
  });
});

/** What the format's description says of one column of the int32 values 1 and 2, written down byte by byte. */
test("the bytes of a small file", async () => {
  const file = await write(required({ row: Int32Array.of(1, 2) }), undefined, "none");
  const hex = Buffer.from(file).toString("hex");
  const body = "80010402" + "02" + "02" + "00000000";
  const page = `1500${"1514"}${"1514"}2c${"1504"}${"150a"}${"1506"}${"1506"}0000`;
  const schema = `192c${"4806736368656d61"}150200${"1502"}${"2500"}${"1803726f77"}00`;
  const statistics = "3c3600280402000000180401000000" + "00";
  const metadata = `1c${"1502"}${"1925060a"}${"191803726f77"}${"1500"}${"1604"}${"1636"}${"1636"}${"2608"}${statistics}00`;
  const group = `191c${"191c"}2600${metadata}00${"1636"}${"1604"}${"2608"}${"1636"}00`;
  expect(hex.startsWith(`50415231${page}${body}1504${schema}1604${group}19`)).toBe(true);
  expect(hex).toMatch(/1808616e6e6172726f77191c1c000000[0-9a-f]{8}50415231$/);
  const length = new DataView(file.buffer, file.byteOffset).getUint32(file.length - 8, true);
  expect(length).toBe(file.length - 8 - 4 - 17 - 10);
});

test("metadata of the schema and of the fields is kept", async () => {
  const back = read(await write(required({ row: Int32Array.of(1) })));
  expect(back.schema.metadata.get("annarrow")).toBe('{"kind":"dataframe"}');
  expect(back.schema.fields[0].metadata.get("of")).toBe("row");
});

describe("which tables", () => {
  test("flat ones of the usual types", () => {
    const takes = (type: ConstructorParameters<typeof Field>[1], nullable = false) =>
      canEncodeSchema(new Schema([new Field("a", new Int32(), false), new Field("b", type, nullable)]));
    const flat = [
      ...[new Int64(), new Float16(), new Float32(), new Bool(), new Null(), new Utf8(), new Binary()],
      ...[new DateDay(), new TimestampSecond(), new TimestampNanosecond(), new TimestampMicrosecond("Europe/Berlin")],
      ...[new Dictionary(new Utf8(), new Int8()), new Dictionary(new Bool(), new Int8()), new FixedSizeBinary(3)],
    ];
    for (const type of flat) expect([takes(type), takes(type, true)], String(type)).toEqual([true, true]);
    const item = new Field("item", new Int32());
    const others = [
      new List(item),
      new FixedSizeList(2, item),
      new Struct([item]),
      new LargeUtf8(),
      new DateMillisecond(),
    ];
    for (const type of others) expect(takes(type), String(type)).toBe(false);
    expect(canEncodeSchema(new Schema([]))).toBe(false);
  });

  test("parquetFile takes them by itself, with compressions that both know", async () => {
    const value = Float32Array.from({ length: 1000 }, (_, i) => i % 7);
    const table = tableOf("X", required({ value }));
    for (const compression of ["zstd", "snappy", "gzip", "none"] as const) {
      const bytes = await bytesOf(parquetFile(table, { compression }));
      expect(Buffer.compare(bytes, await own(table, compression)), compression).toBe(0);
    }
    const lz4 = await bytesOf(parquetFile(table, { compression: "lz4" }));
    expect(Buffer.compare(lz4, await own(table))).not.toBe(0);
    expect(read(lz4).getChild("value")?.toArray()).toEqual(value);
  });

  test("a null where the field allows none is an error", async () => {
    const data = makeData({
      type: new Int32(),
      length: 8,
      nullCount: 1,
      nullBitmap: Uint8Array.of(0xfe),
      data: new Int32Array(8),
    });
    await expect(bytesOf(parquetFile(tableOf("X", required({ row: data }))))).rejects.toThrow(
      "X: the column row has 1 nulls, its field allows none",
    );
  });

  test("too few values are an error", async () => {
    const data = makeData({ type: new Int32(), length: 8, nullCount: 0, data: new Int32Array(7) });
    await expect(write(required({ row: data }))).rejects.toThrow(
      "should have 8 values of 4 bytes, there are 7 of 4 bytes",
    );
  });
});
