/** Columns, and fields of structs, that share a name: pyarrow's files against what pyarrow says is in them. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RecordBatch, RecordBatchReader, Table, tableFromArrays } from "apache-arrow";
import { afterAll, describe, expect, test } from "vitest";
import { convert, loadIntoDuckDB, open, toPolars, write } from "../../../packages/published/src/node.js";
import { findNamedTables } from "../../../src/query/named-tables.js";
import { openDuckDB } from "../../../src/sinks/duckdb/duckdb.node.js";
import { csv } from "../../../src/sinks/text/csv.js";
import { encodeJson } from "../../../src/sinks/text/json.js";
import { convertInputToColumns } from "../../../src/tables/given/arrow-column-table.js";
import { placedValues } from "./plain-values.js";

const DATA = "test/fixtures/data/foreign-tables";
const expected = (name: string) => JSON.parse(readFileSync(`${DATA}/${name}.json`, "utf8"));
const folder = mkdtempSync(join(tmpdir(), "repeated-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function tableOf(file: string) {
  const dataset = await open(file);
  const [table] = dataset.tables.values();
  return { dataset, table };
}

/** Parquet has no unions. */
const formatsOf = (name: string) => (name === "repeated_union" ? ["arrow", "arrows"] : ["arrow", "arrows", "parquet"]);
const FILES = ["repeated", "repeated_flat", "repeated_union"].flatMap((name) =>
  formatsOf(name).map((format) => ({ name, format })),
);

describe.each(FILES)("$name.$format", ({ name, format }) => {
  test("columns have their own types and values, in read() and in every batch", async () => {
    const { dataset, table } = await tableOf(`${DATA}/${name}.${format}`);
    const right = expected(name);
    const whole = await table.read();
    expect(placedValues(whole)).toEqual(right);
    const types = table.schema.fields.map(String);
    for await (const batch of table.batches({ batchBytes: 8, rows: [1, 3] })) {
      expect(batch.schema.fields.map(String)).toEqual(types);
      expect(batch.data.children.map((child) => String(child.type))).toEqual(
        table.schema.fields.map((field) => String(field.type)),
      );
    }
    const part = await table.read({ batchBytes: 8, rows: [1, 3] });
    expect(placedValues(part)).toEqual(
      right.map((column: { values: unknown[] }) => ({ ...column, values: column.values.slice(1, 3) })),
    );
    await dataset.close();
  });

  test.each(formatsOf(name))("written as .%s and read back", async (to) => {
    const out = join(folder, `${name}-${format}.${to}`);
    await convert(`${DATA}/${name}.${format}`, out);
    const { dataset, table } = await tableOf(out);
    expect(placedValues(await table.read())).toEqual(expected(name));
    await dataset.close();
  });

  test("in a folder of Parquet files the categories of both come back", async () => {
    const out = join(folder, `${name}-${format}`);
    await convert(`${DATA}/${name}.${format}`, out, { format: "parquet" });
    const { dataset, table } = await tableOf(out);
    expect(placedValues(await table.read())).toEqual(expected(name));
    await dataset.close();
  });
});

test.each(FILES.filter(({ format }) => format !== "parquet"))("bytes of $name.$format as a table", async (file) => {
  const table = await convertInputToColumns(readFileSync(`${DATA}/${file.name}.${file.format}`));
  const right: { name: string; values: unknown[] }[] = expected(file.name);
  expect(table.fields.map(({ name }) => name)).toEqual(right.map(({ name }) => name));
  let rows = 0;
  for await (const { columns } of table.batches()) {
    rows += columns[0].length;
    expect(columns.map(({ type }) => type)).toEqual(table.fields.map(({ type }) => type));
  }
  expect(rows).toBe(right[0].values.length);
});

test("a reader of apache-arrow gives batches whose schema has other types than their columns; the columns count", async () => {
  const reader = RecordBatchReader.from(readFileSync(`${DATA}/repeated_flat.arrow`));
  const table = await convertInputToColumns(reader);
  expect(table.fields.map(({ name, type }) => [name, type.id])).toEqual([
    ["a", "Int"],
    ["a", "Utf8"],
    ["b", "Float"],
  ]);
  for await (const { columns } of table.batches()) {
    expect(columns.map((column) => column.layout)).toEqual(["primitive", "variable", "primitive"]);
  }
});

