/** Conditions of the page as SQL. */

import { expect, test } from "vitest";
import { checkFilter, type Filter, sqlOfConditions, sqlOfFilter } from "../../page/src/table/filters.js";

test("filters as SQL, with every quote doubled", () => {
  const filters: readonly [Filter, string][] = [
    [{ by: "contains", column: "note", text: "it's" }, `contains(lower("note"), lower('it''s'))`],
    [{ by: "values", column: 'a"b', values: ["x", "y"] }, `"a""b" in ('x', 'y')`],
    [{ by: "values", column: "c", values: ["x", null] }, `("c" in ('x') or "c" is null)`],
    [{ by: "values", column: "c", values: [null] }, `"c" is null`],
    [{ by: "values", column: "c", values: [] }, "false"],
    [{ by: "range", column: "n", least: 1, most: 2.5 }, `"n" between 1 and 2.5`],
    [{ by: "range", column: "n", least: null, most: -3 }, `"n" <= -3`],
    [{ by: "range", column: "n", least: 1e-7, most: null }, `"n" >= 1e-7`],
    [{ by: "range", column: "n", least: null, most: null }, `"n" is not null`],
  ];
  for (const [filter, sql] of filters) expect(sqlOfFilter(filter)).toBe(sql);
});

test("conditions are joined, and a comment hides nothing", () => {
  const filter: Filter = { by: "range", column: "n", least: 1, most: null };
  expect(sqlOfConditions({ filters: [], sql: "  " })).toBeNull();
  expect(sqlOfConditions({ filters: [], sql: " a or b " })).toBe("a or b");
  expect(sqlOfConditions({ filters: [filter], sql: "a or b -- both" })).toBe('"n" >= 1 and (a or b -- both\n)');
});

test("what an address says is checked", () => {
  expect(checkFilter({ by: "values", column: "c", values: ["x", null] })).toEqual({
    ...{ by: "values", column: "c", values: ["x", null] },
  });
  for (const wrong of [
    null,
    "values",
    { by: "values", column: "c", values: [1] },
    { by: "range", column: "c", least: "1 or true", most: null },
    { by: "range", column: "c", least: Number.POSITIVE_INFINITY, most: null },
    { by: "contains", column: 3, text: "x" },
    { by: "drop", column: "c" },
  ]) {
    expect(checkFilter(wrong)).toBeNull();
  }
});
