import { describe, expect, test } from "vitest";
import { parseSqlNames } from "../../src/query/names.js";

const TABLES = ["X", "obs", "var", "layers/counts", "obsm/X_umap"];
const OBS = ["_index", "cell_type", "n_genes", "row"];
const tables = (sql: string) => TABLES.filter((name) => parseSqlNames(sql).hasTable(name));
const columns = (sql: string, table = "obs") => parseSqlNames(sql).columnsOf(table, OBS);

describe("tables", () => {
  test.each([
    ["select 1", []],
    ["select * from obs", ["obs"]],
    ["SELECT * FROM OBS", ["obs"]],
    ["from obs", ["obs"]],
    ['select * from "layers/counts"', ["layers/counts"]],
    ["select * from main.obs", ["obs"]],
    ["select avg(value) from X join obs using (row) join var using (col)", ["X", "obs", "var"]],
    ["select * from obs o, var v", ["obs", "var"]],
    ["select * from (select * from obs) join (var join X using (col)) on true", ["X", "obs", "var"]],
    ["with t as (select * from obs) select * from t", ["obs"]],
    ["select (select count(*) from X) from obs where row in (select col from var)", ["X", "obs", "var"]],
    ["describe obs", ["obs"]],
    ["desc obs", ["obs"]],
    ["select row from obs order by n_genes desc, var", ["obs"]],
    ["summarize var", ["var"]],
    ["select x, var from obs", ["obs"]],
    ["select 'from X' from obs -- from var", ["obs"]],
    ["select $$ from X $$, e'\\' from X' /* from var */ from obs", ["obs"]],
    ["select * from obs; select * from var", ["obs", "var"]],
    ["pivot obs on cell_type", ["obs"]],
  ])("%s", (sql, expected) => expect(tables(sql)).toEqual(expected));
});

describe("columns", () => {
  test.each([
    ["select cell_type from obs", ["cell_type"]],
    ["select CELL_TYPE, count(*) from obs group by 1", ["cell_type"]],
    ["select count(*) from obs", []],
    ["select count( * ) from obs where n_genes > 3", ["n_genes"]],
    ["select n_genes * 2 from obs", ["n_genes"]],
    ["select 2 * n_genes, (n_genes) * (row) from obs", ["n_genes", "row"]],
    ['select "cell_type" from obs', ["cell_type"]],
    ["select 'cell_type' from obs", []],
    ["select o.row from obs o where o.n_genes = 1", ["n_genes", "row"]],
    ["select obs.row from obs", ["row"]],
    ["select * from obs", OBS],
    ["select row, * from obs", OBS],
    ["select o.* from obs o", OBS],
    ["select distinct * from obs", OBS],
    ["select * exclude (row) from obs", OBS],
    ["select distinct on (row) * from obs", OBS],
    ["select columns('n_.*') from obs", OBS],
    ["select count(columns(*)) from obs", OBS],
    ["from obs", OBS],
    ["select n from (from obs)", OBS],
    ["describe obs", OBS],
    ["desc obs", OBS],
    ["select 1; desc obs", OBS],
    ["explain desc obs", OBS],
    ["select n from (desc obs)", OBS],
    ["select row from obs order by n_genes desc nulls last, row", ["n_genes", "row"]],
    ["select * from obs order by n_genes desc", OBS],
    ["select value from X natural join obs", OBS],
    ["select obs from obs", OBS],
    ["select to_json(o) from obs as o", OBS],
  ])("%s", (sql, expected) => expect(columns(sql)).toEqual(expected));

  test("in any case", () => {
    expect(parseSqlNames("select BATCH from obs").columnsOf("obs", ["Batch", "age"])).toEqual(["Batch"]);
  });
});

test("hostile text does not hang", () => {
  const started = performance.now();
  for (const part of ["'", '"', "/*", "$a$", "(", "e'\\", "--", "*"])
    parseSqlNames(part.repeat(50_000)).hasTable("obs");
  expect(performance.now() - started).toBeLessThan(5000);
});
