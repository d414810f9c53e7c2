import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  Data,
  DateMillisecond,
  Decimal,
  DenseUnion,
  Dictionary,
  Field,
  FixedSizeList,
  Int32,
  Int64,
  IntervalYearMonth,
  List,
  makeData,
  makeVector,
  RecordBatch,
  RecordBatchReader,
  Schema,
  Struct,
  Table,
  TimeSecond,
  tableFromIPC,
  Utf8,
  Utf8View,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import { describe, expect, test } from "vitest";
import { openStored } from "../../src/api/open.node.js";
import { toCategoricalCodes, UnifiedDictionary } from "../../src/arrow/categorical.js";
import type { ColumnBatch } from "../../src/arrow/column.js";
import { encodeJsonValue } from "../../src/arrow/json.js";
import { INT32 } from "../../src/arrow/type.js";
import { InvalidInputError, UnsupportedError } from "../../src/model/errors.js";
import type { ColumnTable } from "../../src/tables/column-table.js";
import { type ColumnTableInput, convertInputToColumns } from "../../src/tables/given/arrow-column-table.js";
import { toDataTable, toStoredColumnTable } from "../../src/tables/given/table-forms.js";
import { StoredTable } from "../../src/tables/stored-table.js";

const folder = "test/fixtures/data/columns";
const nested = readFileSync(`${folder}/nested.arrow`);
const VALUES: Record<string, Record<string, unknown[]> & unknown[]> = JSON.parse(
  readFileSync(`${folder}/values.json`, "utf8"),
);

/** The values of each column, by its name. */
async function valuesOf(table: ColumnTable): Promise<Record<string, unknown[]>> {
  const out: Record<string, unknown[]> = Object.fromEntries(table.fields.map(({ name }) => [name, []]));
  for await (const { length, columns } of table.batches()) {
    for (const [i, column] of columns.entries()) {
      expect(column.length).toBe(length);
      for (let row = 0; row < length; row++) out[table.fields[i].name].push(JSON.parse(encodeJsonValue(column, row)));
    }
  }
  return out;
}

const part = (values: Record<string, unknown[]>, from: number, to: number) =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.slice(from, to)]));

describe("a file of pyarrow with columns of every nested, large and viewed type", () => {
  test("from its bytes", async () => {
    const table = await convertInputToColumns(nested, { name: "obs" });
    expect([table.name, table.rows, table.metadata, table.layouts]).toEqual(["obs", 23, null, []]);
    expect(await valuesOf(table)).toEqual(VALUES.nested);
    // Bytes can be read again.
    expect(await valuesOf(table)).toEqual(VALUES.nested);
  });

  test("whichever rows of it, cut once or twice", async () => {
    const table = tableFromIPC(nested);
    const rows = new Table(table.batches);
    for (let from = 0; from < 23; from += 3) {
      for (let to = from; to <= 23; to += 2) {
        expect(await valuesOf(await convertInputToColumns(rows.slice(from, to)))).toEqual(
          part(VALUES.nested, from, to),
        );
      }
    }
    for (const [from, to, inner, end] of [
      [1, 9, 1, 7],
      [11, 23, 3, 9],
      [13, 22, 0, 8],
    ]) {
      const cut = await convertInputToColumns(rows.slice(from, to).slice(inner, end));
      expect(await valuesOf(cut)).toEqual(part(VALUES.nested, from + inner, from + end));
    }
  });

  test("as another copy of apache-arrow gives it", async () => {
    const other: typeof import("apache-arrow") = createRequire(import.meta.url)("apache-arrow");
    const table = other.tableFromIPC(nested);
    expect(other.Table).not.toBe(Table);
    expect(await valuesOf(await convertInputToColumns(table))).toEqual(VALUES.nested);
    expect(await valuesOf(await convertInputToColumns(table.slice(5, 17)))).toEqual(part(VALUES.nested, 5, 17));
  });

  test.each<[string, () => ColumnTableInput]>([
    ["batches", () => tableFromIPC(nested).batches],
    ["a reader", () => RecordBatchReader.from(nested)],
    [
      "an asynchronous stream",
      async function* () {
        yield* tableFromIPC(nested).batches;
      },
    ],
    ["a schema and a stream", () => ({ schema: tableFromIPC(nested).schema, batches: RecordBatchReader.from(nested) })],
  ])("as %s, which is read once", async (_, input) => {
    const table = await convertInputToColumns(input());
    expect(table.rows).toBeNull();
    expect(await valuesOf(table)).toEqual(VALUES.nested);
    expect(() => table.batches()).toThrow("a stream is read once");
  });

  test("time zones stand in the metadata", async () => {
    const { fields } = await convertInputToColumns(nested);
    expect(fields.find(({ name }) => name === "zone")).toMatchObject({
      type: { id: "Timestamp", unit: "ms" },
      metadata: { timezone: "Europe/Berlin" },
    });
  });
});

