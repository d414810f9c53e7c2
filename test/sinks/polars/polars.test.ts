import { readFileSync } from "node:fs";
import {
  Binary,
  type DataType,
  DenseUnion,
  Dictionary,
  Field,
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
  tableFromArrays,
  tableFromIPC,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import pl from "nodejs-polars";
import { describe, expect, test } from "vitest";
import { open } from "../../../src/api/open.node.js";
import { write, writeBytes } from "../../../src/api/write.js";
import { fromPolars, toPolars } from "../../../src/sinks/polars/polars.node.js";
import { tableOf } from "../dataset-of.js";
import { columnOf, data, values } from "../one-column-tables.js";

const types = tableFromIPC(readFileSync("test/fixtures/data/sinks/types.arrow"));
const BYTES = ["binary", "fixed_binary"];
const held = types.select(types.schema.fields.map((field) => field.name).filter((name) => !BYTES.includes(name)));

const text = (type: DataType) => String(type);

describe("what Polars cannot hold", () => {
  const union = new DenseUnion([0, 1], [new Field("0", new Int32()), new Field("1", new Float32())]);
  test.each([
    ["bytes", new Binary()],
    ["bytes", new List(new Field("item", new Binary()))],
    ["bytes", new Dictionary(new Binary(), new Int8())],
    ["a union", union],
  ])("%s", async (what, type) => {
    const odd = { ...tableOf("odd", types), schema: new Schema([new Field("value", type)]) };
    await expect(toPolars(odd, pl)).rejects.toThrow(
      `odd: column "value" holds ${what}, which nodejs-polars cannot; leave it out`,
    );
  });

  test("other columns of the table can be loaded", async () => {
    const frame = await toPolars(tableOf("types", types), pl, { columns: ["utf8", "int8"] });
    expect(frame.columns).toEqual(["utf8", "int8"]);
    expect(frame.height).toBe(20);
    expect((await toPolars(types, pl, { columns: ["int8"] })).columns).toEqual(["int8"]);
    await expect(toPolars(types, pl, { columns: ["int9"] })).rejects.toThrow(
      'table: no column "int9"; did you mean int8',
    );
  });

  test("tables without columns, two columns of one name", async () => {
    await expect(toPolars(new Table(new Schema([]), []), pl)).rejects.toThrow(
      "has no columns, which Polars cannot hold",
    );
    const one = data(new Int32(), Int32Array.of(1));
    const schema = new Schema([new Field("a", one.type), new Field("a", one.type)]);
    const struct = makeData({ type: new Struct(schema.fields), length: 1, nullCount: 0, children: [one, one] });
    const twice = tableOf("twice", new Table([new RecordBatch(schema, struct)]));
    await expect(toPolars(twice, pl)).rejects.toThrow('twice: two columns "a", Polars holds one');
  });

  test("what is no data frame", () => {
    const lazy: unknown = pl.DataFrame({ a: [1] }).lazy();
    for (const wrong of [lazy, null, undefined, 7, {}]) {
      // @ts-expect-error
      expect(() => fromPolars(wrong)).toThrow("no data frame of Polars; of a lazy one, give what collect() returns");
    }
  });
});

describe("categories", () => {
  const words = ["late", "early", "never"];
  const type = new Dictionary(new Utf8(), new Int8(), 1, true);
  const codes = (...codes: number[]) =>
    makeData({
      type,
      length: codes.length,
      nullCount: 0,
      data: Int8Array.from(codes),
      dictionary: vectorFromArray(words, new Utf8()),
    });

  test("are those that rows have, in their order, in many streams as in one", async () => {
    const many = new Table([0, 1, 1, 0].map((code) => columnOf(codes(code, code)).batches[0]));
    const frame = await toPolars(tableOf("many", many), {
      readIPCStream: (bytes) => pl.readIPCStream(bytes as Buffer),
    });
    const back = fromPolars(frame);
    expect(values(back)).toEqual(["late", "late", "early", "early", "early", "early", "late", "late"]);
    for (const batch of back.batches) expect([...(batch.data.children[0].dictionary ?? [])]).toEqual(["late", "early"]);
  });

  test("may differ from batch to batch", async () => {
    const other = makeData({
      type,
      length: 2,
      nullCount: 0,
      data: Int8Array.of(0, 1),
      dictionary: vectorFromArray(["early", "new"], new Utf8()),
    });
    const table = tableOf("two", new Table([columnOf(codes(0, 1)).batches[0], columnOf(other).batches[0]]));
    const frame = await toPolars(table, pl);
    expect(frame.toRecords()).toEqual(["late", "early", "early", "new"].map((v) => ({ v })));
  });
});

test("a large table goes over in several streams", async () => {
  const value = Float64Array.from({ length: 9_000_000 }, (_, i) => i % 1000);
  const given: number[] = [];
  const done: number[] = [];
  const table = tableOf("many", tableFromArrays({ value }), { batchRows: 2_000_000 });
  const polars = {
    readIPCStream(bytes: string | Uint8Array) {
      given.push(bytes.length);
      return pl.readIPCStream(Buffer.from(bytes));
    },
  };
  const frame = await toPolars(table, polars, { onProgress: (progress) => done.push(progress.done) });
  expect(frame.height).toBe(9_000_000);
  expect(frame.select(pl.col("value").sum()).row(0)).toEqual([4_495_500_000]);
  expect(given.length).toBeGreaterThan(2);
  expect(Math.max(...given)).toBeLessThan(2 ** 26);
  expect(done).toEqual([0, 2_000_000, 4_000_000, 6_000_000, 8_000_000, 9_000_000]);
  // A table in memory is cut, too.
  given.length = 0;
  expect((await toPolars(tableFromArrays({ value }), polars)).height).toBe(9_000_000);
  expect(Math.max(...given)).toBeLessThan(2 ** 26);
});

test("a signal ends it, an error names the table", async () => {
  const table = tableOf("types", held, { batchRows: 3 });
  await expect(toPolars(table, pl, { signal: AbortSignal.abort() })).rejects.toThrow(/aborted/);
  const failing = tableOf("half", held, { batchRows: 3, failsAfter: 2 });
  await expect(toPolars(failing, pl)).rejects.toThrow("half: the file ends here");
});

describe("a file", () => {
  test("obs of a file in Polars, and back into another", async () => {
    const dataset = await open("examples/pbmc.h5ad");
    const obs = dataset.table("obs");
    const frame = await toPolars(obs, pl);
    const before = await obs.read();
    expect(frame.columns).toEqual(before.schema.fields.map((field) => field.name));
    const monocytes = [...(before.getChild("cell_type") ?? [])].filter((name) => name === "CD14+ monocyte").length;
    const found = frame.filter(pl.col("cell_type").eq(pl.lit("CD14+ monocyte")));
    expect(found.height).toBe(monocytes);
    expect(monocytes).toBeGreaterThan(100);

    const index = before.schema.fields[0].name;
    const bytes = await writeBytes("h5ad", { obs: fromPolars(found), var: dataset.table("var") });
    const again = await (await open(bytes)).table("obs").read();
    expect(again.numRows).toBe(found.height);
    expect([...(again.getChild(index) ?? [])].map(String)).toEqual(found.getColumn(index).toArray().map(String));
    expect(text(again.getChild("cell_type")?.type ?? new Null())).toMatch(/^Dictionary/);
    await dataset.close();
  });

  test("coordinates and names of Polars can be written", async () => {
    const x = pl.DataFrame({ row: [0, 0, 2], col: [1, 3, 0], value: [1.5, 2, 3] });
    const store = new Map<string, Uint8Array>();
    const table = x.withColumns(pl.col("row").cast(pl.Int32), pl.col("col").cast(pl.Int32));
    const obs = pl.DataFrame({ obs_names: ["a", "b", "c"], age: [1, 2, 3] });
    const genes = pl.DataFrame({ var_names: ["g", "h", "i", "j"] });
    await write(store, { X: fromPolars(table), obs: fromPolars(obs), var: fromPolars(genes) });
    const found = await (await open(store)).table("X").read();
    expect(found.toArray().map((row) => ({ ...row }))).toEqual([
      { row: 0, col: 1, value: 1.5 },
      { row: 0, col: 3, value: 2 },
      { row: 2, col: 0, value: 3 },
    ]);
    const rows = await (await open(store)).table("obs").read();
    expect(rows.toArray().map((row) => ({ ...row }))).toEqual([
      { obs_names: "a", age: 1 },
      { obs_names: "b", age: 2 },
      { obs_names: "c", age: 3 },
    ]);
  });
});
