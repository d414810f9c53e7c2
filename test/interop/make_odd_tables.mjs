/**
 * Writes odd tables as NAME.parquet, by our own encoder, and as NAME.arrow:
 *
 *     node test/interop/make_odd_tables.mjs OUT/
 *
 * test_readers.py reads both with other libraries and compares.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as arrow from "apache-arrow";
import { ipcFile, parquetFile } from "../../dist/node.js";

const PAGE = 2 ** 17;
const GROUP = 2 ** 20;
const out = process.argv[2];
mkdirSync(out, { recursive: true });

/** A column of `values`, null where missing; `build` turns what is there into the array of the type. */
function column(type, values, nullable = values.some((value) => value === null)) {
  const length = values.length;
  const bitmap = new Uint8Array((length + 7) >> 3);
  let nullCount = 0;
  values.forEach((value, i) => {
    if (value === null) nullCount++;
    else bitmap[i >> 3] |= 1 << (i & 7);
  });
  const validity = nullCount === 0 ? {} : { nullBitmap: bitmap };
  return { nullable, data: arrow.makeData({ type, length, nullCount, ...validity, ...buffers(type, values) }) };
}

function buffers(type, values) {
  if (arrow.DataType.isNull(type)) return {};
  if (arrow.DataType.isBool(type)) {
    const data = new Uint8Array((values.length + 7) >> 3);
    values.forEach((value, i) => {
      if (value) data[i >> 3] |= 1 << (i & 7);
    });
    return { data };
  }
  if (arrow.DataType.isUtf8(type) || arrow.DataType.isBinary(type)) {
    // What is missing has bytes too, which must not come back.
    const parts = values.map((value) => Buffer.from(value ?? "gone"));
    const valueOffsets = new Int32Array(values.length + 1);
    parts.forEach((part, i) => {
      valueOffsets[i + 1] = valueOffsets[i] + part.length;
    });
    return { valueOffsets, data: new Uint8Array(Buffer.concat(parts)) };
  }
  if (arrow.DataType.isFixedSizeBinary(type)) {
    const data = new Uint8Array(values.length * type.byteWidth);
    values.forEach((value, i) => {
      data.set(value ?? [], i * type.byteWidth);
    });
    return { data };
  }
  const wide = type.ArrayType === BigInt64Array || type.ArrayType === BigUint64Array;
  return { data: type.ArrayType.from(values, (value) => value ?? (wide ? 77n : 77)) };
}

/** A dictionary column of `codes`, null where missing. */
function coded(valueType, categories, codes, { index = new arrow.Int8(), ordered = false } = {}) {
  const dictionary = new arrow.Vector([column(valueType, categories).data]);
  const type = new arrow.Dictionary(valueType, index, null, ordered);
  const { data, nullable } = column(index, codes);
  const { length, nullCount, nullBitmap, values } = data;
  const validity = nullCount === 0 ? {} : { nullBitmap };
  return { nullable, data: arrow.makeData({ type, length, nullCount, ...validity, data: values, dictionary }) };
}

const times = (length, value) => Array.from({ length }, (_, i) => value(i));
const cycle = (values, length) => times(length, (i) => values[i % values.length]);
const holes = (values, step = 3) => values.map((value, i) => (i % step === 0 ? null : value));
const noise = (i) => Math.imul(i, 0x9e3779b1) >>> 0;

function table(columns, rows) {
  const fields = Object.entries(columns).map(
    ([name, { nullable, data }]) => new arrow.Field(name, data.type, nullable, new Map([["of", name]])),
  );
  const children = Object.values(columns).map(({ data }) => data);
  const length = rows ?? children[0].length;
  const data = arrow.makeData({ type: new arrow.Struct(fields), length, nullCount: 0, children });
  const schema = new arrow.Schema(fields, new Map([["made", "by hand"]]));
  return new arrow.Table(schema, [new arrow.RecordBatch(schema, data)]);
}

async function write(name, { schema, batches }, { compression = "zstd", batchRows = Number.POSITIVE_INFINITY } = {}) {
  const source = {
    name,
    schema,
    rows: null,
    async *batches() {
      for (const batch of batches) {
        for (let at = 0; at === 0 || at < batch.numRows; at += batchRows) yield batch.slice(at, at + batchRows);
      }
    },
  };
  const save = async (extension, chunks) => {
    const all = [];
    for await (const chunk of chunks) all.push(Buffer.from(chunk));
    writeFileSync(join(out, name + extension), Buffer.concat(all));
  };
  await save(".parquet", parquetFile(source, { compression }));
  await save(".arrow", ipcFile(source));
}

const utf8 = new arrow.Utf8();
const texts = ["", "a", "ü€😀", "\u0000", "a\u0000", "long".repeat(50), "z"];
const integers = {
  int8: [new arrow.Int8(), [-128, 127, 0, -1]],
  uint8: [new arrow.Uint8(), [255, 128, 0]],
  int16: [new arrow.Int16(), [-32768, 32767, 5]],
  uint16: [new arrow.Uint16(), [65535, 32768, 5]],
  int32: [new arrow.Int32(), [-(2 ** 31), 2 ** 31 - 1, 0, -1]],
  uint32: [new arrow.Uint32(), [2 ** 32 - 1, 2 ** 31, 0]],
  int64: [new arrow.Int64(), [-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n]],
  uint64: [new arrow.Uint64(), [2n ** 64n - 1n, 2n ** 63n, 0n]],
};
const floats = [Number.NaN, -0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e-45, 3.5];