describe("tables of a dataset", () => {
  test.each(["modern.h5ad", "plain.v3.zarr.zip"])(
    "%s: as stored and as Arrow objects they are the same",
    async (file) => {
      const dataset = await openStored(`test/fixtures/data/anndata/${file}`);
      let compared = 0;
      for (const stored of dataset.tables.values()) {
        if (!(stored instanceof StoredTable)) throw new TypeError("stored tables expected");
        const [plain, arrow] = [toStoredColumnTable(stored), await convertInputToColumns(await toDataTable(stored))];
        // Arrays as they are stored are kept of stored tables alone.
        const { batches: a, layout: b, stored: _, ...properties } = plain;
        const { batches: c, layout: d, ...others } = arrow;
        expect(JSON.parse(JSON.stringify(others))).toEqual(JSON.parse(JSON.stringify(properties)));
        expect([...arrow.schemaMetadata]).toEqual([...plain.schemaMetadata]);
        expect(await valuesOf(arrow)).toEqual(await valuesOf(plain));
        for (const layout of plain.layouts.slice(1)) {
          const [one, two] = [await plain.layout(layout), await arrow.layout(layout)];
          expect(await valuesOf(two)).toEqual(await valuesOf(one));
        }
        compared++;
      }
      expect(compared).toBe(dataset.tables.size);
      expect(compared).toBeGreaterThan(3);
      await dataset.close();
    },
  );
});

describe("streams whose dictionaries change", () => {
  test.each(["replaced", "delta"])("%s: the codes are those of all categories", async (name) => {
    const table = await convertInputToColumns(RecordBatchReader.from(readFileSync(`${folder}/${name}.arrows`)));
    expect((await valuesOf(await convertInputToColumns(readFileSync(`${folder}/${name}.arrows`)))).value).toEqual(
      VALUES[name],
    );
    const categories = new UnifiedDictionary();
    const codes: unknown[] = [];
    for await (const { columns } of table.batches()) {
      const [column] = columns;
      if (column.layout !== "dictionary") throw new TypeError(column.layout);
      codes.push(...toCategoricalCodes(column, categories, { kind: "int", bits: 8, signed: true }).values);
    }
    const names = categories.parts.flatMap((dictionary) =>
      Array.from({ length: dictionary.length }, (_, i) => JSON.parse(encodeJsonValue(dictionary, i))),
    );
    expect(names).toEqual(["b", "a", "c", "d"]);
    expect(codes.map((code) => names[Number(code)] ?? null)).toEqual(VALUES[name]);
  });
});

describe("metadata", () => {
  const withMetadata = (json: string) =>
    convertInputToColumns({
      schema: new Schema(
        [new Field("a", new Int32())],
        new Map([
          ["annarrow", json],
          ["x", "y"],
        ]),
      ),
      batches: [],
    });

  test("is parsed, the rest is kept", async () => {
    const { metadata, schemaMetadata } = await withMetadata('{"kind":"array","shape":[0],"other":1}');
    expect(metadata).toEqual({ kind: "array", shape: [0], other: 1 });
    expect([...schemaMetadata]).toEqual([["x", "y"]]);
  });

  test.each([
    ["{", "is not JSON"],
    ["[1]", "is no JSON object"],
    ['{"shape":[1]}', "has no kind"],
    ['{"kind":3}', "has no kind"],
    ['{"kind":"array","shape":[-1]}', "has the shape [-1]"],
    ['{"kind":"array","shape":"all"}', 'has the shape "all"'],
  ])("%s %s", async (json, message) => {
    await expect(withMetadata(json)).rejects.toThrow(InvalidInputError);
    await expect(withMetadata(json)).rejects.toThrow(message);
  });

  test("of a field that is not JSON is named", async () => {
    const schema = new Schema([new Field("a", new Int32(), true, new Map([["annarrow", "x"]]))]);
    await expect(convertInputToColumns({ schema, batches: [] }, { name: "t" })).rejects.toThrow(
      "t: the metadata annarrow of the field a is not JSON",
    );
  });
});

