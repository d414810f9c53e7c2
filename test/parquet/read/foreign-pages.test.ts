/** Parquet files of old writers, and INT96, against what pyarrow reads. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { UnsupportedError } from "../../../src/model/errors.js";
import { detectWriterFaults } from "../../../src/parquet/read/old-writers.js";
import { DATA, expected, tableOf } from "../../readers/tables/foreign-tables.js";
import { placedValues } from "../../readers/tables/plain-values.js";

test.each([
  ["unsaid_snappy", "old_writers"],
  ["unsaid_zstd", "old_writers"],
  ["short_chunks", "old_writers"],
  ["uncounted", "old_writers"],
  ["int96", "int96"],
])("%s.parquet has the values that pyarrow reads", async (file, name) => {
  const bytes = new Uint8Array(readFileSync(`${DATA}/${file}.parquet`));
  const before = Uint8Array.from(bytes);
  for (const input of [`${DATA}/${file}.parquet`, bytes]) {
    const table = await tableOf(input);
    expect(placedValues(await table.read())).toEqual(expected(name));
    const [, second] = expected(name);
    const part = await table.read({ columns: [second.name], rows: [1, 3] });
    expect(placedValues(part)).toEqual([{ name: second.name, values: second.values.slice(1, 3) }]);
  }
  // Mending is done in a copy.
  expect(bytes).toEqual(before);
});

test("dictionaries of INT96", async () => {
  const table = await tableOf(`${DATA}/int96_coded.parquet`);
  expect(table.schema.fields.map(({ type }) => String(type))).toEqual(["Dictionary<Int32, Timestamp<MICROSECOND>>"]);
  expect(placedValues(await table.read())).toEqual(expected("int96_coded"));
});

test("faults are told by the writer's name and version", () => {
  const none = { compressedUnsaid: false, shortChunks: false };
  expect(detectWriterFaults("parquet-cpp version 1.5.1-SNAPSHOT")).toEqual({ ...none, compressedUnsaid: true });
  expect(detectWriterFaults("parquet-cpp-arrow version 1.0.0")).toEqual(none);
  expect(detectWriterFaults("parquet-mr version 1.2.8 (build abc)")).toEqual({ ...none, shortChunks: true });
  expect(detectWriterFaults("parquet-mr")).toEqual({ ...none, shortChunks: true });
  expect(detectWriterFaults("parquet-mr version 1.2.9")).toEqual(none);
  expect(detectWriterFaults("parquet-mr version 1.10.0")).toEqual(none);
  expect(detectWriterFaults("")).toEqual(none);
});

test("INT96 beyond what nanoseconds of 64 bits hold is refused, not another year", async () => {
  const table = await tableOf(`${DATA}/int96_far.parquet`);
  await expect(table.read()).rejects.toThrow(
    "t has the time 9999-12-31T00:00:00 in INT96, which Timestamp<NANOSECOND> does not hold; write it as " +
      "timestamps of microseconds, or read the other columns",
  );
  await expect(table.read()).rejects.toBeInstanceOf(UnsupportedError);
  expect(placedValues(await table.read({ columns: ["n"] }))).toEqual([
    { name: "n", values: ["1", "2", "3", "4", "5"] },
  ]);
  // Rows in front of it are those of the other file.
  const right = expected("int96").map(({ name, values }: { name: string; values: unknown[] }) => ({ name, values }));
  expect(placedValues(await table.read({ rows: [0, 4] }))).toEqual(right);
  const lists = await tableOf(`${DATA}/int96_far_lists.parquet`);
  await expect(lists.read()).rejects.toThrow(/^.*l\.\w+ has the time 1500-01-01T00:00:00 in INT96/);
});
