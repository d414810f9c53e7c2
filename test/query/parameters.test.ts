import { describe, expect, test } from "vitest";
import { hasParameters, inferParameterTypes, replaceParameters } from "../../src/query/parameters.js";

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

test("parameters are replaced by position, outside of texts, names and comments", () => {
  const sql = "select ?, '?', \"$1\" from t where n = $1 and m = ? -- ?";
  expect(replaceParameters(sql, ["1", "'b'"])).toBe("select 1, '?', \"$1\" from t where n = 1 and m = 'b' -- ?");
  expect(replaceParameters(sql, ["1"])).toContain("m = null");
});
