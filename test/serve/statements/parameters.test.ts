import { afterEach, describe, expect, test, vi } from "vitest";
import { streamBytes } from "../../../src/ipc/write/apache-writer.js";
import { bindValues, hasParameters, inferParameterTypes } from "../../../src/serve/statements/parameters.js";
import { openDuckDB } from "../../../src/sinks/duckdb/duckdb.node.js";
import { wideBatch, wideJoins } from "../../flight/wide-batch.js";

afterEach(() => vi.restoreAllMocks());

const COLUMNS = new Map([
  ["n", "INTEGER"],
  ["cell type", "VARCHAR"],
  ["day", "DATE"],
]);

describe("the type of a parameter is told by", () => {
  test.each([
    ["select * from t where n > ?", ["INTEGER"]],
    ["select * from t where ? <= N", ["INTEGER"]],
    ['select * from t where t."cell type" = ? and day = ?', ["VARCHAR", "DATE"]],
    ["select * from t where n in (?, 2, ?)", ["INTEGER", "INTEGER"]],
    ["select * from t where day between ? and ? limit ? offset ?", ["DATE", "DATE", "BIGINT", "BIGINT"]],
    ["select * from t where n is not distinct from ?", ["INTEGER"]],
    ["select * from t where n = $2 and day = $1", ["DATE", "INTEGER"]],
    ["select ?::double, cast(? as date), try_cast($3 as text)", ["double", "date", "text"]],
    ["select ? as a, '?' as b, \"?\" from t -- ?", [null]],
    ["select * from t where other = ?", [null]],
    ["select 1", []],
  ])("%s", (sql, types) => {
    expect(inferParameterTypes(sql, COLUMNS)).toEqual(types);
    expect(hasParameters(sql)).toBe(types.length > 0);
  });
});

test("many values are bound without a look at all of them for each", async () => {
  const engine = await openDuckDB();
  const batch = wideBatch(300);
  const bytes = streamBytes(batch.schema, [batch]);
  const joins = wideJoins();
  const [values] = await bindValues(engine, bytes, 300);
  expect(joins()).toBe(0);
  const [row] = (
    await (await engine.query(`select ${[0, 1, 299].map((at) => values[at]).join(", ")}`)).read()
  ).toArray();
  expect(Object.values(row.toJSON())).toEqual([0, 1, 299]);
  await engine.close();
});