test("a name that stands for several columns chooses none of them", async () => {
  const { dataset, table } = await tableOf(`${DATA}/repeated.arrow`);
  await expect(table.read({ columns: ["b", "a"] })).rejects.toThrow(
    '2 columns have the name "a" (at 0, 1): read the table without choosing columns, and take them by their places',
  );
  expect(placedValues(await table.read({ columns: ["b"] }))).toEqual([expected("repeated")[2]]);
  await dataset.close();
});

test("columns are taken by place where writers leave some out", async () => {
  const { dataset, table } = await tableOf(`${DATA}/repeated_flat.arrow`);
  const only = (await convertInputToColumns(table)).only?.([1, 2]);
  expect(only?.fields.map(({ name, type }) => [name, type.id])).toEqual([
    ["a", "Utf8"],
    ["b", "Float"],
  ]);
  for await (const { columns } of only?.batches() ?? []) {
    expect(columns.map((column) => column.layout)).toEqual(["variable", "primitive"]);
  }
  await dataset.close();
});

test("what keys columns by name refuses them, and says which", async () => {
  const { dataset, table } = await tableOf(`${DATA}/repeated.arrow`);
  const frame = { _index: ["a", "b", "c", "d"] };
  await expect(write(join(folder, "x.h5ad"), { obs: tableFromArrays(frame), "obsm/x": table })).rejects.toThrow(
    'obsm/x: two columns are called "a"',
  );
  await expect(async () => {
    for await (const _ of encodeJson(table)) void _;
  }).rejects.toThrow('columns share the name "a", a JSON object has one value for it');
  const polars = { readIPCStream: () => ({ vstack: () => undefined as never }) };
  await expect(toPolars(table, polars as never)).rejects.toThrow('two columns "a", Polars holds one');
  await dataset.close();
});

test("DuckDB has a later column of a name under the next number", async () => {
  const { dataset } = await tableOf(`${DATA}/repeated_flat.arrow`);
  const database = await openDuckDB();
  const { warnings } = await loadIntoDuckDB(dataset, database.connection);
  expect(warnings.join()).toContain('"a" is "a_1"');
  const answer = await (await database.query("select a::varchar as a, a_1 from repeated_flat")).read();
  const [first, second] = expected("repeated_flat");
  expect([...(answer.getChild("a") ?? [])]).toEqual(first.values);
  expect([...(answer.getChild("a_1") ?? [])]).toEqual(second.values);
  const columns = async (sql: string) => (await findNamedTables(sql, dataset)).map((named) => named.columns);
  expect(await columns("select sum(b) from repeated_flat")).toEqual([["b"]]);
  expect(await columns("select * from repeated_flat")).toEqual([["a", "a_1", "b"]]);
  expect(await columns("select count(*) from repeated_flat")).toEqual([["b"]]);
  await database.close();
  await dataset.close();
});

test("text has both columns, under the same name", async () => {
  const { dataset, table } = await tableOf(`${DATA}/repeated_flat.parquet`);
  let text = "";
  for await (const piece of csv(table)) text += new TextDecoder().decode(piece);
  expect(text).toBe("a,a,b\n1,x,0.5\n,y,1\n3,,NaN\n4,z,2\n");
  await dataset.close();
});

test("the answer of a statement has a column for each expression, of its own type", async () => {
  const database = await openDuckDB();
  const answer = await database.query("select 1 as a, 'x' as a, 2.5::double as a");
  const table = await answer.read();
  expect(table.schema.fields.map(String)).toEqual(answer.schema.fields.map(String));
  expect(placedValues(table).map(({ values }) => values)).toEqual([["1"], ["x"], ["2.5"]]);
  await database.close();
});

test("tables of apache-arrow are cut by their columns, not by their names", async () => {
  const { dataset, table } = await tableOf(`${DATA}/repeated_flat.arrow`);
  const read = await table.read();
  expect(read).toBeInstanceOf(Table);
  expect(read.batches[0]).toBeInstanceOf(RecordBatch);
  const written = await convertInputToColumns({ schema: read.schema, batches: read.batches });
  expect(written.fields.map(({ type }) => type.id)).toEqual(["Int", "Utf8", "Float"]);
  await dataset.close();
});
