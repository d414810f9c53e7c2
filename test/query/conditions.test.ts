import { describe, expect, test } from "vitest";
import { findConditionPositions, formatCondition, parseConditions } from "../../src/query/conditions.js";
import { type AxisRanges, listRangePositions } from "../../src/query/positions.js";

/** The positions below 10 that the filters leave of the column c0; null for all. */
function positions(...filters: string[]): number[] | null {
  const left = parseConditions(filters)
    .known.map((condition) => findConditionPositions(condition, 0, 10))
    .filter((one): one is AxisRanges => one !== null)
    .map((one) => [...listRangePositions(one)]);
  return left.length === 0 ? null : left.reduce((all, one) => all.filter((position) => one.includes(position)));
}

describe("positions", () => {
  test.each<[string[], number[] | null]>([
    [["c0=7"], [7]],
    [["c0=70"], []],
    [["c0>=3 AND c0<=5"], [3, 4, 5]],
    [
      ["c0>7", "c1='x'"],
      [8, 9],
    ],
    [["c0<2"], [0, 1]],
    [["c0!=3 AND c0<5"], [0, 1, 2, 4]],
    [["optional: c0=3 OR c0=5"], [3, 5]],
    [["(c0 NOT IN (0, 1, 2, 3, 4, 5))"], [6, 7, 8, 9]],
    [["((c0 = 1) OR (c0 = 4))"], [1, 4]],
    [["c0 IN (-1, 2, 99)"], [2]],
    [["(c0 IS NULL)"], []],
    [["c0=-1"], []],
    // Parts that are not understood could hold for any row.
    [["(((c0 < 3) OR (c0 = 9)) AND ((c1 + 1) > 2) AND (lower(c2) = 'a'))"], [0, 1, 2, 9]],
    [["(((c0 = 1) AND ((c1 % 2) = 0)) OR ((c0 = 4) AND (c2 > 1.5)))"], [1, 4]],
    [["((c0 = 1) OR (NOT (c0 = 3)))"], null],
    [["((c0 = 1) OR ((c0 = 3) = (c1 = 2)))"], null],
    [["((c0 = 1) OR (c1 BETWEEN 1 AND (c0 = 3)))"], null],
    [["((c0 + 1) = 3)"], null],
    // Not understood: nothing is left out.
    [["(CAST(c0 AS DECIMAL(11,1)) = 5.0)"], null],
    [["((c0 % 2) = 0)"], null],
    [["c0=3 OR c1=5"], null],
    [["c0=1 OR c0=2 AND c0=3"], null],
    [["c0=2.5"], null],
    [["optional: Dynamic Filter (row)"], null],
    [["c10=3"], null],
    [["row=3"], null],
    // A text with line feeds, which DuckDB breaks.
    [["c1='a", "c0<5", "b'"], null],
  ])("%j", (filters, expected) => {
    expect(positions(...filters)).toEqual(expected);
  });
});

test("a marker stands for positions, also within OR", () => {
  const [condition] = parseConditions(["((c0 != -77) OR (c0 = 5))"]).known;
  const where = (positions: AxisRanges | null) => findConditionPositions(condition, 0, 10, new Map([[-77, positions]]));
  expect(where([[1, 3]])).toEqual([
    [1, 3],
    [5, 6],
  ]);
  expect(where(null)).toBeNull();
});

test("conditions in SQL have their texts escaped", () => {
  const { known, isExact } = parseConditions([
    "c0='it''s' AND contains(c0, 'a')",
    "(c1 IS NOT NULL)",
    "upper(c0) = 'X'",
  ]);
  expect(known.map((condition) => formatCondition(condition, ['"a""b"', "n"]))).toEqual([
    `"a""b" = 'it''s'`,
    `contains("a""b", 'a')`,
    "n is not null",
  ]);
  expect(isExact).toBe(false);
  const [other] = parseConditions(["((c0 = 1) OR (lower(c1) = 'x'))"]).known;
  expect(formatCondition(other, ["k", "n"])).toBe("(k = '1' or true)");
});
