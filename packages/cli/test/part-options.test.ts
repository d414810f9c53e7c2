/** Cells, genes and elements, chosen on the command line. */

import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { folder, open, place } from "../../../test/formats/conversion/opened.js";
import { type Dataset, write } from "../../published/src/node.js";

const COUNTS = "test/fixtures/data/annotated/counts.h5ad";
const PBMC = "examples/pbmc.h5ad";

beforeAll(ensureBuilt, 120_000);

function run(...args: string[]): Promise<{ readonly code: number | null; readonly stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ["dist/cli/main.js", ...args], (_, __, stderr) =>
      resolve({ code: child.exitCode, stderr }),
    );
  });
}

/** The elements of a dataset, without the tables that list the nodes of mappings. */
function elements({ tables }: Dataset): readonly string[] {
  return [...tables.values()].flatMap(({ name, derived }) => (derived ? [] : [name])).sort();
}

/** A file with these lines. */
function lines(...names: string[]): string {
  const path = place("txt");
  writeFileSync(path, names.map((name) => `${name}\n`).join(""));
  return path;
}

describe("convert", () => {
  test("--rename gives elements other names, which --table and the choice of elements go with", async () => {
    const output = place("h5ad");
    const flags = ["--elements", "X,obs,var,obsm", "--rename", "obsm/X_pca=obsm/pca"];
    expect(await run("convert", PBMC, output, ...flags)).toMatchObject({ code: 0 });
    const expected = elements(await (await open(PBMC)).select({ elements: ["X", "obs", "var", "obsm"] }));
    expect(elements(await open(output))).toEqual(
      expected.map((name) => (name === "obsm/X_pca" ? "obsm/pca" : name)).sort(),
    );
    const table = place("parquet");
    const one = await run("convert", PBMC, table, "--rename", "obsm/X_pca=obsm/pca", "--table", "obsm/pca");
    expect(one).toMatchObject({ code: 0 });
    const wrong = await run("convert", PBMC, place("h5ad"), "--rename", "obsm/pca=obsm/other");
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("did you mean obsm/X_pca") });
    const twice = await run("convert", PBMC, place("h5ad"), "--rename", "X=layers/a", "--rename", "X=layers/b");
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining("X is given twice") });
  });

  test("--obs and --var take conditions, --obs-slice a range of what they leave", async () => {
    const output = place("h5ad");
    const condition = "cell_type = 'B cell' and n_counts > 200";
    const flags = ["--obs", condition, "--var", "n_cells > 500", "--obs-slice", "1:5"];
    expect(await run("convert", PBMC, output, ...flags)).toMatchObject({ code: 0 });
    const [data, whole] = [await open(output), await open(PBMC)];
    const part = await whole.select({
      obs: { kind: "sql", text: condition },
      var: { kind: "sql", text: "n_cells > 500" },
    });
    expect(await data.obsNames()).toEqual((await part.obsNames())?.slice(1, 5));
    expect(await data.varNames()).toEqual(await part.varNames());
    expect([...data.tables.keys()].sort()).toEqual([...whole.tables.keys()].sort());
  });

  test("--obs-sql takes positions where the file has a column of their name, and warns", async () => {
    const [input, output] = [place("h5ad"), place("h5ad")];
    const X = { row: [0, 1], col: [0, 1], value: [1, 2] };
    const obs = { _index: ["c0", "c1"], well: ["w", "x"], row: [1, 0] };
    await write(input, { X, obs, var: { _index: ["g0", "g1"] } });
    const warning = expect.stringContaining('"row" is "row_1"');
    const chosen = ["--obs-sql", "select row from obs where well = 'w'"];
    expect(await run("convert", input, output, ...chosen)).toMatchObject({ code: 0, stderr: warning });
    expect(await (await open(output)).obsNames()).toEqual(["c0"]);
    expect(await run("query", input, "select row_1 from obs")).toMatchObject({ code: 0, stderr: warning });
  });

  test("--obs-sql and --var-sql take the positions of an answer, in its order, with files of tables", async () => {
    const [output, list] = [place("h5ad"), place("csv")];
    const names = (await (await open(PBMC)).obsNames()) ?? [];
    writeFileSync(list, `_index,place\n${names[700]},2\n${names[30]},1\n${names[700]},3\nnone,0\n`);
    const genes = "select var.col from gene('CD3E') g, var where g.row = 0";
    const files = ["--obs-sql", `select row from obs join '${list}' as list using (_index) order by place`, "--files"];
    expect(await run("convert", PBMC, output, ...files, "--obs-slice", "0:2")).toMatchObject({ code: 0 });
    expect(await (await open(output)).obsNames()).toEqual([names[30], names[700]]);
    const [vars, all] = [place("h5ad"), (await (await open(PBMC)).varNames()) ?? []];
    // The slice of the observations comes first: the statement is about the part.
    const chosen = ["--var-sql", "select col, row from X where row = 0 order by col desc limit 2"];
    expect(await run("convert", PBMC, vars, ...chosen, "--obs-slice", "5:6")).toMatchObject({ code: 0 });
    const cell = await (await open(PBMC)).cells(names[5]);
    const stored = [...cell.keys()].filter((gene) => cell[gene] !== 0).slice(-2);
    expect(await (await open(vars)).varNames()).toEqual(stored.reverse().map((gene) => all[gene]));
    for (const [flags, code, message] of [
      [["--obs-sql", genes], 1, /chooses by the column "row" of its answer, which has col/],
      [["--obs-sql", `from '${list}'`], 1, /only with --files/],
      [["--obs-sql", "copy obs to 'x.csv'"], 2, /writes no file/],
      [["--var-sql", "select -1 as col"], 1, /has -1, which is no position/],
    ] as const) {
      const wrong = await run("convert", PBMC, place("h5ad"), ...flags);
      expect(wrong).toMatchObject({ code, stderr: expect.stringMatching(message) });
    }
  });

  test("--obs-names and --var-names take files, in their order, with lines of Windows too", async () => {
    const [output, cells] = [place("zarr"), place("txt")];
    writeFileSync(cells, "cell69é\r\ncell0é\r\ncell69é");
    const flags = ["--obs-names", cells, "--var-names", lines("gene3", "gene1"), "--obs-slice", ":2"];
    expect(await run("convert", COUNTS, output, ...flags)).toMatchObject({ code: 0 });
    const data = await open(output);
    expect([await data.obsNames(), await data.varNames()]).toEqual([
      ["cell69é", "cell0é"],
      ["gene3", "gene1"],
    ]);
  });

  test("--elements and --drop keep and leave out elements with all below them", async () => {
    const output = place("h5ad");
    const flags = ["--elements", "X,obs,var,obsm", "--drop", "obsm/X_pca", "--var-slice", "40:"];
    expect(await run("convert", PBMC, output, ...flags)).toMatchObject({ code: 0 });
    const data = await open(output);
    expect(elements(data)).toEqual(["X", "obs", "obsm/X_umap", "var"]);
    expect(data.shape).toEqual([2700, 760]);
  });

  test("--drop alone leaves the rest; a range may be empty", async () => {
    const output = place("h5ad");
    expect(await run("convert", COUNTS, output, "--drop", "raw,uns", "--obs-slice", "70:")).toMatchObject({ code: 0 });
    const data = await open(output);
    expect(elements(data).filter((name) => /^(raw|uns)/.test(name))).toEqual([]);
    expect(data.shape).toEqual([0, 45]);
  });

  test("--drop-unused leaves out unused categories and their colours, with and without a choice", async () => {
    const [whole, part] = [place("h5ad"), place("h5ad")];
    expect(await run("convert", PBMC, whole, "--drop-unused", "--elements", "obs,uns")).toMatchObject({ code: 0 });
    const flags = ["--drop-unused", "--obs", "cell_type = 'B cell'", "--elements", "obs,var,uns"];
    expect(await run("convert", PBMC, part, ...flags)).toMatchObject({ code: 0 });
    const categories = async (path: string) => {
      const [batch] = (await (await open(path)).table("obs").read({ columns: ["cell_type"] })).batches;
      return batch.data.children[0].dictionary?.toArray();
    };
    expect(await categories(part)).toEqual(["B cell"]);
    expect(await categories(whole)).toEqual(await categories(PBMC));
  });

  test("--X makes a layer the matrix, --as and --modality are a way to MuData and back", async () => {
    const [mudata, back, tables] = [place("h5mu"), place("h5ad"), place("tables")];
    expect(await run("convert", COUNTS, mudata, "--as", "rna", "--obs-slice", "0:9")).toMatchObject({ code: 0 });
    expect(await run("convert", mudata, tables, "--to", "parquet")).toMatchObject({ code: 0 });
    const found = await run("convert", tables, back, "--modality", "rna", "--X", "layers/csc");
    expect(found).toMatchObject({ code: 0, stderr: expect.stringMatching(/warning: left out: X: layers\/csc takes/) });
    const [data, whole] = [await open(back), await open(COUNTS)];
    expect(data.shape).toEqual([9, whole.shape?.[1]]);
    expect(data.tables.has("layers/csc")).toBe(false);
  });

  test("parts go into files of tables, too", async () => {
    const output = join(folder(), "part-tables");
    expect(await run("convert", COUNTS, output, "--to", "parquet", "--var-slice", "0:2")).toMatchObject({ code: 0 });
    expect((await open(output)).table("var").rows).toBe(2);
  });

  test.each([
    ["cell", ["--obs", "barcode = 'none'"], [0, 45]],
    ["gene", ["--obs-slice", "0:9", "--var-slice", "45:"], [9, 0]],
  ] as const)("a choice of no %s is a part, with a warning", async (what, flags, shape) => {
    const output = place("h5ad");
    const found = await run("convert", COUNTS, output, ...flags);
    expect(found).toMatchObject({ code: 0, stderr: expect.stringContaining(`the options choose no ${what}`) });
    expect((await open(output)).shape).toEqual(shape);
  });

  test("--elements and --drop choose the variables of a .mat file", async () => {
    const [mat, some, others] = [place("mat"), place("mat"), place("mat")];
    await write(mat, await open(COUNTS), { lossy: true });
    expect(await run("convert", mat, some, "--elements", "X,obs,var")).toMatchObject({ code: 0 });
    expect(elements(await open(some))).toEqual(["X", "obs", "var"]);
    expect(await run("convert", mat, others, "--drop", "obsm,uns")).toMatchObject({ code: 0 });
    const left = elements(await open(mat)).filter((name) => !/^(obsm|uns)\//.test(name));
    expect(elements(await open(others))).toEqual(left);
    const wrong = await run("convert", mat, place("mat"), "--drop", "nothing");
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/no element "nothing"/) });
    const both = await run("convert", mat, place("h5ad"), "--X", "X", "--drop", "obs");
    expect(both).toMatchObject({ code: 2, stderr: expect.stringMatching(/leave out --elements and --drop/) });
  });

  test("--obs, --var and --X name the variables of a .mat file", async () => {
    const [mat, output] = [place("mat"), place("h5ad")];
    await write(mat, await open(COUNTS), { lossy: true });
    const flags = ["--X", "X", "--obs", "obs", "--var", "var", "--lossy"];
    const found = await run("convert", mat, output, ...flags);
    expect(found).toMatchObject({ code: 0 });
    expect((await open(output)).shape).toEqual([70, 45]);
  });
});

