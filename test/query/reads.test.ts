/** What is read of each table of a real file, as the tables are asked for it. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { open } from "../../packages/published/src/node.js";
import type { BatchOptions, Dataset, DataTable } from "../../src/model/dataset.js";
import { answerStatement } from "../../src/query/answer.js";
import { openEngine } from "../../src/query/open-engine.node.js";
import type { DuckDBEngine } from "../../src/sinks/duckdb/engine.js";
import { overrideTable } from "../../src/tables/batch-table.js";
import { datasetOf } from "../sinks/dataset-of.js";

describe.each(["wasm", "native"] as const)("%s", (kind) => {
  let data: Dataset;
  let engine: DuckDBEngine;
  beforeAll(async () => {
    [data, engine] = await Promise.all([open("examples/pbmc.h5ad"), openEngine({ engine: kind })]);
  });
  afterAll(async () => {
    await engine.close();
    await data.close();
  });

  /** The rows that were read of each table, and the positions that it was asked for. */
  async function readFor(sql: string) {
    const read: Record<string, { rows: number; options: BatchOptions }> = {};
    const watched = (table: DataTable): DataTable =>
      overrideTable(table, {
        layout: async (layout) => watched(await table.layout(layout)),
        async *batches(options = {}) {
          read[table.name] = { rows: 0, options };
          for await (const batch of table.batches(options)) {
            read[table.name].rows += batch.numRows;
            yield batch;
          }
        },
      });
    const tables = ["X", "obs", "var"].map((name) => watched(data.table(name)));
    const answer = await answerStatement(datasetOf(tables), sql, engine);
    const { numRows } = await answer.read();
    for (const { name } of tables) await engine.drop(name);
    return { answered: numRows, read };
  }

  const count = async (where: NonNullable<BatchOptions["where"]>) => (await data.table("X").read({ where })).numRows;

  test("one gene, by its position, by a join and by a subquery", async () => {
    const symbols = (await data.table("var").read({ columns: ["symbol"] })).getChild("symbol");
    const col = Array.from(symbols ?? []).indexOf("CD3E");
    const entries = await count({ col: [col] });
    for (const sql of [
      `select row, value from X where col = ${col}`,
      "select cell_type, value from X join obs using (row) join var using (col) where symbol = 'CD3E'",
      "select t.value from (select row as col, col as row, value from X) t join var v on v.col = t.row where symbol = 'CD3E'",
      "select value from X where col in (select col from var where symbol = 'CD3E')",
      "select value from X where col = (select col from var where symbol = 'CD3E')",
      "select value from X semi join (select col from var where symbol = 'CD3E') using (col)",
      "select value from X semi join var v on v.col = X.col and v.symbol = 'CD3E'",
      "select * from X where exists (select 1 from var where var.col = X.col and symbol = 'CD3E')",
      "select value from var left join X using (col) where symbol = 'CD3E'",
      `select * from (select * from X) where col = ${col} and value is not null`,
    ]) {
      const { answered, read } = await readFor(sql);
      expect({ sql, answered, read: read.X.rows }).toEqual({ sql, answered: entries, read: entries });
    }
  });

  test("the positions of all sides of OR, where each side limits the axis", async () => {
    const rows = async (sql: string) => (await readFor(sql)).read.X.rows;
    const both = await count({ row: [3, 50] });
    expect(await rows("select value from X where (row = 3 and value > 2) or (row = 50 and col < 100)")).toBe(both);
    expect(
      await rows(
        `select value from X join obs using (row) where (row = 3 and cell_type is not null) or (row = 50 and value > 0)`,
      ),
    ).toBe(both);
  });

  test("rows between, and rows by a join", async () => {
    const between = await readFor("select col, value from X where row between 100 and 119");
    expect(between.read.X.rows).toBe(await count({ row: Array.from({ length: 20 }, (_, i) => 100 + i) }));
    const frame = await readFor("select n_genes from obs where row >= 2690");
    expect([frame.answered, frame.read.obs.rows]).toEqual([10, 10]);
  });

  test("no more rows than a limit", async () => {
    expect((await readFor("select row, value from X limit 10")).read.X.rows).toBe(10);
    expect((await readFor("select * from obs limit 3 offset 4")).read.obs.rows).toBe(7);
  });

  test("everything where a condition could hold for any position", async () => {
    const all = data.table("X").rows;
    for (const sql of [
      "select count(*) from X where row = 3 or value > 2",
      "select count(*) from X where row = 3 or col = 7",
      "select count(*) from X left join (select * from obs where row = 3) using (row)",
      "select count(*) from X anti join (select row from obs where row = 3) using (row)",
      "select count(*) from X where exists (select count(*) from obs where obs.row = X.row and obs.row = 3)",
      "select rowid from X where row = 3",
      "select value from X order by value limit 3",
      "select count(*) from X where row = 3; select 1",
      "select count(*) from X where value > 1 limit 5",
    ]) {
      expect({ sql, rows: (await readFor(sql)).read.X.rows }).toEqual({ sql, rows: all });
    }
  });

  test("nothing where the statement names what there is not", async () => {
    for (const sql of [
      "select avg(value) from X join obs using (row) where cell_typ = 'B cell'",
      "select x.cell from X x",
      "select nofunction(value) from X",
      "select value from X where col in (select col from vars)",
      "select value from X join obs using (row) where obs.cell_typ = 'B cell'",
    ]) {
      const read: string[] = [];
      const tables = ["X", "obs", "var"].map((name): DataTable => {
        const table = data.table(name);
        return overrideTable(table, {
          batches(options) {
            read.push(name);
            return table.batches(options);
          },
        });
      });
      await expect(answerStatement(datasetOf(tables), sql, engine), sql).rejects.toThrow(
        /not found|does not (exist|have)/,
      );
      expect({ sql, read }).toEqual({ sql, read: [] });
    }
  });

  test("nothing where no row is needed", async () => {
    expect((await readFor("describe X")).read).toEqual({});
    expect((await readFor("select * from X where row = -1")).read).toEqual({});
  });

  test("a join takes nothing from below the limit of its other side", async () => {
    const X = "select row, col from X where row % 3 = 0 order by row, col limit 800 offset 1500";
    // The rows by hand: DuckDB sees no join.
    const rows = await (await answerStatement(datasetOf([data.table("X")]), X, engine)).read();
    await engine.drop("X");
    const expected = Array.from(rows.getChild("row") ?? []).filter((row) => row % 2 === 0).length;
    expect(expected).toBeGreaterThan(0);
    const joined = `select t.row from (${X}) t join obs using (row) where obs.row % 2 = 0`;
    // Threads run differently each time.
    for (let i = 0; i < (kind === "native" ? 5 : 1); i++) expect((await readFor(joined)).answered).toBe(expected);
  });
});
