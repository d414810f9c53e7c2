/** Files that pyarrow wrote, against what pyarrow says is in them. */

import { readFileSync } from "node:fs";
import { DataType } from "apache-arrow";
import { expect, test } from "vitest";
import { open } from "../../formats/conversion/opened.js";
import { plainValues } from "./plain-values.js";

const DATA = "test/fixtures/data/tables";
const expected = (name: string) => JSON.parse(readFileSync(`${DATA}/${name}.json`, "utf8"));

/** The only table of a file. */
async function tableOf(file: string) {
  const dataset = await open(`${DATA}/${file}`);
  const [table] = dataset.tables.values();
  return { dataset, table };
}

test.each(["pyarrow.parquet", "pyarrow_plain.arrow", "pyarrow_zstd.arrow", "pyarrow_lz4.arrow", "pyarrow.arrows"])(
  "%s",
  async (file) => {
    const { dataset, table } = await tableOf(file);
    const right = expected("pyarrow");
    expect(table.rows).toBe(23);
    expect(table.metadata).toEqual({ kind: "table" });
    expect(Object.fromEntries(table.schema.metadata)).toEqual({ made: "by pyarrow" });
    expect(dataset.format).toBe("tables");
    const found = plainValues(await table.read());
    for (const name of Object.keys(right)) expect(found[name], name).toEqual(right[name]);
    expect(Object.keys(found)).toEqual(Object.keys(right));
    // Slices begin anywhere, also between batches and row groups.
    for (const [start, end] of [
      [0, 0],
      [3, 4],
      [8, 21],
      [22, 23],
    ] as const) {
      const part = plainValues(await table.read({ rows: [start, end], batchBytes: 64 }));
      for (const name of Object.keys(right)) expect(part[name], name).toEqual(right[name].slice(start, end));
    }
    const some = await table.read({ columns: ["text", "coded", "int8"] });
    expect(Object.keys(plainValues(some))).toEqual(["text", "coded", "int8"]);
    expect(plainValues(some).coded).toEqual(right.coded);
    await dataset.close();
  },
);

test("types are those of the writer", async () => {
  const parquet = (await tableOf("pyarrow.parquet")).table.schema;
  const arrow = (await tableOf("pyarrow_plain.arrow")).table.schema;
  expect(parquet.fields.map(String)).toEqual(arrow.fields.map(String));
  const ranked = parquet.fields.find(({ name }) => name === "ranked")?.type;
  expect(DataType.isDictionary(ranked) && ranked.isOrdered).toBe(true);
});

test("Parquet without an Arrow schema has the types of Parquet", async () => {
  const { table } = await tableOf("no_schema.parquet");
  const right = expected("pyarrow");
  const found = plainValues(await table.read());
  expect(Object.keys(found)).toEqual(["int32", "float64", "bool", "text", "time_us", "list", "struct", "coded"]);
  for (const [name, values] of Object.entries(found)) expect(values, name).toEqual(right[name]);
});

test("dictionaries of row groups become one", async () => {
  const { table } = await tableOf("dictionaries.parquet");
  const dictionaries = new Set<unknown>();
  for await (const batch of table.batches()) dictionaries.add(batch.data.children[0].dictionary);
  expect(dictionaries.size).toBe(1);
  expect(plainValues(await table.read()).coded).toEqual(["b", "a", null, "c", "a", null, "d", null]);
});

test("views become plain text and bytes; unions stay", async () => {
  const { table } = await tableOf("views.arrow");
  expect(table.schema.fields.map(({ type }) => String(type)).slice(0, 2)).toEqual(["Utf8", "Binary"]);
  const found = plainValues(await table.read());
  expect(found).toEqual(expected("views"));
});

test("LZ4 blocks that reach back into each other", async () => {
  const { table } = await tableOf("long_lz4.arrow");
  const { text } = plainValues(await table.read());
  expect(text).toEqual(Array.from({ length: 6000 }, (_, i) => `row ${i} of a text that repeats itself`));
});

test("a dictionary that is replaced on the way is refused", async () => {
  await expect(tableOf("replaced.arrows")).rejects.toThrow(/dictionary 0 is replaced/);
});
