/**
 * `concat` of fragments, as `c()` of fragments in BPCells for R: the expected rows are what BPCells' own class makes of
 * the inputs (test/fixtures/bpcells/merge_bpcells_fragments.cpp).
 */

import { cpSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { Dictionary, Int32, makeVector, Table, Utf8, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { concat, type Dataset, type DataTable, write } from "../../packages/published/src/node.js";
import { open, place } from "../formats/conversion/opened.js";

const FIXTURES = "test/fixtures/data/bpcells-parts";

interface Fragments {
  readonly chromosomes: readonly string[];
  readonly cells: readonly string[];
  /** Start, end and cell of each fragment, one after the other, by chromosomes. */
  readonly fragments: readonly (readonly number[])[];
}

interface Case {
  readonly inputs: readonly Fragments[];
  readonly merged: Fragments;
}

const cases: Record<string, Case> = JSON.parse(readFileSync(`${FIXTURES}/merged-fragments.json`, "utf8"));

function rowsOf({ chromosomes, cells, fragments }: Fragments): (string | number)[][] {
  return fragments.flatMap((all, chr) =>
    Array.from({ length: all.length / 3 }, (_, i) => [
      chromosomes[chr],
      all[3 * i],
      all[3 * i + 1],
      cells[all[3 * i + 2]],
    ]),
  );
}

/** A store with these fragments, and with all names in their order. */
async function stored(fragments: Fragments, extension = "bpcells"): Promise<string> {
  const rows = rowsOf(fragments);
  const path = place(extension);
  const column = (i: number) => rows.map((row) => row[i]);
  await write(path, {
    fragments: new Table({
      chr: named(column(0), fragments.chromosomes),
      start: makeVector(Uint32Array.from(column(1), Number)),
      end: makeVector(Uint32Array.from(column(2), Number)),
      cell_id: named(column(3), fragments.cells),
    }),
  });
  return path;
}

function named(values: readonly (string | number)[], names: readonly string[]) {
  const codes = new Map(names.map((name, code) => [name, code]));
  return makeVector({
    type: new Dictionary(new Utf8(), new Int32()),
    data: Int32Array.from(values, (value) => codes.get(String(value)) ?? -1),
    dictionary: vectorFromArray(names, new Utf8()),
  });
}

async function fragmentsIn(data: Dataset): Promise<(string | number)[][]> {
  const table = await data.table("fragments").read();
  return table.toArray().map(({ chr, start, end, cell_id }) => [chr, start, end, cell_id]);
}

function filesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).toSorted();
  return Object.fromEntries(names.map((name) => [name, readFileSync(`${folder}/${name}`).toString("hex")]));
}

test.each(Object.keys(cases))("%s", async (name) => {
  const { inputs, merged } = cases[name];
  const all = await concat(await Promise.all(inputs.map((input) => stored(input))));
  expect(all.format).toBe("bpcells");
  expect(all.shape).toBe(null);
  expect(all.table("fragments").rows).toBe(rowsOf(merged).length);
  expect(await fragmentsIn(all)).toEqual(rowsOf(merged));
  const output = place("bpcells");
  await write(output, all);
  expect(filesOf(output)).toEqual(filesOf(await stored(merged)));
  await all.close();
});

const A = `${FIXTURES}/fragments-a`;
const CELLS = `${FIXTURES}/fragments-a-cells`;

test("one store stays as it is", async () => {
  const [all, output] = [await concat([A]), place("bpcells")];
  await write(output, all);
  expect(filesOf(output)).toEqual(filesOf(A));
  await all.close();
});

test("parts, and open datasets", async () => {
  const data = await open(A);
  const part = await data.select({ obs: ["a4", "a2"] });
  const paths = await concat([CELLS, A]);
  const parts = await concat([part, data]);
  expect(await fragmentsIn(parts)).toEqual(await fragmentsIn(paths));
  await paths.close();
});

test("a part without cells", async () => {
  const data = await open(A);
  const all = await concat([await data.select({ obs: [] }), data, await data.select({ obs: [] })]);
  expect(await fragmentsIn(all)).toEqual(await fragmentsIn(data));
});

describe("cells", () => {
  test("whose names repeat are named in a warning", async () => {
    const all = await concat([A, CELLS]);
    expect(all.warnings.join()).toContain('the name "a4" repeats');
    await all.close();
  });

  test("get the keys of their datasets", async () => {
    const all = await concat({ one: A, two: CELLS }, { indexUnique: "-" });
    expect(all.warnings).toEqual([]);
    const cells = new Set((await fragmentsIn(all)).map(([, , , cell]) => cell));
    expect([...cells].toSorted()).toEqual(["a1-one", "a2-one", "a2-two", "a3-one", "a4-one", "a4-two", "a5-one"]);
    await all.close();
  });
});

describe("errors", () => {
  test("for matrices beside fragments, and options of matrices", async () => {
    await expect(concat([A, `${FIXTURES}/a`])).rejects.toMatchObject({
      tag: "InvalidInputError",
      source: `${FIXTURES}/a`,
      problem: expect.stringContaining("they are put together with fragments"),
    });
    await expect(concat([A, CELLS], { label: "file" })).rejects.toThrow("leave out label (--label)");
    await expect(concat([A, CELLS], { join: "outer" })).rejects.toThrow("leave out join (--join)");
    await expect(concat([A, CELLS], { axis: "var" })).rejects.toThrow("along their cells (--axis obs)");
    await expect(concat([A, CELLS], { keys: ["k", "k"] })).rejects.toThrow('the key "k" is given twice');
  });

  test("for fragments in lines of text", async () => {
    const text = place("fragments.tsv.gz");
    await write(text, await open(A));
    await expect(concat([A, text])).rejects.toMatchObject({ source: text, element: "fragments" });
  });

  test("for a store that breaks, or changes meanwhile, without an output", async () => {
    const [input, output] = [place("bpcells"), place("bpcells")];
    cpSync(A, input, { recursive: true });
    const all = await concat([A, input]);
    truncateSync(`${input}/start_data`, 12);
    await expect(write(output, all)).rejects.toMatchObject({ source: input });
    await all.close();
    expect(() => readdirSync(output)).toThrow("ENOENT");
    rmSync(input, { recursive: true });
  });

  test("for an output that is an input", async () => {
    const input = place("bpcells");
    cpSync(A, input, { recursive: true });
    const all = await concat([A, input]);
    await expect(write(input, all, { overwrite: true })).rejects.toThrow(`is the input ${input}`);
    await all.close();
  });

  test("for another format of the output", async () => {
    const all = await concat([A, CELLS]);
    await expect(write(place("h5ad"), all)).rejects.toThrow("AnnData has no place for");
    await all.close();
  });
});

test("fragments beside a matrix are an error that says how to choose", async () => {
  const both = place("bpcells.h5");
  const [matrix, fragments] = await Promise.all([open(`${FIXTURES}/a`), open(A)]);
  const tables: [string, DataTable][] = [...matrix.tables].map(([name, table]) => [`rna/${name}`, table]);
  await write(both, new Map([...tables, ["atac/fragments", fragments.table("fragments")]]));
  await expect(concat([both, both])).rejects.toThrow(
    "atac/fragments: AnnData has no place for it; choose what is written (annarrow convert --table), or allow losses (--lossy)",
  );
});
