import { readFileSync } from "node:fs";
import { Table } from "apache-arrow";
import { expect, test } from "vitest";
import { createSourceFile } from "../../../src/io/sources/file-bytes.js";
import { createBytesSource } from "../../../src/io/sources/memory.js";
import { openParquet } from "../../../src/tables/files/parquet-file.js";
import { plainValues } from "../../readers/tables/plain-values.js";

const file = createSourceFile(
  createBytesSource(new Uint8Array(readFileSync("test/fixtures/data/tables/pyarrow.parquet"))),
);
const expected = JSON.parse(readFileSync("test/fixtures/data/tables/pyarrow.json", "utf8"));

test("a row group of any size is decoded in as many runs as are asked for", async () => {
  const whole = await openParquet(file, {});
  const small = await openParquet(file, { decodedBytes: 1000 });
  expect(whole.blocks).toEqual([10, 10, 3]);
  const columns = whole.schema.fields.map((_, i) => i);
  for (const [opened, runs] of [
    [whole, 1],
    [small, 4],
  ] as const) {
    const batches = [];
    for await (const batch of opened.read({ block: 1, start: 2, end: 9 }, columns, {})) batches.push(batch);
    expect(batches.length).toBeGreaterThanOrEqual(runs);
    const found = plainValues(new Table(batches));
    for (const name of Object.keys(expected)) expect(found[name], name).toEqual(expected[name].slice(12, 19));
  }
});

test("columns come in the order that is asked for, also none", async () => {
  const opened = await openParquet(file, {});
  const names = ["text", "int8", "coded_list"];
  const columns = names.map((name) => opened.schema.fields.findIndex((field) => field.name === name));
  for await (const batch of opened.read({ block: 2, start: 0, end: 3 }, columns, {})) {
    expect(batch.schema.fields.map(({ name }) => name)).toEqual(names);
    expect(plainValues(new Table([batch])).text).toEqual(expected.text.slice(20));
  }
  for await (const batch of opened.read({ block: 2, start: 1, end: 3 }, [], {})) expect(batch.numRows).toBe(2);
});