const tableOf = (data: Data) => {
  const schema = new Schema([new Field("a", data.type, true)]);
  const struct = makeData({ type: new Struct(schema.fields), length: data.length, nullCount: 0, children: [data] });
  return { schema, batches: [new RecordBatch(schema, struct)] };
};

describe("what is refused", () => {
  test.each<[ConstructorParameters<typeof Field>[1] & object, string]>([
    [new Decimal(2, 10), "Float64"],
    [new DateMillisecond(), "Timestamp"],
    [new TimeSecond(), "Int64"],
    [new IntervalYearMonth(), "Duration"],
    [new List(new Field("item", new DateMillisecond())), "a.item is of type"],
    [new Dictionary(new Decimal(2, 10), new Int32()), "Float64"],
  ])("%s", async (type, message) => {
    const table = convertInputToColumns({ schema: new Schema([new Field("a", type)]), batches: [] });
    await expect(table).rejects.toThrow(UnsupportedError);
    await expect(table).rejects.toThrow(message);
  });

  test.each<[string, ColumnTableInput]>([
    ["no bytes", new Uint8Array()],
    ["12 bytes that are no Arrow IPC stream or file", new TextEncoder().encode("not an arrow")],
    [`${nested.length >> 1} bytes that are no Arrow`, new Uint8Array(nested.subarray(0, nested.length >> 1))],
    ["no batch, and so no schema", []],
    ["batch 0 is no record batch", JSON.parse("[{}]")],
    ["the schema is none of apache-arrow", JSON.parse('{"schema":{},"batches":[]}')],
    [
      "neither a table, nor batches, nor bytes of an Arrow stream, nor an object of arrays (object)",
      JSON.parse("null"),
    ],
    ["neither a table, nor batches, nor bytes of an Arrow stream, nor an object of arrays (number)", JSON.parse("3")],
    ["neither a table, nor batches, nor bytes", JSON.parse("{}")],
  ])("%s", async (message, input) => {
    await expect(convertInputToColumns(input)).rejects.toThrow(InvalidInputError);
    await expect(convertInputToColumns(input)).rejects.toThrow(message);
  });

  test("a batch of another schema names both", async () => {
    const [a, b] = [
      tableOf(vectorFromArray([1], new Int32()).data[0]),
      tableOf(vectorFromArray(["x"], new Utf8()).data[0]),
    ];
    const table = await convertInputToColumns(
      { schema: a.schema, batches: [...a.batches, ...b.batches] },
      { name: "obs" },
    );
    await expect(valuesOf(table)).rejects.toThrow("obs: batch 1 has the columns (a: Utf8), its table (a: Int32)");
  });

  const int = vectorFromArray([1, 2, 3], new Int32()).data[0];
  const item = new Field("item", new Int32());
  const list = (...offsets: number[]) =>
    new Data(new List(item), 0, offsets.length - 1, 0, { 0: Int32Array.from(offsets) }, [int]);
  const union = (ids: number[], offsets: number[]) =>
    new Data(new DenseUnion([3], [item]), 0, ids.length, 0, { 0: Int32Array.from(offsets), 3: Int8Array.from(ids) }, [
      int,
    ]);
  const view = (...words: number[]) =>
    new Data(new Utf8View(), 0, 1, 0, { 1: new Uint8Array(Int32Array.from(words).buffer) }, [], undefined, [
      new Uint8Array(20),
    ]);
  const coded = (index: bigint, length: number) => {
    const dictionary = vectorFromArray(["x", "y"].slice(0, length), new Utf8());
    // The types of apache-arrow leave 64-bit indices out, its readers give them.
    const type = Object.assign(new Dictionary(new Utf8(), new Int32()), { indices: new Int64() });
    const data = new Data(new Int64(), 0, 1, 0, { 1: BigInt64Array.of(index) });
    return Object.assign(data, { type, dictionary: new Vector(dictionary.data) });
  };

  test.each<[string, Data]>([
    ["has the offset 1 behind 2", list(0, 2, 1)],
    ["has the offset 4, its lists 3 values", list(0, 4)],
    ["has the offset -1", list(-1, 2)],
    ["should have 4 offsets", new Data(new List(item), 0, 3, 0, { 0: Int32Array.of(0, 1) }, [int])],
    ["has 0 children, 1 are needed", new Data(new List(item), 0, 1, 0, { 0: Int32Array.of(0, 1) }, [])],
    ["has a child of 3 rows, 4 are needed", new Data(new FixedSizeList(2, item), 0, 2, 0, {}, [int])],
    ["has a child of 3 rows, 5 are needed", new Data(new Struct([item]), 0, 5, 0, {}, [int])],
    ["has the type id 0 at 1, not among 3", union([3, 0], [0, 0])],
    ["has the offset 3 at 0, its child 3 rows", union([3], [3])],
    ["should have 16 bytes", new Data(new Utf8View(), 0, 1, 0, { 1: new Uint8Array(8) })],
    ["has text in buffer 1 of 1", view(13, 0, 1, 0)],
    ["has text up to byte 21 of a buffer of 20", view(13, 0, 0, 8)],
    ["has a text of -1 bytes", view(-1, 0, 0, 0)],
    ["has the index 2 at 0, its dictionary 2 values", coded(2n, 2)],
    ["has the index -1 at 0, its dictionary 2 values", coded(-1n, 2)],
    ["has the index 4294967296 at 0, its dictionary 1 values", coded(2n ** 32n, 1)],
  ])("%s", async (message, data) => {
    const table = await convertInputToColumns(tableOf(data));
    await expect(valuesOf(table)).rejects.toThrow(InvalidInputError);
    await expect(valuesOf(table)).rejects.toThrow(
      message.startsWith("should have 16") ? "views of 16 bytes" : `the column a ${message}`,
    );
  });

  test("indices of 64 bits within the dictionary are taken", async () => {
    const table = await convertInputToColumns(tableOf(coded(1n, 2)));
    expect(table.fields[0].type).toMatchObject({ id: "Dictionary", index: INT32 });
    expect(await valuesOf(table)).toEqual({ a: ["y"] });
  });
});

