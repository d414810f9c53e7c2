import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import type { BatchOptions, Dataset } from "../../../src/model/dataset.js";
import { openEngine } from "../../../src/query/open-engine.node.js";
import { Session } from "../../../src/query/session/session.js";
import { openTableFile } from "../../../src/query/session/table-files.node.js";
import { openDuckDB } from "../../../src/sinks/duckdb/duckdb.node.js";
import { encodeJson } from "../../../src/sinks/text/json.js";
import { overrideTable } from "../../../src/tables/batch-table.js";
import { textOf } from "../../sinks/dataset-of.js";

const PBMC = "examples/pbmc.h5ad";
let pbmc: Dataset;
let one: Session;
let two: Session;
let union: Session;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-session-"));
  pbmc = await open(PBMC);
  const named = (name: string) => ({ name, path: `${name}.h5ad`, dataset: pbmc });
  const session = (names: readonly string[], isUnion = false) =>
    new Session(
      { datasets: names.map(named), union: isUnion },
      { files: isUnion || names[0] === "pbmc" ? openTableFile : null, open: openDuckDB },
    );
  one = session(["pbmc"]);
  two = session(["a", "b c"]);
  union = session(["runs/1", "runs/2"], true);
});
afterAll(async () => {
  for (const session of [one, two, union]) await session.close();
  await pbmc.close();
  rmSync(folder, { recursive: true });
});

async function rows(session: Session, sql: string): Promise<unknown> {
  const answer = await session.answer(sql);
  return JSON.parse(await textOf(encodeJson(answer.rows, { array: true })));
}

/** The values of a gene by the library's own reading of one gene. */
async function sumOf(gene: string, options = {}): Promise<number> {
  return Array.from(await pbmc.gene(gene, options), Number).reduce((sum, value) => sum + value, 0);
}

