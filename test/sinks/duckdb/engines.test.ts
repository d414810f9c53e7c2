/** What every engine does alike: DuckDB-WASM with tables in its memory and in files, and native DuckDB. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Bool, DenseUnion, Field, Int32, Schema, Struct, tableFromArrays, tableFromIPC } from "apache-arrow";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { planWorkFolder } from "../../../src/io/targets/temporary-folder.node.js";
import { openDuckDB } from "../../../src/sinks/duckdb/duckdb.node.js";
import type { DuckDBEngine } from "../../../src/sinks/duckdb/engine.js";
import { openNativeDuckDB } from "../../../src/sinks/duckdb/native-database.node.js";
import { encodeJson } from "../../../src/sinks/text/json.js";
import { tableOf, textOf } from "../dataset-of.js";
import { sqlTypes } from "./sql-types.js";

const types = tableFromIPC(readFileSync("test/fixtures/data/sinks/types.arrow"));
const folder = mkdtempSync(join(tmpdir(), "annarrow-engines-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each([
  ["DuckDB-WASM", () => openDuckDB()],
  ["DuckDB-WASM with files", async () => openDuckDB({ folder: await planWorkFolder("annarrow-engines"), memory: 0 })],
  ["native DuckDB", () => openNativeDuckDB({ folder, memory: 2 ** 29 })],
])("%s", (name, openEngine) => {
  let engine: DuckDBEngine;
  beforeAll(async () => {
    engine = await openEngine();
  });
  afterEach(() => engine.drop("made"));
  afterAll(() => engine.close());

  const described = () => rows("select column_name as name, column_type as type from (describe made)");
  const isNative = name === "native DuckDB";
  const expected = { ...sqlTypes, ...(isNative && { dictionary_ordered: "ENUM('c', 'a', 'b', 'unused')" }) };
  const listed = (all: Record<string, string>) => Object.entries(all).map(([name, type]) => ({ name, type }));

  async function rows(sql: string): Promise<unknown[]> {
    const lines = (await textOf(encodeJson(await engine.query(sql)))).split("\n").filter(Boolean);
    return lines.map((line): unknown => JSON.parse(line));
  }

  test.each([20, 3])("every type arrives, in batches of %d rows", async (batchRows) => {
    expect(await engine.load(tableOf("made", types, { batchRows }))).toBe(20);
    expect(await described()).toEqual(listed(expected));
    const nulls = await rows('select count(*) as n, count(int8) as i, count(utf8) as u, count("null") as z from made');
    expect(nulls).toEqual([{ n: 20, i: 13, u: 13, z: 0 }]);
  });

  test("values arrive as they are", async () => {
    await engine.load(tableOf("made", types));
    const [found] = await rows(`select
    max(uint64) = 18446744073709551615 as uint64,
    min(int64) = -9223372036854775808 as int64,
    count(*) filter (float16 = 3.25) = 1 as half,
    count(*) filter (isnan(float16)) = 1 as nan,
    count(*) filter (isinf(float16)) = 3 as inf,
    max(timestamp_s) = timestamp '2020-09-13 12:26:40' as seconds,
    min(epoch_ns(timestamp_ns)) = -1 as nanoseconds,
    min(duration_ns) = -1 as spans,
    max(fixed_list[2]) = 2 as fixed_list,
    max(fixed_list_nested[3][2]) = 119 as nested,
    max(fixed_list_half[2]) = 39 as halves,
    sum(len(list)) = 12 as lists,
    sum(list_struct[1].value) = 25 as structs,
    max(complex.imag) = 19 as complex,
    string_agg(distinct dictionary_ordered, '' order by dictionary_ordered) = '${isNative ? "cab" : "abc"}' as dictionary,
    bool_and(dictionary_of_bool is not distinct from (case dictionary_int8 when 'a' then false when 'b' then true when 'c' then true end)) as bools,
    max(list_dictionary[1]) = 'c' as in_list,
    count(*) filter (utf8 = 'x,"y"' || chr(10)) = 2 as text
    from made`);
    expect(Object.entries(found ?? {}).filter(([, ok]) => ok !== true)).toEqual([]);
  });

  test("tables without rows keep their types", async () => {
    await engine.load(tableOf("made", types.slice(0, 0)));
    // A table without batches has no categories.
    expect(await described()).toEqual(listed({ ...expected, dictionary_ordered: expect.any(String) }));
    expect(await rows("select count(*) as n from made")).toEqual([{ n: 0 }]);
  });

  test("a table is dropped by its name in any case, and loaded again", async () => {
    const numbers = tableOf("made", tableFromArrays({ a: Int32Array.of(7, 8) }));
    for (let i = 0; i < 2; i++) {
      expect(await engine.load(numbers)).toBe(2);
      expect(await rows("select sum(a) as s from Made")).toEqual([{ s: 15 }]);
      await engine.drop("Made");
      await expect(rows("from made")).rejects.toThrow("Table with name made does not exist");
    }
    await engine.drop("made");
  });

  test("a table that fails half-way is dropped", async () => {
    const failing = tableOf("made", types, { batchRows: 7, failsAfter: 2 });
    await expect(engine.load(failing)).rejects.toThrow("made: the file ends here");
    await expect(rows("select * from made")).rejects.toThrow("Table with name made does not exist");
    expect(await engine.load(tableOf("made", types))).toBe(20);
  });

  test.each([
    ["a union", new DenseUnion([0, 1], [new Field("0", new Int32()), new Field("1", new Bool())])],
    ["structs without fields", new Struct([])],
  ])("%s is an error that names the column", async (what, type) => {
    const odd = { ...tableOf("made", types), schema: new Schema([new Field("value", type)]) };
    await expect(engine.load(odd)).rejects.toThrow(`made: column "value" holds ${what}`);
    const none = { ...odd, schema: new Schema([]), rows: 2 ** 20 };
    await expect(engine.load(none)).rejects.toThrow("made: has no columns, which DuckDB cannot hold");
  });

  test("errors are one line", async () => {
    await expect(rows("select cast('x' as int)")).rejects.toThrow(/^Conversion Error: .*'x' to INT32$/);
    await expect(rows("select from")).rejects.toThrow(/^[^\n]{1,200}$/);
  });

  test("a plan is that of the statement", async () => {
    await engine.load(tableOf("made", types));
    expect(JSON.stringify(await engine.explain("select int8 from made where int16 > 3"))).toMatch(/int16\s?>\s?3/);
    await expect(engine.explain("select nothing from made")).rejects.toThrow('"nothing" not found');
  });
});