/** A column of every type that readers have in common. */
function everything(length, missing) {
  const some = (values) => missing(cycle(values, length));
  const columns = {};
  for (const [name, [type, values]] of Object.entries(integers)) columns[name] = column(type, some(values));
  columns.float32 = column(new arrow.Float32(), some(floats));
  columns.float64 = column(new arrow.Float64(), some(floats));
  columns.bool = column(new arrow.Bool(), some([true, false, false]));
  columns.utf8 = column(utf8, some(texts));
  columns.unique = column(utf8, missing(times(length, (i) => `cell-${noise(i)}`)));
  columns.binary = column(new arrow.Binary(), some([Buffer.of(0, 255), Buffer.of(), Buffer.of(128)]));
  columns.ms = column(new arrow.TimestampMillisecond(), some([0n, -1n, 10n ** 12n]));
  columns.us = column(new arrow.TimestampMicrosecond(), some([0n, -1n, 10n ** 15n]));
  columns.ns = column(new arrow.TimestampNanosecond(), some([0n, -1n, 10n ** 18n]));
  columns.categorical = coded(utf8, ["z", "a", "unused", "", "ü"], some([3, 0, 1, 4]));
  columns.ordered = coded(utf8, ["low", "unused", "high"], some([2, 0]), { index: new arrow.Int16(), ordered: true });
  columns.category_of_int = coded(new arrow.Int64(), [30n, 10n, 20n], some([2, 0]));
  columns.category_of_float = coded(new arrow.Float64(), [0.5, Number.NaN, -1], some([2, 0, 1]));
  columns.category_of_bool = coded(new arrow.Bool(), [true, false], some([1, 0, 1]));
  return columns;
}

const all = (values) => values;
const none = (values) => values.map(() => null);

for (const length of [1, 2, 7, 8, 9, 31, 32, 33, 127, 128, 129, 130, 1000]) {
  await write(`required-${length}`, table(everything(length, all)));
  await write(`nulls-${length}`, table(everything(length, holes)), { batchRows: 7 });
  await write(`all-null-${length}`, table(everything(length, none)), { compression: "none" });
}
await write("empty", table(everything(0, all)));
for (const compression of ["none", "gzip", "snappy", "zstd"]) {
  await write(`compressed-${compression}`, table(everything(5000, holes)), { compression });
}

const lengths = { rows: PAGE + 1, "rows-two-groups": GROUP + 3 };
for (const [name, length] of Object.entries(lengths)) {
  const missing = (values) => values.map((value, i) => (i % 1000 < 300 || i % 7 === 0 ? null : value));
  await write(
    name,
    table({
      row: column(
        new arrow.Int32(),
        times(length, (i) => Math.floor(i / 7)),
      ),
      value: column(
        new arrow.Float32(),
        times(length, (i) => noise(i) % 375),
      ),
      dense: column(new arrow.Float64(), missing(times(length, (i) => noise(i) / 7))),
      integer: column(new arrow.Int32(), missing(times(length, (i) => noise(i) | 0))),
      flag: column(new arrow.Bool(), missing(times(length, (i) => (noise(i) & 4) === 0))),
      unique: column(
        utf8,
        times(length, (i) => `AAAC${noise(i).toString(4)}-1`),
      ),
      repeated: column(utf8, missing(times(length, (i) => `sample ${noise(i) % 500}`))),
      categorical: coded(
        utf8,
        times(300, (i) => `type ${i}`),
        missing(times(length, (i) => noise(i) % 280)),
        {
          index: new arrow.Int16(),
        },
      ),
    }),
    { batchRows: 100_001 },
  );
}

const widths = {};
for (let width = 0; width <= 32; width++) {
  widths[`bits_${width}`] = column(
    new arrow.Uint32(),
    times(700, (i) => (width === 0 ? 5 : noise(i + 1) >>> (32 - width))),
  );
}
for (const width of [33, 40, 63, 64]) {
  const value = (i) => ((BigInt(noise(i)) << 32n) | BigInt(noise(i + 1000))) >> BigInt(64 - width);
  widths[`bits_${width}`] = column(new arrow.Uint64(), times(700, value));
}
await write("widths", table(widths));

const longest = "x".repeat(300_000);
await write(
  "texts",
  table({
    long: column(
      utf8,
      times(30, (i) => longest.slice(i) + i),
    ),
    long_missing: column(utf8, holes(times(30, (i) => longest.slice(i) + i))),
    one_value: column(
      utf8,
      times(30, () => "same"),
    ),
    empty: column(
      utf8,
      times(30, () => ""),
    ),
    only_empty_or_missing: column(utf8, holes(times(30, () => ""))),
    order: column(
      utf8,
      times(30, (i) => String.fromCodePoint(0xfff0 + i)),
    ),
  }),
);
await write(
  "many-categories",
  table({
    wide: coded(
      utf8,
      times(70_000, (i) => `category ${i}`),
      times(1000, (i) => (i * 70) % 70_000),
      {
        index: new arrow.Int32(),
      },
    ),
    one: coded(
      utf8,
      ["only"],
      times(1000, () => 0),
    ),
    empty: coded(
      utf8,
      [],
      times(1000, () => null),
    ),
    missing_category: coded(
      utf8,
      ["a", null, "b"],
      times(1000, (i) => (i === 1 ? null : i % 3)),
    ),
  }),
);
