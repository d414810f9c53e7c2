import { expect, test } from "vitest";
import { applyReplacements, findRelationStarts } from "../../src/query/relations.js";
import { parseQuotedText, parseSqlTokens } from "../../src/query/tokens.js";

const relations = (sql: string) => {
  const tokens = parseSqlTokens(sql);
  return [...findRelationStarts(tokens)].map((at) => parseQuotedText(tokens[at]) ?? tokens[at].text);
};

test.each([
  ["select a, 'b' from x, 'y.csv' z join w using (a, b) where c in ('d', 'e')", ["x", "y.csv", "w"]],
  ["from (a join b on a.c = b.c), (select 'x' from d), e", ["a", "b", "d", "e"]],
  ["select f('a', 'b') from read_csv('x', 'y'), z order by 'c', d", ["read_csv", "z"]],
  ["with t as (from 'a.csv') select extract(year from b) from t", ["a.csv", "b", "t"]],
  ["describe obs", ["obs"]],
  ["summarize obs", ["obs"]],
  ["select a.b from a.b as c, d", ["a", "d"]],
  ["select x.from, 'y' from z -- from q\n", ["z"]],
])("%s", (sql, expected) => {
  expect(relations(sql)).toEqual(expected);
});

test("replacements keep the rest of the statement", () => {
  const replacements = [
    { start: 7, end: 8, text: "xyz" },
    { start: 0, end: 0, text: "with q as (from t) " },
  ];
  expect(applyReplacements("select a from b", replacements)).toBe("with q as (from t) select xyz from b");
});