describe("one file", () => {
  test("show tables lists what can be asked, and reads nothing", async () => {
    const listed = await rows(one, "show tables");
    expect(listed).toHaveLength(pbmc.tables.size);
    expect(listed).toContainEqual({ name: "X", rows: pbmc.table("X").rows, columns: "row, col, value" });
  });

  test("describe gives types without reading values", async () => {
    const X = pbmc.table("X");
    const asked: unknown[] = [];
    const table = overrideTable(X, {
      batches: (options: BatchOptions = {}) => {
        asked.push(options.rows);
        return X.batches(options);
      },
    });
    const tables = new Map([["X", table]]);
    const dataset = { ...plainDataset(pbmc), tables, table: () => table };
    const session = new Session(
      { datasets: [{ name: "x", path: "x", dataset }], union: false },
      { files: null, open: openDuckDB },
    );
    const described = await rows(session, "describe X").finally(() => session.close());
    expect(described).toMatchObject([
      { column_name: "row", column_type: "INTEGER" },
      { column_name: "col", column_type: "INTEGER" },
      { column_name: "value", column_type: "FLOAT" },
    ]);
    expect(asked.filter((rows) => String(rows) !== "0,0")).toEqual([]);
  });

  test("gene is the row and value of one gene, by the index or a column of symbols", async () => {
    const [sum] = [await sumOf("SIMG0000005", { layer: "counts" })];
    expect(await rows(one, "select sum(g.value)::int as s from gene('SIMG0000005', layer := 'counts') as g")).toEqual([
      { s: sum },
    ]);
    const symbol = (await sumOf("CD3E", { names: "symbol" })).toFixed(2);
    expect(await rows(one, "select round(sum(gene.value), 2) as s from gene('CD3E')")).toEqual([{ s: Number(symbol) }]);
    expect(await rows(one, "describe gene('CD3E')")).toMatchObject([{ column_name: "row" }, { column_name: "value" }]);
  });

  test("its mean is the one over all cells", async () => {
    // Of scipy and pandas, zeros included.
    const { meanOfAllCells } = JSON.parse(readFileSync("examples/pbmc.expected.json", "utf8"));
    for (const symbol of ["CD3E", "MS4A1"]) {
      const means = `select cell_type, avg(value::double) as mean from obs join gene('${symbol}') using (row) group by 1`;
      const coalesced = `select cell_type, avg(coalesce(value, 0)::double) as mean
        from obs join var on symbol = '${symbol}' left join X using (row, col) group by 1`;
      const expected = Object.entries<number>(meanOfAllCells[symbol]).map(([cell_type, mean]) => ({
        ...{ cell_type, mean: expect.closeTo(mean, 9) },
      }));
      expect(await rows(one, `${means} order by 1`)).toEqual(expected);
      expect(await rows(one, `${coalesced} order by 1`)).toEqual(expected);
    }
  });

  test("only the entries of the gene, and of the cells that are asked for, are read", async () => {
    const explained = async (sql: string) => {
      const reads = JSON.parse(await textOf(encodeJson(await one.explain(sql), { array: true })));
      return reads.find((read: { table: string }) => read.table === "X");
    };
    expect(await explained("from gene('CD3E')")).toMatchObject({ row: "all 2700", col: "1 of 800 (1)" });
    const some = "select avg(value) from obs join gene('CD3E') using (row) where cell_type = 'B cell' and donor = 'D1'";
    expect(await explained(some)).toMatchObject({ row: expect.stringMatching(/^88 of 2700/), col: "1 of 800 (1)" });
    expect(await explained("from gene('CD3E') where row < 3")).toMatchObject({ row: "3 of 2700 (0 … 2)" });
    const [, , name] = (await pbmc.obsNames()) ?? [];
    expect(await explained(`from cells('${name}')`)).toMatchObject({ row: "1 of 2700 (2)" });
  });

  test("cells have row, col and value, for every gene", async () => {
    const [, , name] = (await pbmc.obsNames()) ?? [];
    const values = Array.from(await pbmc.cells(name), Number).map((value, col) => ({ row: 2, col, value }));
    expect(await rows(one, `select row, col, value::double as value from cells('${name}') order by col`)).toEqual(
      values,
    );
  });

  test.each([
    ["from gene('NOPE')", /var has no "NOPE"/],
    ["from gene()", /gene takes one name in single quotes: gene\('CD3E'\)/],
    ["from genes('CD3E')", /genes does not exist! Did you mean gene\?$/],
    ["from cell('AAAC-1')", /cell does not exist! Did you mean cells\?$/],
    ["from gene('CD3E', 'CD4')", /gene takes one name/],
    ["from gene('CD3E', layer := 'nope')", /no layer "nope"/],
    ["from layers/counts", /near "\/"\. Put the name in double quotes: "layers\/counts"$/],
    ["from oobs", /Did you mean obs\? The file has X/],
    ['from obs where cell_type = "B cell"', /text stands in single quotes: 'B cell'\. obs has _index/],
    ["from obs where cell_type = Monocyte", /If Monocyte is text, put it in single quotes: 'Monocyte'\. obs has/],
    ["from obs where cell_type = B cell", /near "cell"\. If B cell is text, put it in single quotes: 'B cell'$/],
    ["from obs where cell_type = CD4 T cell and age > 3", /put it in single quotes: 'CD4 T cell'$/],
    ["from obs where age > 3 limit 1 offset", /^(?!.*single quotes)/],
    ['select col, sum(value) from "obsm/X_pca" group by col', /! "obsm\/X_pca" is dense: .* names both row and col/],
    ['from "obsm/X_pca" join var using (col)', /! "obsm\/X_pca" is dense: .* names both row and col/],
    ['select p.col from "obsm/X_pca" as p', /\. "obsm\/X_pca" is dense: .* names both row and col/],
    ["select col from obs", /obs has _index/],
    ["select cel_type from obs", /Did you mean cell_type\? obs has _index/],
  ])("%s is an error that helps", async (sql, message) => {
    await expect(one.answer(sql)).rejects.toThrow(message);
  });

  test("files of tables stand in the place of a table", async () => {
    const csv = join(folder, "donors.csv");
    writeFileSync(csv, 'donor,note\nD1,"a, b"\nD2,\n');
    const sql = `select donors.note, count(*)::int as n from obs join '${csv}' using (donor) group by 1 order by n`;
    const donors = await rows(
      one,
      "select donor, count(*)::int as n from obs where donor in ('D1', 'D2') group by 1 order by 1",
    );
    expect(await rows(one, sql)).toEqual([
      { note: "a, b", n: (donors as { n: number }[])[0].n },
      { note: null, n: (donors as { n: number }[])[1].n },
    ]);
    expect(await rows(one, `describe '${csv}'`)).toMatchObject([{ column_name: "donor" }, { column_name: "note" }]);
    expect(await rows(one, `summarize '${csv}'`)).toMatchObject([{ max: "D2" }, { max: "a, b" }]);
    const lines = join(folder, "rows.ndjson");
    writeFileSync(lines, '{"a":1,"b":[1,2]}\n\n{"c":true,"a":null}\n');
    expect(await rows(one, `from '${lines}'`)).toEqual([
      { a: 1, b: "[1,2]", c: null },
      { a: null, b: null, c: true },
    ]);
    writeFileSync(lines, "{}\n{nope\n");
    await expect(one.answer(`from '${lines}'`)).rejects.toThrow(/rows\.ndjson: is no JSON in line 2/);
    await expect(one.answer("from 'nope.csv'")).rejects.toThrow(/nope\.csv: cannot be read: no such file/);
    await expect(two.answer(`from '${csv}'`)).rejects.toThrow(/donors\.csv: .*--files/);
  });

  test("a statement that is cancelled leaves the session usable", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    const long = one
      .answer("select sum(hash(range)) from range(100000000000)", { signal: controller.signal })
      .then((answer) => textOf(encodeJson(answer.rows)));
    await expect(long).rejects.toThrow(/abort/i);
    expect(await rows(one, "select count(*)::int as n from obs")).toEqual([{ n: 2700 }]);
  });

  test("tables of the user stay from statement to statement", async () => {
    await rows(one, "create table kept as select cell_type from obs limit 3");
    expect(await rows(one, "select count(*)::int as n from kept, obs")).toEqual([{ n: 8100 }]);
  });
});

