/** Files of Parquet and Arrow with very many columns: their cost follows the number of columns, and is limited. */

import { Field, Int32, List, makeData, RecordBatch, Schema, Struct, Table } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { ipcFile, ipcStream, open, parquetFile } from "../../../packages/published/src/node.js";
import { CompactWriter } from "../../../src/parquet/thrift.js";
import { bytesOf, tableOf } from "../../sinks/dataset-of.js";

/** A Parquet file of int32 columns and no rows, by parquet.thrift: a column costs 14 bytes. */
function wideParquet(columns: number, nameOf = (column: number) => `c${column}`): Uint8Array {
  const leaves = new Map<string, Uint8Array>();
  const leaf = (name: string) => {
    const known = leaves.get(name);
    if (known !== undefined) return known;
    const made = CompactWriter.struct((element) => {
      element.i32(1, 1);
      element.i32(3, 0);
      element.binary(4, name);
    });
    leaves.set(name, made);
    return made;
  };
  const root = CompactWriter.struct((element) => {
    element.binary(4, "r");
    element.i32(5, columns);
  });
  const footer = CompactWriter.struct((file) => {
    file.i32(1, 2);
    file.writtenStructs(2, [root, ...Array.from({ length: columns }, (_, i) => leaf(nameOf(i)))]);
    file.i64(3, 0);
    file.writtenStructs(4, []);
  });
  const bytes = new Uint8Array(footer.length + 12);
  const magic = new TextEncoder().encode("PAR1");
  bytes.set(magic);
  bytes.set(footer, 4);
  new DataView(bytes.buffer).setUint32(4 + footer.length, footer.length, true);
  bytes.set(magic, 8 + footer.length);
  return bytes;
}

/** A table of one row, whose columns have their positions as values; each is a list in a struct. */
function nestedTable(columns: number): Table {
  const int = new Int32();
  const list = new List(new Field("item", int, false));
  const struct = new Struct([new Field("list", list, false)]);
  const schema = new Schema(Array.from({ length: columns }, (_, i) => new Field(`c${i}`, struct, false)));
  const children = schema.fields.map((_, i) => {
    const items = makeData({ type: int, length: 1, nullCount: 0, data: Int32Array.of(i) });
    const valueOffsets = Int32Array.of(0, 1);
    const lists = makeData({ type: list, length: 1, nullCount: 0, valueOffsets, child: items });
    return makeData({ type: struct, length: 1, nullCount: 0, children: [lists] });
  });
  const data = makeData({ type: new Struct(schema.fields), length: 1, nullCount: 0, children });
  return new Table([new RecordBatch(schema, data)]);
}

describe("a table of many columns", () => {
  // A join of schemas by names took 14 seconds for this file, and 20 for 100,000 columns.
  test("of Parquet is opened in time that follows their number", { timeout: 12_000 }, async () => {
    const data = await open(wideParquet(80_000));
    const [table] = data.tables.values();
    expect(table.schema.fields.length).toBe(80_000);
    expect(table.schema.fields.at(-1)).toMatchObject({ name: "c79999", nullable: false });
    expect(table.schema.fields.at(-1)?.type).toEqual(new Int32());
  });

  test("gives the values of each column", async () => {
    const [given, count] = [nestedTable(200), 200];
    for (const bytes of [
      await bytesOf(parquetFile(tableOf("t", given))),
      await bytesOf(ipcFile(tableOf("t", given))),
    ]) {
      const data = await open(bytes);
      const [table] = data.tables.values();
      const read = (await table.read()).toArray()[0].toJSON();
      expect(Object.keys(read).length).toBe(count);
      for (const at of [0, 1, 100, 199]) expect([...read[`c${at}`].list]).toEqual([at]);
    }
  });

  const message = (most: number) =>
    `the table has more than ${most} columns, those inside of others included; the option maxColumns (--max-columns) allows more`;

  test("is refused by name where there are more than the limit", async () => {
    await expect(open(wideParquet(2 ** 17 + 1, () => "c"))).rejects.toMatchObject({
      tag: "UnsupportedError",
      problem: message(131_072),
    });
    await expect(open(wideParquet(11), { maxColumns: 10 })).rejects.toMatchObject({ problem: message(10) });
    expect((await open(wideParquet(11), { maxColumns: 11 })).tables.size).toBe(1);
    await expect(open(wideParquet(11), { maxColumns: 0 })).rejects.toMatchObject({ tag: "InvalidInputError" });
  });

  test("counts columns inside of others", async () => {
    // Four columns of a struct of a list of numbers are twelve; in Parquet a list takes a group of its own.
    const table = tableOf("t", nestedTable(4));
    for (const [bytes, columns] of [
      [await bytesOf(ipcFile(table)), 12],
      [await bytesOf(ipcStream(table)), 12],
      [await bytesOf(parquetFile(table)), 16],
    ] as const) {
      const refused = open(bytes, { maxColumns: columns - 1 });
      await expect(refused).rejects.toMatchObject({ problem: message(columns - 1) });
      expect((await open(bytes, { maxColumns: columns })).tables.size).toBe(1);
    }
  });
});
