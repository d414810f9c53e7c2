import { readFileSync } from "node:fs";
import {
  Bool,
  DenseUnion,
  Field,
  FixedSizeList,
  Float16,
  Float32,
  Int32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableFromArrays,
  tableFromIPC,
} from "apache-arrow";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { loadIntoDuckDB } from "../../../src/query/load-into-duckdb.js";
import { type InProcessDuckDB, openDuckDB } from "../../../src/sinks/duckdb/duckdb.node.js";
import { encodeJson } from "../../../src/sinks/text/json.js";
import { datasetOf, tableOf, textOf } from "../dataset-of.js";

const types = tableFromIPC(readFileSync("test/fixtures/data/sinks/types.arrow"));
let database: InProcessDuckDB;
let made: string[] = [];

beforeAll(async () => {
  database = await openDuckDB();
});
afterEach(() => {
  for (const name of made) database.connection.query(`drop table if exists "${name.replaceAll('"', '""')}"`);
  made = [];
});

async function load(tables: Parameters<typeof datasetOf>[0], options = {}) {
  made.push(...tables.map((table) => table.name));
  return loadIntoDuckDB(datasetOf(tables), database.connection, options);
}

async function rows(sql: string): Promise<unknown[]> {
  const text = await textOf(encodeJson(await database.query(sql)));
  return text
    .split("\n")
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));
}

test("every half-precision value is the same in single precision", async () => {
  const bits = Uint16Array.from({ length: 65536 }, (_, i) => i);
  const data = makeData({ type: new Float16(), length: 65536, nullCount: 0, data: bits });
  const schema = new Schema([new Field("value", new Float16())]);
  const struct = makeData({ type: new Struct(schema.fields), length: 65536, nullCount: 0, children: [data] });
  await load([tableOf("half", new Table([new RecordBatch(schema, struct)]))]);
  const read = await (await database.query("select value from half")).read();
  const single = read.getChildAt(0)?.toArray() ?? [];
  for (let i = 0; i < 65536; i++) {
    const exponent = (i >> 10) & 31;
    const fraction = i & 1023;
    const size = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
    const expected = exponent === 31 ? (fraction === 0 ? Number.POSITIVE_INFINITY : Number.NaN) : size;
    if (!Object.is(single[i], i & 0x8000 ? -expected : expected)) expect([i, single[i]]).toEqual([i, expected]);
  }
  expect(single).toHaveLength(65536);
});

test("names with slashes and quotes, positions, columns", async () => {
  const table = tableOf('layers/"x"', tableFromArrays({ a: Int32Array.of(7, 8), b: Int32Array.of(1, 2) }), {
    axis: "row",
  });
  const result = await load([table], { columns: { 'layers/"x"': ["row", "a"] } });
  expect(result).toMatchObject({ tables: [{ name: 'layers/"x"', rows: 2 }], warnings: [] });
  expect(await rows('select * from "layers/""x"""')).toEqual([
    { row: 0, a: 7 },
    { row: 1, a: 8 },
  ]);
});

test("many streams become one table", async () => {
  const value = Float64Array.from({ length: 9_000_000 }, (_, i) => i % 1000);
  const result = await load([tableOf("many", tableFromArrays({ value }), { batchRows: 2_000_000 })]);
  expect(result.tables).toEqual([{ name: "many", rows: 9_000_000 }]);
  expect(await rows("select count(*) as n, sum(value) as s from many")).toEqual([{ n: 9_000_000, s: 4_495_500_000 }]);
});

describe("what DuckDB cannot hold", () => {
  const holding = (type: Field["type"]) => ({
    ...tableOf("odd", types),
    schema: new Schema([new Field("value", type)]),
  });
  const union = new DenseUnion([0, 1], [new Field("0", new Int32()), new Field("1", new Bool())]);

  test.each([
    ["a union", union],
    ["structs without fields", new Struct([])],
  ])("%s is an error where it was named, a warning where not", async (what, type) => {
    const odd = holding(type);
    await expect(load([odd], { tables: ["odd"] })).rejects.toThrow(`odd: column "value" holds ${what}`);
    const result = await load([odd, tableOf("fine", types.select(["int8"]))]);
    expect(result.tables).toEqual([{ name: "fine", rows: 20 }]);
    expect(result.warnings).toHaveLength(1);
  });

  test("lists of the fixed size 0 become lists", async () => {
    const type = new FixedSizeList(0, new Field("item", new Float32()));
    const schema = new Schema([new Field("value", type)]);
    const child = makeData({ type: new Float32(), length: 0, nullCount: 0, data: new Float32Array() });
    const list = makeData({ type, length: 2, nullCount: 0, child });
    const struct = makeData({ type: new Struct(schema.fields), length: 2, nullCount: 0, children: [list] });
    await load([tableOf("none", new Table([new RecordBatch(schema, struct)]))]);
    expect(await rows("select typeof(value) as t, value from none")).toEqual([
      { t: "FLOAT[]", value: [] },
      { t: "FLOAT[]", value: [] },
    ]);
  });

  test("names that differ in capitals only", async () => {
    const a = Int32Array.of(1);
    const columns = tableOf("t", tableFromArrays({ batch: a, Batch: Int32Array.of(2) }));
    const { warnings } = await load([columns, tableOf("T", tableFromArrays({ batch: Int32Array.of(7) }))]);
    expect(warnings).toEqual([expect.stringContaining('"Batch" is "Batch_1"'), expect.stringMatching(/^T: is "T_1"/)]);
    expect(await rows("select batch, Batch_1 from t")).toEqual([{ batch: 1, Batch_1: 2 }]);
    expect(await rows("select batch from T_1")).toEqual([{ batch: 7 }]);
    // One of them alone keeps its name.
    await load([tableOf("u", tableFromArrays({ batch: a, Batch: Int32Array.of(2) }))], { columns: { u: ["Batch"] } });
    expect(await rows("select batch from u")).toEqual([{ Batch: 2 }]);
  });
});

test("a table that fails after its first stream is dropped", async () => {
  const value = Float64Array.from({ length: 9_000_000 }, () => 1);
  const failing = tableOf("half", tableFromArrays({ value }), { batchRows: 3_000_000, failsAfter: 2 });
  await expect(load([failing])).rejects.toThrow("half: the file ends here");
  await expect(database.query("select * from half")).rejects.toThrow("Table with name half does not exist");
});

test("an ENUM in an answer is an error that says what to do", async () => {
  await expect(database.query("select 'a'::enum('a') as e")).rejects.toThrow(
    'column "e" is an ENUM; cast it to VARCHAR',
  );
});