test.each(["native", "wasm"] as const)("files of the machine are out of reach without leave: %s", async (engine) => {
  const path = join(folder, "some.csv");
  writeFileSync(path, "donor\nD1\n");
  const dataset = { name: "pbmc", path: PBMC, dataset: pbmc };
  const reads = [`from read_csv('${path}')`, `from read_text('${path}')`, `from '${path}'`, `from glob('${folder}/*')`];
  for (const files of [false, true]) {
    const session = new Session(
      { datasets: [dataset], union: false },
      { files: files ? openTableFile : null, open: () => openEngine({ engine, files }) },
    );
    if (files) expect(await rows(session, reads[0])).toEqual([{ donor: "D1" }]);
    else for (const sql of reads) await expect(session.answer(sql)).rejects.toThrow(/may (read|name) files only/);
    await session.close();
  }
});

describe("several files", () => {
  test("have their names before the dot", async () => {
    const sql =
      'select count(*)::int as n, min(a.obs.age)::int = min("b c".obs.age)::int as same from a.obs join "b c".obs using (row)';
    expect(await rows(two, sql)).toEqual([{ n: 2700, same: true }]);
    await expect(two.answer("from obs")).rejects.toThrow(/Did you mean "a\.obs" or "b c\.obs"/);
    await expect(two.answer("from gene('CD3E')")).rejects.toThrow("which file is meant? write a.gene, b c.gene");
    expect(await rows(two, "select count(*) > 0 as some from A.gene('CD3E')")).toEqual([{ some: true }]);
  });

  test("are one table each with a column filename", async () => {
    const each = [
      { filename: "runs/1.h5ad", n: 2700 },
      { filename: "runs/2.h5ad", n: 2700 },
    ];
    expect(await rows(union, "select filename, count(*)::int as n from obs group by 1 order by 1")).toEqual(each);
    const named = "with a as (from obs where row < 2) select filename, count(*)::int as n from a group by 1 order by 1";
    expect(await rows(union, named)).toEqual(each.map((row) => ({ ...row, n: 2 })));
    expect(await rows(union, "select count(distinct filename)::int as n from gene('CD3E')")).toEqual([{ n: 2 }]);
    expect(await rows(union, "describe obs")).toContainEqual(expect.objectContaining({ column_name: "filename" }));
    expect(await rows(union, "summarize obs")).toContainEqual(
      expect.objectContaining({ column_name: "age", count: 5400 }),
    );
    expect(await rows(union, "show tables")).toContainEqual(expect.objectContaining({ name: "obs", rows: 5400 }));
  });
});

/** The members of a dataset, which is no plain object. */
function plainDataset(dataset: Dataset): Dataset {
  const { format, version, container, shape, source, tables, failures, warnings } = dataset;
  return {
    ...{ format, version, container, shape, source, tables, failures, warnings },
    table: (name) => dataset.table(name),
    close: () => dataset.close(),
    select: (selection) => dataset.select(selection),
    gene: dataset.gene,
    cells: dataset.cells,
    obsNames: (options) => dataset.obsNames(options),
    varNames: (options) => dataset.varNames(options),
    [Symbol.asyncDispose]: () => dataset.close(),
  };
}

test("a file whose name has the patterns of a replacement keeps it", async () => {
  const dataset = { name: "a", path: "$& $1.h5ad", dataset: pbmc };
  const session = new Session({ datasets: [dataset], union: true }, { files: null, open: openDuckDB });
  const found = await rows(session, "select distinct filename from gene('SIMG0000005')").finally(() => session.close());
  expect(found).toEqual([{ filename: "$& $1.h5ad" }]);
});
