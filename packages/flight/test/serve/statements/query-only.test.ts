import { describe, expect, test } from "vitest";
import { checkQuery } from "../../../src/serve/statements/query-only.js";

describe("a query passes", () => {
  test.each([
    "select 1",
    "  -- comment\n SELECT 1;",
    "(select 1) union (select 2);;",
    "from obs",
    "values (1)",
    "table obs",
    "with x as (select 1) select * from x",
    "with x as (select ';' as a, 1 as \"insert\") from x",
    "with x(a) as (values (1)), y as materialized (select 2) select a from x, y",
    "describe obs",
    "summarize obs",
    "show tables",
    "pivot obs on cell_type using count(*)",
    "explain select 1",
    "explain analyze select 1",
    "explain (format json) select 1",
    "select 'insert into x; drop table y'",
    "select $$;$$",
  ])("%s", (sql) => {
    expect(() => checkQuery(sql)).not.toThrow();
  });
});

describe("other statements are refused by name", () => {
  const kinds =
    "copy attach detach install load set reset pragma export import call create drop alter insert update delete merge truncate begin commit rollback checkpoint vacuum prepare execute deallocate use comment force grant";
  test.each(kinds.split(" "))("%s", (word) => {
    for (const sql of [
      `${word} x`,
      `/* c */ ${word.toUpperCase()} x`,
      `explain ${word} x`,
      `explain analyze ${word} x`,
    ]) {
      expect(() => checkQuery(sql)).toThrow(`${word.toUpperCase()} is refused`);
    }
  });

  test.each(["insert into x select 1", "update x set a = 1", "delete from x", "merge into x using y on true"])(
    "with … %s",
    (rest) => {
      const word = rest.split(" ")[0].toUpperCase();
      expect(() => checkQuery(`with y as (select 1) ${rest}`)).toThrow(`${word} is refused`);
      expect(() => checkQuery(`explain with y as (select 1) ${rest}`)).toThrow(`${word} is refused`);
    },
  );

  test.each([
    ["", "the statement is empty"],
    [" ; -- nothing", "the statement is empty"],
    ["select 1; select 2", "several statements"],
    ["select 1; drop table x", "several statements"],
    ["? ", "is refused"],
    ['"select" 1', "is refused"],
    ["(((", "is refused"],
    ["explain", "is refused"],
  ])("%j", (sql, message) => {
    expect(() => checkQuery(sql)).toThrow(message);
  });
});
