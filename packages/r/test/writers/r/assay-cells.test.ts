/** Modalities of different cells as assays of Seurat 5, which keeps each assay's cells in the order of the object. */

import { Dictionary, Float64, Int32, Table, tableFromArrays, Utf8, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { open } from "../../../../../src/api/open.js";
import { writeBytes } from "../../../../../src/api/write.js";
import type { ColumnTableInput } from "../../../../../src/tables/given/arrow-column-table.js";
import type { RValue } from "../../../src/containers/rds/model/value.js";
import { readRds } from "../../../src/containers/rds/read.js";
import { plainValue } from "./values.js";

type Inputs = Readonly<Record<string, ColumnTableInput>>;

const texts = (...all: (string | null)[]) => vectorFromArray(all, new Utf8());
const entry = tableFromArrays({ row: Int32Array.of(0), col: Int32Array.of(0), value: Float64Array.of(5) });
const genes = (...names: string[]) => new Table({ _index: texts(...names) });
const NA = -(2 ** 31);
const strings = (...values: (string | null)[]) => ["character", values, {}];
const levels = (...names: string[]) => ({ levels: strings(...names), class: strings("factor") });

const RNA = {
  "mod/rna/X": entry,
  "mod/rna/var": genes("g"),
  "mod/rna/obs": new Table({
    _index: texts("a", "b", "d"),
    kind: vectorFromArray(["x", "y", "x"], new Dictionary(new Utf8(), new Int32())),
    depth: vectorFromArray([1.5, 2.5, 3.5], new Float64()),
  }),
};
const ADT = {
  "mod/adt/X": entry,
  "mod/adt/var": genes("p"),
  "mod/adt/obs": new Table({
    _index: texts("b", "c"),
    depth: vectorFromArray([2.5, 9], new Float64()),
    count: vectorFromArray([7, 8], new Int32()),
  }),
};

async function written(tables: Inputs): Promise<RValue> {
  return readRds(await writeBytes("seurat.rds", tables, { seurat: "v5" }));
}

function slot(value: RValue, name: string): RValue {
  const found = value.kind === "s4" ? value.slots.get(name) : undefined;
  if (found === undefined) throw new TypeError(`no slot ${name}`);
  return found;
}

/** The columns of `meta.data` by name, with the names of the rows. */
function metaData(value: RValue) {
  const meta = slot(value, "meta.data");
  if (meta.kind !== "list") throw new TypeError("no frame");
  const [names, rows] = ["names", "row.names"].map((name) => meta.attributes.get(name));
  if (names?.kind !== "character" || rows === undefined) throw new TypeError("no names");
  const [, columns] = plainValue(names) as [string, string[]];
  return { rows: plainValue(rows), ...Object.fromEntries(meta.values.map((one, i) => [columns[i], plainValue(one)])) };
}

/** The cells of each assay: the names of the rows of its table of cells and layers. */
function cellsOfAssays(value: RValue): unknown[] {
  const assays = slot(value, "assays");
  if (assays.kind !== "list") throw new TypeError("no list");
  return assays.values.map((assay) => {
    const cells = slot(assay, "cells");
    const names = cells.kind === "logical" ? cells.attributes.get("dimnames") : undefined;
    return names?.kind === "list" ? plainValue(names.values[0]) : null;
  });
}

describe("assays of different cells", () => {
  test("have their own cells, and the object all of them, NA where a modality lacks one", async () => {
    const value = await written({ ...RNA, ...ADT });
    expect(cellsOfAssays(value)).toEqual([strings("a", "b", "d"), strings("b", "c")]);
    expect(metaData(value)).toEqual({
      rows: strings("a", "b", "c", "d"),
      kind: ["integer", [1, 2, NA, 1], levels("x", "y")],
      // NA of doubles is the NaN of payload 1954.
      depth: ["real", [1.5, 2.5, "NaN 7a2", 3.5], {}],
      "adt:depth": ["real", ["NaN 7a2", 2.5, 9, "NaN 7a2"], {}],
      count: ["integer", [NA, 7, 8, NA], {}],
    });
    const [, identities] = plainValue(slot(value, "active.ident")) as [string, number[]];
    expect(identities).toEqual([1, 1, 1, 1]);
  });

  test("follow the order of the whole, whose columns the modalities' copies do not repeat", async () => {
    const obs = new Table({
      _index: texts("c-only", "a", "b", "c", "d"),
      depth: vectorFromArray([0, 1.5, 2.5, 9, 3.5], new Float64()),
    });
    const value = await written({ ...RNA, ...ADT, obs });
    expect(metaData(value)).toEqual({
      rows: strings("c-only", "a", "b", "c", "d"),
      depth: ["real", [0, 1.5, 2.5, 9, 3.5], {}],
      kind: ["integer", [NA, 1, 2, NA, 1], levels("x", "y")],
      count: ["integer", [NA, NA, 7, 8, NA], {}],
    });
  });

  const without = Object.fromEntries(Object.entries(ADT).filter(([name]) => name !== "mod/adt/obs"));
  test.each<[problem: RegExp, tables: Inputs]>([
    [/another order than those of the object.*--modality adt/, { ...ADT, "mod/adt/obs": genes("b", "a") }],
    [/the cell "c", which obs of the whole has not/, { ...ADT, obs: genes("a", "b", "d") }],
    [/no names that tell which/, without],
  ])("%s", async (problem, tables) => {
    await expect(writeBytes("seurat.rds", { ...RNA, ...tables }, { seurat: "v5", shape: [2, 1] })).rejects.toThrow(
      problem,
    );
  });
});

test.each([
  [
    "seurat.rds",
    /other cells than rna .*; write Seurat 5.*--seurat v5.*--modality rna.*--obs-sql 'select row from obs semi join "mod\/rna\/obs"/,
  ],
  ["sce.rds", /all parts of a SingleCellExperiment object have the same; write one modality \(--modality rna\)/],
] as const)("%s has the same cells in all parts", async (format, problem) => {
  await expect(writeBytes(format, { ...RNA, ...ADT })).rejects.toThrow(problem);
});

test("the statement that names the cells of all parts has the names of the indexes", async () => {
  const obs = (index: string, ...names: string[]) => ({ [index]: names });
  const tables = {
    obs: obs("cell id", "a", "b"),
    "mod/rna/obs": obs("cell id", "a", "b"),
    "mod/adt/obs": obs("barcode", "a"),
  };
  const index = { obs: "cell id", "mod/adt/obs": "barcode" };
  await expect(writeBytes("sce.rds", { ...RNA, ...ADT, ...tables }, { index })).rejects.toThrow(
    'semi join "mod/rna/obs" using ("cell id") semi join "mod/adt/obs" on obs."cell id" = "mod/adt/obs"."barcode"',
  );
});

test("modalities of different cells are read with their own", async () => {
  const data = await open(await writeBytes("seurat.rds", { ...RNA, ...ADT }, { seurat: "v5" }));
  const names = async (table: string) => [...((await data.table(table).read()).getChild("_index") ?? [])];
  const map = async (name: string) => [...((await data.table(`obsmap/${name}`).read()).getChild("value") ?? [])];
  const obs = await names("obs");
  expect(obs.toSorted()).toEqual(["a", "b", "c", "d"]);
  expect(await names("mod/rna/obs")).toEqual(["a", "b", "d"]);
  expect(await names("mod/adt/obs")).toEqual(["b", "c"]);
  // As MuData has it: the place of each cell in the modality plus one, or 0.
  expect(await map("adt")).toEqual(obs.map((name) => ["b", "c"].indexOf(name) + 1));
  expect(await map("rna")).toEqual(obs.map((name) => ["a", "b", "d"].indexOf(name) + 1));
  const adt = await data.table("mod/adt/obs").read();
  expect([...(adt.getChild("count") ?? [])]).toEqual([7, 8]);
  expect((await data.table("mod/adt/X").read()).toArray().map(String)).toEqual(entry.toArray().map(String));
  expect(data.table("mod/adt/X").metadata.shape).toEqual([2, 1]);
  await data.close();
});

describe("uns of a MuData, in a SingleCellExperiment", () => {
  const word = (text: string) => new Table({ value: texts(text) });
  const SAME = { ...ADT, "mod/adt/obs": RNA["mod/rna/obs"] };

  test("is metadata, with uns of the first modality", async () => {
    const tables = { ...RNA, ...SAME, "uns/title": word("both"), "mod/rna/uns/note": word("rna") };
    const value = await readRds(await writeBytes("sce.rds", tables));
    expect(plainValue(slot(value, "metadata"))).toEqual([
      "list",
      [strings("both"), strings("rna")],
      { names: strings("title", "note") },
    ]);
  });

  test("is an error where the first modality has an element of that name, or left out with a warning", async () => {
    const tables = { ...RNA, ...SAME, "uns/note/a": word("both"), "mod/rna/uns/note/b": word("rna") };
    await expect(writeBytes("sce.rds", tables)).rejects.toThrow(
      "uns/note/a: SingleCellExperiment has no place for it beside mod/rna/uns/note",
    );
    const value = await readRds(await writeBytes("sce.rds", tables, { lossy: true }));
    expect(plainValue(slot(value, "metadata"))).toEqual([
      "list",
      [["list", [strings("rna")], { names: strings("b") }]],
      { names: strings("note") },
    ]);
  });
});
