import { readFileSync } from "node:fs";
import { Data, Dictionary, Int8, Table, tableFromIPC, Utf8, Vector, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { readParquet } from "parquet-wasm";
import { describe, expect, test } from "vitest";
import { toRecordBatch, toSchema } from "../../../src/arrow/apache/apache.js";
import type { Column, ColumnBatch, DictionaryColumn, PrimitiveColumn } from "../../../src/arrow/column.js";
import { createTextColumn } from "../../../src/arrow/text.js";
import { type ArrowField, type ArrowType, createField, INT32, NULL, UTF8 } from "../../../src/arrow/type.js";
import { computeValidity, isBitSet } from "../../../src/kernels/values/bitmap.js";
import { ParquetFile } from "../../../src/parquet/write/file.js";
import { describeFile } from "../../../src/parquet/write/file-description.js";
import { findParquetColumns } from "../../../src/parquet/write/parquet-column.js";
import { createRowGroupEncoder } from "../../../src/parquet/write/row-group.js";
import { canEncodeSchema, parquetFile } from "../../../src/sinks/parquet/parquet.js";
import { encodeFlatParquet } from "../../../src/sinks/parquet/plain-parquet.js";
import { plainColumn, throughIpc } from "../../arrow/plain.js";
import { bytesOf, tableOf } from "../dataset-of.js";

const PAGE = 2 ** 17;
const GROUP = 2 ** 20;

type Columns = Readonly<Record<string, Column>>;

const read = (bytes: Uint8Array): Table => tableFromIPC(readParquet(bytes).intoIPCStream());
const fieldsOf = (columns: Columns, nullable: boolean): ArrowField[] =>
  Object.entries(columns).map(([name, column]) => createField(name, column.type, nullable));

/** The file of batches that follow each other. */
function write(batches: readonly Columns[], nullable = true, compression: "zstd" | "none" = "zstd") {
  async function* given(): AsyncGenerator<ColumnBatch> {
    for (const batch of batches) {
      const columns = Object.values(batch);
      yield { length: columns[0].length, columns };
    }
  }
  return bytesOf(encodeFlatParquet(describeFile(fieldsOf(batches[0], nullable), new Map(), compression), given()));
}

function viaArrow(columns: Columns, nullable: boolean): Table {
  const all = Object.values(columns);
  return throughIpc([toRecordBatch(toSchema(fieldsOf(columns, nullable), new Map()), all, all[0].length)]);
}

/** Compares values and types with those that Arrow's own format gives back. */
async function expectSame(columns: Columns, nullable = true, compression: "zstd" | "none" = "zstd") {
  const back = read(await write([columns], nullable, compression));
  const right = viaArrow(columns, nullable);
  expect(back.numRows).toBe(right.numRows);
  expect(back.schema.fields.map(String)).toEqual(right.schema.fields.map(String));
  for (const [i, { name }] of right.schema.fields.entries()) {
    const [found, expected] = [plainColumn(back, i), plainColumn(right, i)];
    const wrong = expected.findIndex((value, row) => !Object.is(value, found[row]));
    expect(wrong, `${name}, row ${wrong}: ${String(found[wrong])} for ${String(expected[wrong])}`).toBe(-1);
  }
}

const times = <T>(length: number, value: (i: number) => T) => Array.from({ length }, (_, i) => value(i));
const noise = (i: number) => Math.imul(i, 0x9e3779b1) >>> 0;
const missing = (length: number, isThere: (i: number) => boolean) => computeValidity(length, isThere);

function numbers(type: PrimitiveColumn["type"], all: PrimitiveColumn["values"], isThere = (_: number) => true): Column {
  const { length } = all;
  return { layout: "primitive", type, length, validity: missing(length, isThere), values: all };
}

const float = (bits: 16 | 32 | 64) => ({ id: "Float", bits }) as const;

function coded(dictionary: Column, codes: readonly (number | null)[], bits: 8 | 16 | 32 = 32): DictionaryColumn {
  const index = { ...INT32, bits };
  const stored = codes.map((code) => code ?? -1);
  return {
    layout: "dictionary",
    type: { id: "Dictionary", index, value: dictionary.type, ordered: false },
    length: codes.length,
    validity: missing(codes.length, (i) => codes[i] !== null),
    indices: bits === 8 ? Int8Array.from(stored) : bits === 16 ? Int16Array.from(stored) : Int32Array.from(stored),
    dictionary,
  };
}

/** The categories of a column of `back`. */
const categories = (back: Table, name: string) => back.getChild(name)?.data[0]?.dictionary?.toArray();

const types = tableFromIPC(readFileSync("test/fixtures/data/sinks/types.arrow"));

describe("every flat type comes back", () => {
  const flat = types.schema.fields.filter((one) => canEncodeSchema(types.select([one.name]).schema));
  const table = types.select(flat.map(({ name }) => name));

  test("all but nested and large ones are flat", () => {
    const others = types.schema.fields.filter((one) => !flat.includes(one)).map(({ name }) => name);
    expect(others).toEqual([
      ...["large_utf8", "fixed_list", "fixed_list_nested", "fixed_list_half", "complex", "list", "large_list"],
      ...["list_struct", "list_dictionary"],
    ]);
    expect(canEncodeSchema(table.schema)).toBe(true);
  });

  test.each([20, 3])("in batches of %i rows", async (batchRows) => {
    const back = read(await bytesOf(parquetFile(tableOf("types", table, { batchRows }))));
    for (const [i, { name }] of table.schema.fields.entries()) {
      if (name.endsWith("timestamp_s")) continue;
      expect(plainColumn(back, i), name).toEqual(plainColumn(table, i));
    }
    for (const name of ["timestamp_s", "dictionary_of_timestamp_s"]) {
      const at = table.schema.fields.findIndex((one) => one.name === name);
      const milliseconds = plainColumn(table, at).map((value) => (typeof value === "bigint" ? value * 1000n : value));
      expect(plainColumn(back, at), name).toEqual(milliseconds);
    }
  });

  test("types that Parquet has not are written in another form", async () => {
    const back = read(await bytesOf(parquetFile(tableOf("types", table))));
    const changed = table.schema.fields.flatMap((one, i) => {
      const now = String(back.schema.fields[i].type);
      return now === String(one.type) ? [] : [`${one.name}: ${now}`];
    });
    expect(changed).toEqual([
      "timestamp_s: Timestamp<MILLISECOND>",
      "dictionary_of_float16: Float16",
      "dictionary_of_bool: Bool",
      "dictionary_of_timestamp_s: Dictionary<Int8, Timestamp<MILLISECOND>>",
      "dictionary_of_duration_ns: Duration<NANOSECOND>",
    ]);
    expect(back.schema.fields.map(({ nullable }) => nullable)).toEqual(table.schema.fields.map((one) => one.nullable));
  });
});

describe("lengths around those of groups and pages", () => {
  const texts = ["", "a", "ü€😀", "\0", "long".repeat(50)];

  const columnsOf = (length: number, isThere: (i: number) => boolean): Columns => ({
    text: createTextColumn(times(length, (i) => (isThere(i) ? texts[i % 5] : null))),
    unique: createTextColumn(times(length, (i) => (isThere(i) ? `cell ${noise(i)}` : null))),
    small: numbers({ id: "Int", bits: 8, signed: false }, Uint8Array.from(times(length, (i) => i)), isThere),
    wide: numbers({ id: "Int", bits: 64, signed: true }, BigInt64Array.from(times(length, BigInt)), isThere),
    float: numbers(float(64), Float64Array.from(times(length, (i) => [Number.NaN, -0, 0, 1.5][i % 4])), isThere),
    half: numbers(float(16), Uint16Array.from(times(length, (i) => [0x7e01, 0x8000, 0x3c00][i % 3])), isThere),
    flag: {
      ...numbers({ id: "Bool" }, Uint8Array.from(times((length + 7) >> 3, noise))),
      length,
      validity: missing(length, isThere),
    },
    kind: coded(
      createTextColumn(["z", "a", "unused"]),
      times(length, (i) => (isThere(i) ? i % 2 : null)),
      8,
    ),
  });

  test.each([1, 2, 7, 8, 9, 31, 32, 33, 127, 128, 129, 130, 1000])("%i rows", async (length) => {
    await expectSame(columnsOf(length, () => true));
    await expectSame(
      columnsOf(length, () => true),
      false,
    );
    await expectSame(columnsOf(length, (i) => i % 3 !== 0));
    await expectSame(columnsOf(length, () => false));
  });

  test.each([PAGE - 1, PAGE, PAGE + 1])("%i rows", async (length) => {
    const { text, unique, kind } = columnsOf(length, (i) => i % 1000 > 300);
    await expectSame({ text, unique, kind });
  });

  test("two row groups", async () => {
    const length = GROUP + 5;
    const isThere = (i: number) => i % 1000 > 300;
    const value = numbers(
      float(64),
      Float64Array.from({ length }, (_, i) => noise(i) / 3),
      isThere,
    );
    const kind = coded(
      createTextColumn(times(300, (i) => `type ${i}`)),
      times(length, (i) => (i % 7 ? noise(i) % 280 : null)),
      16,
    );
    const back = read(await write([{ value, kind }]));
    expect(back.numRows).toBe(length);
    let row = 0;
    let wrong = 0;
    for (const { data } of back.batches) {
      const [numbersThere, codesThere] = data.children.map(
        ({ nullBitmap, nullCount, offset }) =>
          (at: number) =>
            nullCount === 0 || (nullBitmap !== null && nullBitmap !== undefined && isBitSet(nullBitmap, offset + at)),
      );
      const [doubles, codes] = data.children.map(({ values: found }) => found);
      const texts = data.children[1].dictionary?.toArray();
      for (let i = 0; i < data.length; i++, row++) {
        if (numbersThere(i) !== isThere(row) || (isThere(row) && doubles[i] !== noise(row) / 3)) wrong++;
        const code = row % 7 ? noise(row) % 280 : null;
        if (codesThere(i) !== (code !== null) || (code !== null && texts[codes[i]] !== `type ${code}`)) wrong++;
      }
    }
    expect([row, wrong]).toEqual([length, 0]);
  });
});

describe("dictionaries", () => {
  test("keep every category in order, in every row group", async () => {
    const dictionary = createTextColumn(["z", "unused", "a", ""]);
    const columns = { kind: coded(dictionary, [2, 0, null, 3], 8) };
    expect(categories(read(await write([columns])), "kind")).toEqual(["z", "unused", "a", ""]);
    await expectSame(columns);
  });

  test("of numbers", async () => {
    const values = numbers(float(64), Float64Array.of(0.5, -0, Number.NaN, 9));
    const ints = numbers({ id: "Int", bits: 16, signed: true }, Int16Array.of(-5, 7));
    const columns = { float: coded(values, [2, 0, null, 1]), int: coded(ints, [1, 0, null, 1]) };
    await expectSame(columns);
  });

  test("without a category, of one, and of more than 16 bits count", async () => {
    await expectSame({
      none: coded(
        createTextColumn([]),
        times(40, () => null),
      ),
      one: coded(
        createTextColumn(["only"]),
        times(40, () => 0),
      ),
      many: coded(
        createTextColumn(times(70_000, (i) => `category ${i}`)),
        times(40, (i) => 1700 * i),
      ),
    });
  });

  test("a category that is null is a null of the rows", async () => {
    const back = read(await write([{ kind: coded(createTextColumn(["a", null, "b"]), [0, 1, 2, null]) }]));
    expect(plainColumn(back, 0)).toEqual(["a", null, "b", null]);
  });

  test("that differ from batch to batch begin row groups of their own", async () => {
    const batches = [
      ["a", "b"],
      ["a", "b"],
      ["b", "c"],
    ].map((texts) => ({ kind: coded(createTextColumn(texts), [1, 0]) }));
    const bytes = await write(batches);
    expect(plainColumn(read(bytes), 0)).toEqual(["b", "a", "b", "a", "c", "b"]);
  });

  test("in several pieces are joined", async () => {
    const type = new Dictionary(new Utf8(), new Int8());
    const vector = vectorFromArray(["x", "y", "x"], type);
    const [data] = vector.data;
    const pieces = new Vector([vectorFromArray(["x"], new Utf8()).data[0], vectorFromArray(["y"], new Utf8()).data[0]]);
    const table = tableOf("t", new Table({ kind: new Vector([new Data(type, 0, 3, 0, data.buffers, [], pieces)]) }));
    expect(plainColumn(read(await bytesOf(parquetFile(table))), 0)).toEqual(["x", "y", "x"]);
  });

  test.each([2, -1])("the index %i of two categories is an error", async (index) => {
    const columns = { kind: coded(createTextColumn(["a", "b"]), [0, index]) };
    await expect(write([columns])).rejects.toThrow(`the column kind points at value ${index} of 2`);
  });
});

describe("texts", () => {
  test("what is missing has no bytes in the file", async () => {
    const bytes = Buffer.from("here-secret-there");
    const column: Column = {
      layout: "variable",
      type: { id: "Utf8" },
      length: 3,
      validity: missing(3, (i) => i !== 1),
      offsets: Int32Array.of(0, 5, 12, 17),
      bytes: new Uint8Array(bytes),
    };
    const file = await write([{ text: column }], true, "none");
    expect(plainColumn(read(file), 0)).toEqual(["here-", null, "there"]);
    expect(Buffer.from(file).includes("secret")).toBe(false);
  });

  test("longer than a page, and pages of at most 1 MiB", async () => {
    const long = "x".repeat(300_000);
    const all = times(40, (i) => (i === 17 ? long.repeat(5) : long.slice(i) + i));
    await expectSame({
      text: createTextColumn(all),
      holes: createTextColumn(all.map((one, i) => (i % 4 === 0 ? null : one))),
      empty: createTextColumn(all.map(() => "")),
    });
  });

  test("bytes do not depend on the batches", async () => {
    const all = times(5000, (i) => (i % 11 === 0 ? null : `${noise(i)} ${"y".repeat(i % 700)}`));
    const whole = await write([{ text: createTextColumn(all) }], true, "none");
    const pieces = [0, 1, 800, 4097].map((from, i, starts) => ({
      text: createTextColumn(all.slice(from, starts[i + 1])),
    }));
    expect(Buffer.compare(await write(pieces, true, "none"), whole)).toBe(0);
  });
});

test("random columns of all kinds", async () => {
  const text = fc.option(fc.string({ maxLength: 12, unit: "grapheme" }));
  const rows = fc.array(fc.tuple(text, fc.option(fc.double()), fc.option(fc.nat(3)), fc.option(fc.boolean())), {
    minLength: 1,
    maxLength: 300,
  });
  await fc.assert(
    fc.asyncProperty(rows, fc.constantFrom("zstd", "none"), (given, compression) => {
      const { length } = given;
      const doubles = Float64Array.from(given, ([, value]) => value ?? 5);
      const bits = new Uint8Array((length + 7) >> 3);
      given.forEach(([, , , flag], i) => {
        if (flag !== false) bits[i >> 3] |= 1 << (i & 7);
      });
      const flags = numbers({ id: "Bool" }, bits);
      return expectSame(
        {
          text: createTextColumn(given.map(([value]) => value)),
          double: numbers(float(64), doubles, (i) => given[i][1] !== null),
          code: coded(
            createTextColumn(["d", "c", "b", "a"]),
            given.map(([, , code]) => code),
            8,
          ),
          flag: { ...flags, length, validity: missing(length, (i) => given[i][3] !== null) },
        },
        true,
        compression,
      );
    }),
    { numRuns: 60 },
  );
});

describe("row groups", () => {
  test("encoded elsewhere give the same file", async () => {
    const columns = { a: numbers(INT32, Int32Array.of(5, 6, 7)), b: createTextColumn(["x", null, "z"]) };
    const fields = fieldsOf(columns, true);
    const description = describeFile(fields, new Map(), "zstd");
    const encoder = await createRowGroupEncoder(description.columns, "zstd");
    const group = await encoder.encode([{ columns: Object.values(columns), from: 0, to: 3 }]);
    const sent = structuredClone(group, { transfer: [group.bytes.buffer] });
    const file = new ParquetFile(description);
    const bytes = Buffer.concat([...file.start(), file.add(sent), ...file.end()]);
    expect(Buffer.compare(bytes, await write([columns]))).toBe(0);
  });

  test("a table without rows has none, and keeps its columns", async () => {
    const columns = {
      a: numbers(INT32, new Int32Array(0)),
      b: coded(createTextColumn(["x"]), []),
      c: createTextColumn([]),
    };
    const back = read(await write([columns]));
    expect(back.numRows).toBe(0);
    expect(back.schema.fields.map(String)).toEqual(viaArrow(columns, true).schema.fields.map(String));
  });

  test("which fields", () => {
    const takes = (type: ArrowType) => findParquetColumns([createField("a", INT32), createField("b", type)]) !== null;
    const int8 = { ...INT32, bits: 8 } as const;
    expect(
      [UTF8, NULL, float(16), { id: "Dictionary", index: int8, value: UTF8, ordered: true } as const].every(takes),
    ).toBe(true);
    expect(takes({ id: "List", item: createField("item", INT32) })).toBe(false);
    expect(takes({ id: "Dictionary", index: int8, value: NULL, ordered: false })).toBe(false);
    expect(findParquetColumns([])).toBeNull();
  });

  test("columns that are not what their fields say are errors", async () => {
    const fields = [createField("a", INT32)];
    const encoder = await createRowGroupEncoder(describeFile(fields, new Map(), "none").columns, "none");
    const encode = (column: Column) => encoder.encode([{ columns: [column], from: 0, to: 2 }]);
    await expect(encode(createTextColumn(["a", "b"]))).rejects.toThrow("the column a is given as variable Utf8");
    await expect(encode(numbers(INT32, Int16Array.of(1, 2)))).rejects.toThrow("values of 4 bytes, not of 2");
    await expect(encode(numbers(INT32, Int32Array.of(1)))).rejects.toThrow("the column a");
  });
});