describe("refused, with nothing written", () => {
  const missing = "cell0\ncell1é\nnobody";
  test.each<[string, () => string[], number, RegExp]>([
    ["a column that is not there", () => ["--obs", "kinds = 'a'"], 1, /kinds/],
    ["a condition with an error", () => ["--var", "(("], 1, /the condition \(\(: .*syntax/i],
    [
      "a file that is not there",
      () => ["--obs-names", "nothing.txt"],
      1,
      /nothing\.txt: cannot be read: .*no such file/i,
    ],
    [
      "names that are not there",
      () => ["--obs-names", lines(...missing.split("\n"))],
      1,
      /obs has no "cell0" \(did you mean "cell0é"\?\), "nobody"/,
    ],
    ["a range that is none", () => ["--obs-slice", "5"], 2, /It must be a range, as 0:1000/],
    [
      "a range that ends before it starts",
      () => ["--obs-slice", "5:2"],
      1,
      /obs 5 to 2 is no range: the end lies before/,
    ],
    ["an element that is not there", () => ["--elements", "layer"], 1, /no element "layer"; did you mean /],
    ["an element to leave out that is not there", () => ["--drop", "Y"], 1, /no element "Y"; did you mean X/],
    ["no element", () => ["--elements", "X", "--drop", "X"], 1, /--elements, --drop\) leave no element/],
    ["an element as a variable", () => ["--element", "X=counts"], 2, /--element names a variable of a \.mat file/],
    ["a matrix that is not there", () => ["--X", "counts"], 1, /no matrix counts; there are X, layers\/csc/],
    ["a modality", () => ["--modality", "rna"], 1, /no MuData, so there are no modalities/],
    ["the name of a modality for another format", () => ["--as", "rna"], 1, /\.h5ad has no choice of .*\(--as\)/],
  ])("%s", async (_, flags, code, message) => {
    const output = place("h5ad");
    const found = await run("convert", COUNTS, output, ...flags());
    expect(found.stderr).toMatch(message);
    expect(found.code).toBe(code);
    expect(existsSync(output)).toBe(false);
  });

  test("a choice where there is no input", async () => {
    const found = await run("convert", "--X", "a.parquet", place("h5ad"), "--obs-slice", "0:1");
    expect(found).toMatchObject({ code: 2 });
    expect(found.stderr).toMatch(/cells, genes and elements are chosen from IN, and there is none/);
  });
});
