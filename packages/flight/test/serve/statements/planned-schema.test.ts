/** Schemas that are planned are those of the answer; the expected ones are DuckDB's own, of the statement that is run. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { type InProcessDuckDB, openDuckDB } from "../../../../../src/sinks/duckdb/duckdb.node.js";
import { readPlannedSchema } from "../../../src/serve/statements/planned-schema.js";

let engine: InProcessDuckDB;
beforeAll(async () => {
  engine = await openDuckDB();
  await engine.run("create table t as select range % 3 as a, range::float as b, 'x' as c from range(10)");
}, 120_000);
afterAll(() => engine.close());

test.each([
  "select * from t",
  "select a, a, b as A_1 from t;",
  "select 1 as x, 2 as x limit 5 -- the last words",
  "(select a from t) union all (select 2)",
  "with x as (select a from t) select x.*, y.a from x join t y using (a)",
  "from t",
  "table t",
  "values (1, 'a')",
  "pivot t on a using sum(b)",
  "unpivot t on a, b",
  "describe t",
  "desc select 1",
  "show tables",
  "summarize select a from t",
  "summarize t",
  "explain select a from t",
])("%s", async (sql) => {
  expect(`${await readPlannedSchema(sql, engine)}`).toBe(`${(await engine.query(sql)).schema}`);
});

test("statements do not run", async () => {
  const endless = "select sum(a.range * b.range)::double as s from range(100_000_000) a, range(100_000_000) b";
  expect(`${await readPlannedSchema(endless, engine)}`).toBe("Schema<{ 0: s: Float64 }>");
  expect((await readPlannedSchema(`summarize ${endless}`, engine)).names).toContain("approx_unique");
});

test.each([
  ["select * form t", /syntax error at or near "t"/],
  ["select 1 +", /syntax error at end of input/],
  ["select nosuch from t", /column "nosuch" not found/],
])("the error of %s is DuckDB's", async (sql, message) => {
  await expect(readPlannedSchema(sql, engine)).rejects.toThrow(message);
});