describe("no rows", () => {
  test("give one batch of every column", async () => {
    const { schema } = tableFromIPC(nested);
    const table = await convertInputToColumns({ schema, batches: [] });
    const batches: ColumnBatch[] = [];
    for await (const batch of table.batches()) batches.push(batch);
    expect(batches.map(({ length, columns }) => [length, columns.map((column) => column.type)])).toEqual([
      [0, table.fields.map(({ type }) => type)],
    ]);
  });
});

test("what a stream throws passes unchanged, and a signal ends it", async () => {
  const stop = new Error("no more");
  const [batch] = tableFromIPC(nested).batches;
  let closed = 0;
  const stream = async function* (end: () => void) {
    try {
      yield batch;
      end();
      yield batch;
    } finally {
      closed++;
    }
  };
  const throwing = await convertInputToColumns(
    stream(() => {
      throw stop;
    }),
  );
  await expect(valuesOf(throwing)).rejects.toBe(stop);
  const controller = new AbortController();
  const table = await convertInputToColumns(stream(() => controller.abort(stop)));
  const read = async () => {
    for await (const _ of table.batches({ signal: controller.signal }));
  };
  await expect(read()).rejects.toBe(stop);
  expect(closed).toBe(2);
});

test("values of an apache-arrow vector without a bitmap may be cut", async () => {
  const data = makeVector(Int32Array.of(1, 2, 3)).data[0];
  expect(await valuesOf(await convertInputToColumns(tableOf(data.slice(1, 2))))).toEqual({ a: [2, 3] });
});
