/** Parts of datasets of every format. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import {
  type AxisSelector,
  type Dataset,
  InvalidInputError,
  loadIntoDuckDB,
  NotFoundError,
  parquetFile,
  type Selection,
  slice,
  sql,
  where,
} from "../../packages/published/src/index.js";
import { convert, write } from "../../packages/published/src/node.js";
import { type InProcessDuckDB, openDuckDB } from "../../src/sinks/duckdb/duckdb.node.js";
import { folder, open, place } from "../formats/conversion/opened.js";
import { bytesOf } from "../sinks/dataset-of.js";
import { type Contents, contentsOf, type Positions, slowPart } from "./part-contents.js";

const DATA = "test/fixtures/data";
const PBMC = "examples/pbmc.h5ad";

/** The axes of the elements, by docs/mapping.md. */
type Axes = readonly (readonly [name: RegExp, row: "obs" | "var" | null, col: "obs" | "var" | null])[];

const ANNDATA: Axes = [
  [/^(X|layers\/.*)$/, "obs", "var"],
  [/^(obs|obsm\/.*|raw\/X)$/, "obs", null],
  [/^(var|varm\/.*)$/, "var", null],
  [/^obsp\//, "obs", "obs"],
  [/^varp\//, "var", "var"],
];
const LOOM: Axes = [
  [/^(matrix|layers\/.*)$/, "var", "obs"],
  [/^row_attrs$/, "var", null],
  [/^col_attrs$/, "obs", null],
  [/^row_graphs\//, "var", "var"],
  [/^col_graphs\//, "obs", "obs"],
];
const BPCELLS: Axes = [
  [/^matrix$/, "var", "obs"],
  [/^row_names$/, "var", null],
  [/^col_names$/, "obs", null],
];

const FILES: readonly (readonly [path: string, axes: Axes, size: readonly [obs: number, vars: number]])[] = [
  ["anndata/modern.h5ad", ANNDATA, [7, 5]],
  ["anndata/modern.v2.zarr.zip", ANNDATA, [7, 5]],
  ["anndata/modern.v3.zarr.zip", ANNDATA, [7, 5]],
  ["anndata/legacy_0_6.h5ad", ANNDATA, [4, 3]],
  ["anndata/legacy_0_7.h5ad", ANNDATA, [3, 2]],
  ["anndata/odd.h5ad", ANNDATA, [3, 2]],
  ["annotated/counts.h5ad", ANNDATA, [70, 45]],
  ["cellranger/v3.h5", ANNDATA, [40, 12]],
  ["cellranger/v2.h5", ANNDATA, [6, 9]],
  ["loom/loompy.loom", LOOM, [9, 70]],
  ["bpcells/packed", BPCELLS, [45, 60]],
  ["bpcells/packed-row", BPCELLS, [45, 60]],
  ["bpcells/one.h5", BPCELLS, [45, 60]],
];

function expectPart(part: Contents, whole: Contents, axes: Axes, chosen: Record<"obs" | "var", Positions>): void {
  expect(Object.keys(part)).toEqual(Object.keys(whole));
  for (const [name, table] of Object.entries(whole)) {
    const [, row = null, col = null] = axes.find(([names]) => names.test(name)) ?? [];
    const rows = slowPart(table, row && chosen[row], col && chosen[col]);
    expect({ name, kind: part[name].kind, rows: part[name].rows }).toEqual({ name, kind: table.kind, rows });
  }
}

describe.each(FILES)("%s", (path, axes, [obs, vars]) => {
  const last = { obs: obs - 1, var: vars - 1 };
  const choices: [string, Record<"obs" | "var", Positions>][] = [
    ["in any order and with repeats", { obs: [last.obs, 0, last.obs], var: [1, 0, last.var] }],
    ["reversed", { obs: Array.from({ length: obs }, (_, i) => last.obs - i), var: null }],
    ["of one axis", { obs: null, var: [last.var, 0] }],
    ["none", { obs: [], var: [] }],
  ];

  test.each(choices)("observations and variables %s", async (_, chosen) => {
    const data = await open(join(DATA, path));
    const part = await data.select({
      ...(chosen.obs === null ? {} : { obs: chosen.obs }),
      ...(chosen.var === null ? {} : { var: chosen.var }),
    });
    expect([part.failures.size, part.format, part.source]).toEqual([0, data.format, data.source]);
    expectPart(await contentsOf(part), await contentsOf(data), axes, chosen);
    const sizes = [chosen.obs?.length ?? obs, chosen.var?.length ?? vars];
    // Loom and BPCells store genes as rows.
    expect(part.shape).toEqual(axes === ANNDATA ? sizes : sizes.reverse());
  });

  test("a part of a part is the part of the positions' positions", async () => {
    const data = await open(join(DATA, path));
    const first = await data.select({ obs: [last.obs, 0, 1, 1], var: [1, 0] });
    const second = await first.select({ obs: [3, 0, 0], var: [1, 1, 0] });
    const once = await data.select({ obs: [1, last.obs, last.obs], var: [0, 0, 1] });
    expect(await contentsOf(second)).toEqual(await contentsOf(once));
    expect(second.shape).toEqual(once.shape);
  });
});

describe("selectors", () => {
  /** The names of the cells of a part. */
  async function cells(data: Dataset, selection: Selection): Promise<readonly string[] | null> {
    return (await data.select(selection)).obsNames();
  }

  test("names, positions, masks, ranges and columns of Arrow choose cells alike", async () => {
    const data = await open(join(DATA, "annotated/counts.h5ad"));
    const names = (await data.obsNames()) ?? [];
    expect(names).toHaveLength(70);
    const mask = names.map((_, i) => i >= 3 && i < 6);
    const expected = names.slice(3, 6);
    const selectors: AxisSelector[] = [
      [3, 4, 5],
      Uint16Array.of(3, 4, 5),
      expected,
      vectorFromArray([...expected]),
      mask,
      vectorFromArray(mask),
      slice(3, 6),
    ];
    for (const obs of selectors) expect(await cells(data, { obs })).toEqual(expected);
    expect(await (await data.select({ var: ["gene2", "gene0"] })).varNames()).toEqual(["gene2", "gene0"]);
  });

  test("conditions in SQL and in JavaScript choose by the columns of obs and var", async () => {
    const data = await open(PBMC);
    const frame = await data.table("obs").read({ columns: ["cell_type", "n_counts"] });
    const expected = Array.from({ length: frame.numRows }, (_, i) => i).filter(
      (i) => frame.getChild("cell_type")?.get(i) === "B cell" && Number(frame.getChild("n_counts")?.get(i)) > 200,
    );
    expect(expected.length).toBeGreaterThan(10);
    const names = (await data.obsNames()) ?? [];
    const bySql = await data.select({ obs: sql`cell_type = ${"B cell"} and n_counts > 200` });
    expect(await bySql.obsNames()).toEqual(expected.map((i) => names[i]));
    const test = (type: unknown, counts: unknown) => type === "B cell" && Number(counts) > 200;
    const byTest = await data.select({ obs: where(["cell_type", "n_counts"], test) });
    expect(await byTest.obsNames()).toEqual(await bySql.obsNames());
    expect(bySql.shape).toEqual([expected.length, 800]);
    const genes = await data.select({ var: sql`n_cells > 500 -- a comment` });
    expect(genes.shape?.[1]).toBeGreaterThan(0);
    const none = await data.select({ obs: sql`false`, var: where([], () => false) });
    expect([none.shape, await none.obsNames(), await none.varNames()]).toEqual([[0, 0], [], []]);
  });

  test("conditions hold for the rows of a part, too", async () => {
    const data = await open(PBMC);
    const turned = await data.select({ obs: Int32Array.from({ length: 2700 }, (_, i) => 2699 - i) });
    const found = await turned.select({ obs: sql`cell_type = 'B cell'` });
    const direct = await data.select({ obs: sql`cell_type = 'B cell'` });
    expect(await found.obsNames()).toEqual((await direct.obsNames())?.toReversed());
  });

  test("genes and cells of a part are rows and columns of its matrix", async () => {
    const data = await open(join(DATA, "annotated/counts.h5ad"));
    const [obs, genes] = [
      [5, 0, 5, 69],
      ["gene3", "gene1"],
    ];
    const part = await data.select({ obs, var: genes });
    const whole = await data.gene("gene1");
    expect(Array.from<number | bigint>(await part.gene("gene1"))).toEqual(obs.map((cell) => whole[cell]));
    const [name] = (await (await data.select({ obs: [69] })).obsNames()) ?? [];
    const [one, three] = [whole, await data.gene("gene3")];
    expect(Array.from<number | bigint>(await part.cells(name))).toEqual([three[69], one[69]]);
  });

  test("names that stand in another column are said to stand there", async () => {
    const data = await open(PBMC);
    const [symbol] = [...((await data.table("var").read()).getChild("symbol") ?? [])];
    await expect(data.select({ var: [symbol] })).rejects.toThrow(
      `var has no ${JSON.stringify(symbol)}; its column symbol has it`,
    );
    await expect(data.select({ var: [symbol.toLowerCase()] })).rejects.toThrow(
      `var has no ${JSON.stringify(symbol.toLowerCase())}; its column symbol has ${JSON.stringify(symbol)}`,
    );
    expect(await data.gene(symbol, { names: "symbol" })).toHaveLength(2700);
  });

  test("the list of names belongs to the caller", async () => {
    const data = await open(PBMC);
    const names = [...((await data.varNames()) ?? [])];
    Object.assign((await data.varNames()) ?? [], { 0: "changed" });
    expect(await data.varNames()).toEqual(names);
  });

  test("conditions at once, on several datasets, hold for each of them", async () => {
    const [a, b] = [await open(PBMC), await open(join(DATA, "annotated/counts.h5ad"))];
    const sizes = async (data: Dataset, condition: string) =>
      (await data.select({ obs: { kind: "sql", text: condition } })).shape?.[0];
    const found = await Promise.all([
      sizes(a, "true"),
      sizes(b, "true"),
      sizes(a, "false").catch(String),
      sizes(b, "nothing = 1").catch(String),
      sizes(b, "true"),
    ]);
    expect(found).toEqual([2700, 70, 0, expect.stringContaining("nothing"), 70]);
  });

  test("names of an axis without names are null, and choose nothing", async () => {
    const data = await open(join(DATA, "bpcells/packed-row"));
    expect([await data.obsNames(), await data.varNames()]).toEqual([null, null]);
    await expect(data.select({ obs: ["a"] })).rejects.toThrow("obs has no names, only positions");
  });

  test("a column that a loop over the store reads is read from chosen chunks alone", async () => {
    const data = await open(PBMC);
    const part = await data.select({ obs: slice(10, 20) });
    const whole = await data.table("obs").read({ rows: [12, 15] });
    const own = await part.table("obs").read({ rows: [2, 5] });
    expect(String(own)).toBe(String(whole));
  });
});

/** The numbers of a map, which may be a matrix of one column; 0 for NaN. */
async function numbersOf(data: Dataset, map: string): Promise<readonly number[]> {
  const values = [...((await data.table(map).read()).getChildAt(0) ?? [])];
  return values.map((value) => Number(typeof value === "object" ? [...value][0] : value) || 0);
}

describe("MuData", () => {
  test.each([["axis0.h5mu"], ["axis1.h5mu"], ["both.h5mu"], ["legacy.h5mu"], ["axis0.v3.zarr.zip"]])(
    "the modalities of %s follow by their maps",
    async (file) => {
      const data = await open(join(DATA, "mudata", file));
      const [obs, vars] = data.shape ?? [0, 0];
      const part = await data.select({ obs: [obs - 1, 1, 0], var: [vars - 1, 0] });
      expect(part.failures.size).toBe(0);
      const [whole, own] = [await contentsOf(data), await contentsOf(part)];
      for (const [axis, positions] of [
        ["obs", [obs - 1, 1, 0]],
        ["var", [vars - 1, 0]],
      ] as const) {
        expect(own[axis].rows).toEqual(positions.map((position) => whole[axis].rows[position]));
        for (const name of Object.keys(whole).filter((key) => key.startsWith(`${axis}map/`))) {
          const before = await numbersOf(data, name);
          const numbers = positions.map((position) => before[position]);
          const inModality = numbers.filter((number) => number > 0).map((number) => number - 1);
          const modality = `mod/${name.slice(axis.length + 4)}`;
          const frame = `${modality}/${axis}`;
          expect(own[frame].rows).toEqual(inModality.map((position) => whole[frame].rows[position]));
          // The part's own map counts the positions that are left.
          let count = 0;
          const counted = numbers.map((number) => (number > 0 ? ++count : 0));
          expect(await numbersOf(part, name)).toEqual(counted);
          expect(own[name].fields).toEqual(whole[name].fields);
        }
      }
    },
  );
});

async function firstRow(database: InProcessDuckDB, statement: string): Promise<unknown> {
  return (await (await database.query(statement)).read()).get(0)?.toJSON();
}

describe("a part goes to every sink", () => {
  const chosen = { obs: [5, 0, 5, 69], var: [3, 1] };

  test.each([["h5ad"], ["zarr"], ["zarr.zip"]])("a .%s", async (extension) => {
    const part = await (await open(join(DATA, "anndata/modern.h5ad"))).select({ obs: [6, 0, 6], var: [2, 1] });
    const path = place(extension);
    await write(path, part);
    const [written, expected] = [await contentsOf(await open(path)), await contentsOf(part)];
    expect(Object.keys(written).sort()).toEqual(Object.keys(expected).sort());
    for (const [name, table] of Object.entries(expected)) {
      expect({ name, rows: written[name].rows }).toEqual({ name, rows: table.rows });
    }
  });

  test("a .loom and a .bpcells", async () => {
    const part = await (await open(join(DATA, "annotated/counts.h5ad"))).select(chosen);
    const { rows } = (await contentsOf(part)).X;
    for (const extension of ["loom", "bpcells"]) {
      const path = place(extension);
      await write(path, part, { lossy: true, ...(extension === "bpcells" ? { matrix: "X" } : {}) });
      const data = await open(path);
      const matrix = await (await data.table("matrix").layout("coordinate")).read();
      const turned = Array.from(matrix, (entry) => {
        const { row, col, value } = entry.toJSON();
        return [Number(col), Number(row), Number(value)];
      });
      expect(turned.sort(([a, b], [c, d]) => a - c || b - d)).toEqual(
        rows.map(([row, col]) => [row, col, expect.any(Number)]),
      );
      expect(await data.obsNames()).toEqual(await part.obsNames());
    }
  });

  test("a folder of Parquet files, and one of them", async () => {
    const part = await (await open(join(DATA, "annotated/counts.h5ad"))).select(chosen);
    const path = join(folder(), "parquet");
    await write(path, part, { format: "parquet" });
    const read = await contentsOf(await open(path));
    const expected = await contentsOf(part);
    for (const [name, { rows }] of Object.entries(expected))
      expect({ name, rows: read[name].rows }).toEqual({ name, rows });
    const file = place("parquet");
    writeFileSync(file, await bytesOf(parquetFile(part.table("X"))));
    const again = place("arrow");
    await convert(file, again);
    const [{ rows }] = Object.values(await contentsOf(await open(again)));
    expect(rows).toEqual(expected.X.rows);
  });

  test("DuckDB", async () => {
    const part = await (await open(PBMC)).select({ obs: sql`cell_type = 'B cell'`, var: [4, 3] });
    const database = await openDuckDB();
    try {
      await loadIntoDuckDB(part, database.connection, { tables: ["obs", "X"] });
      const counted = 'select count(*)::int as cells, count(distinct cell_type)::int as types from "obs"';
      expect(await firstRow(database, counted)).toEqual({ cells: part.shape?.[0], types: 1 });
      const entries = (await part.table("X").read()).numRows;
      const genes = 'select count(*)::int as entries, max(col)::int as last from "X"';
      expect(await firstRow(database, genes)).toEqual({ entries, last: 1 });
    } finally {
      await database.close();
    }
  });
});

describe("what cannot be chosen", () => {
  test.each<[string, Selection, typeof InvalidInputError | typeof NotFoundError, RegExp]>([
    ["a name", { obs: ["cell0"] }, NotFoundError, /counts\.h5ad: obs has no "cell0" \(did you mean "cell0é"\?\)$/],
    ["a position", { var: [45] }, InvalidInputError, /counts\.h5ad: var 45 was asked for, there are 0 … 44$/],
    ["a mask", { obs: [true] }, InvalidInputError, /counts\.h5ad: a mask of 1 values for obs, which has 70$/],
    ["a column", { obs: where(["kinds"], () => true) }, NotFoundError, /counts\.h5ad: obs: .*kinds/],
    ["a column in SQL", { obs: sql`kinds = 1` }, InvalidInputError, /kinds/],
    ["a condition", { obs: sql`(1` }, InvalidInputError, /syntax.*; obs has \S/i],
    ["half a condition", { obs: sql`n >` }, InvalidInputError, /condition n >: syntax error at its end; obs has \S/],
    ["two statements", { obs: sql`true); drop table obs; select (1` }, InvalidInputError, /./],
  ])("%s that is wrong is an error that names it", async (_, selection, type, message) => {
    const data = await open(join(DATA, "annotated/counts.h5ad"));
    const found = data.select(selection);
    await expect(found).rejects.toThrow(type);
    await expect(found).rejects.toThrow(message);
  });

  test("a member that no selection has", async () => {
    const data = await open("test/fixtures/data/anndata/modern.h5ad");
    const misspelt = { obss: [0], var: [0] };
    await expect(data.select(misspelt)).rejects.toThrow("select has no option obss; did you mean obs?");
    const where = { rows: [0], row: [1] };
    await expect(data.table("X").read({ where })).rejects.toThrow("where has no option rows; did you mean row?");
    await data.close();
  });

  test("two genomes have no one obs and var", async () => {
    const data = await open(join(DATA, "cellranger/v2-two-genomes.h5"));
    await expect(data.select({ obs: [0] })).rejects.toThrow(/it does not have one obs and one var/);
    await expect(data.obsNames()).rejects.toThrow(InvalidInputError);
  });

  test("a name that stands twice does not choose", async () => {
    const data = await open(join(DATA, "cellranger/v2.h5"));
    await expect(data.select({ var: ["HG-0"] })).rejects.toThrow('the name "HG-0" stands 2 times in var');
    expect(await (await data.select({ var: [1, 0] })).varNames()).toEqual(["HG-0", "HG-0"]);
  });

  test("a broken element does not hide the others", async () => {
    const data = await open(join(DATA, "anndata/broken.h5ad"));
    const part = await data.select({ obs: [] });
    expect([...data.failures.keys()].every((name) => part.failures.has(name))).toBe(true);
  });

  test("a signal ends it", async () => {
    const data = await open(PBMC);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(data.select({ obs: ["a"], signal })).rejects.toThrow("enough");
  });
});
