import { describe, expect, test } from "vitest";
import { findComparedSubqueries, markSubqueries } from "../../src/query/subqueries.js";

/** The columns of a statement, and the subqueries whose rows they must be among. */
const found = (sql: string) =>
  findComparedSubqueries(sql, (text) => !/\bX\b/.test(text)).map(({ column, text }) => [
    column,
    text.replace(/\s+/g, " "),
  ]);

describe("subqueries", () => {
  test.each<[string, string[][]]>([
    ["select * from X where row in (select row from obs where a = 1)", [["row", "select row from obs where a = 1"]]],
    [
      "select * from X a where exists (select 1 from obs o where o.row = a.row and o.k > 2)",
      [["a.row", "select o.row from obs o where true and o.k > 2"]],
    ],
    [
      "from X where exists (select * from obs, var where n between 1 and 3 and X.col = var.col) and row > 3",
      [["X.col", "select var.col from obs, var where n between 1 and 3 and true"]],
    ],
    [
      "select * from X semi join (select row from obs where n > 1) as o using (row) where col = 3",
      [["row", "select row from (select row from obs where n > 1) as o"]],
    ],
    [
      "select * from X a semi join obs o on o.n > 1 and a.row = o.row and o.k = 2 join var using (col)",
      [["a.row", "select o.row from obs o where o.n > 1 and true and o.k = 2"]],
    ],
    // The outer subquery needs the matrix, the inner one does not.
    [
      "select * from obs where row in (select row from X where col in (select col from var where s = 'a'))",
      [["col", "select col from var where s = 'a'"]],
    ],
    // Rows that are there whatever the equality says.
    ["select * from X a where exists (select count(*) from obs o where o.row = a.row)", []],
    ["select * from X a where exists (select 1 from obs o where o.row = a.row or o.k = 1)", []],
    [
      "select * from X a where exists (select 1 from obs o where o.k = 1 union select 2 from obs o where o.row = a.row)",
      [],
    ],
    ["select * from X a where exists (select 1 from obs o where o.k between 1 and a.row = o.row)", []],
    ["select * from X a where exists (select 1 from obs o where not a.row = o.row)", []],
    ["select * from X a where exists (select 1 from obs o where o.row = o.k)", []],
    ["select * from X a semi join obs o on a.row = o.row or o.k = 1", []],
    ["select * from X a semi join obs o on a.row = o.row + 1", []],
    ["select * from X a anti join obs o using (row)", []],
    ["select * from X a where exists (select 1 from obs o where o.row = a.row limit 0)", []],
    ["with o as (select 1 as row) select * from X semi join o using (row)", []],
  ])("%s", (sql, expected) => expect(found(sql)).toEqual(expected));

  test("markers stand beside terms and joins", () => {
    const sql =
      "from X a semi join obs using (row) where a.col in (select col from var) and exists (select 1 from obs where obs.row = a.row)";
    expect(
      markSubqueries(
        sql,
        findComparedSubqueries(sql, () => true),
        (index) => -index,
      ),
    ).toBe(
      "from X a semi join obs using (row) join (select 1) on (row <> 0) where (a.col in (select col from var) and a.col <> -1)" +
        " and (exists (select 1 from obs where obs.row = a.row) and a.row <> -2)",
    );
  });
});
