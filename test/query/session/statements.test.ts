import { describe, expect, test } from "vitest";
import { detectStatementKind, listStatements, splitStatements } from "../../../src/query/session/statements.js";

test("semicolons end statements, except in quotes and comments", () => {
  const text = "select ';' as \"a;b\"; -- one; two\nselect $$;$$ /* ; */;; select 3";
  expect(splitStatements(text)).toEqual({
    statements: ["select ';' as \"a;b\"", "-- one; two\nselect $$;$$ /* ; */"],
    rest: "select 3",
  });
  expect(listStatements(text)).toHaveLength(3);
  expect(listStatements(" ; -- nothing\n")).toEqual([]);
});

test("a statement within an open quote goes on", () => {
  expect(splitStatements("select 'a;")).toEqual({ statements: [], rest: "select 'a;" });
});

describe("kinds", () => {
  test.each(["show tables", "SHOW ALL TABLES", "describe", "show"])("%s lists tables", (sql) => {
    expect(detectStatementKind(sql)).toEqual({ kind: "tables" });
  });

  test.each(["describe obs", "desc X", "show obs", "describe select 1"])("%s describes", (sql) => {
    expect(detectStatementKind(sql)).toEqual({ kind: "describe" });
  });

  test.each([
    ["copy (select ')' as a) to 'x.csv'", "select ')' as a", "x.csv", []],
    [
      "COPY obs TO 'it''s.txt' (FORMAT csv, OVERWRITE true)",
      "from obs",
      "it's.txt",
      [
        ["format", "csv"],
        ["overwrite", "true"],
      ],
    ],
    [
      "copy \"layers/counts\" to 'c' (overwrite, format parquet)",
      'from "layers/counts"',
      "c",
      [
        ["overwrite", "true"],
        ["format", "parquet"],
      ],
    ],
  ])("%s copies", (text, sql, file, options) => {
    expect(detectStatementKind(text)).toEqual({
      kind: "copy",
      sql,
      file,
      options: new Map(options.map(([name, value]) => [name, value])),
    });
  });

  test.each(["select 1", "copy obs from 'x.csv'", "copy obs to", "summarize obs"])("%s is for DuckDB", (sql) => {
    expect(detectStatementKind(sql)).toEqual({ kind: "other" });
  });
});
