/** Variable features and scaled values of Seurat. */

import { Bool, Field, FixedSizeList, Float64, Table, tableFromArrays, Utf8, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { open } from "../../../../../src/api/open.js";
import { writeBytes } from "../../../../../src/api/write.js";
import type { ColumnTableInput } from "../../../../../src/tables/given/arrow-column-table.js";
import type { RValue } from "../../../src/containers/rds/model/value.js";
import { readRds } from "../../../src/containers/rds/read.js";
import { plainValue } from "./values.js";

type Inputs = Readonly<Record<string, ColumnTableInput>>;

const dense = (...rows: number[][]) =>
  new Table({
    value: vectorFromArray(rows, new FixedSizeList(rows[0].length, new Field("item", new Float64(), false))),
  });
const texts = (...all: (string | null)[]) => vectorFromArray(all, new Utf8());
const X = tableFromArrays({ row: Int32Array.of(0, 1), col: Int32Array.of(1, 3), value: Float64Array.of(0.5, 7) });
const GENES = ["g0", "g1", "g2", "g3"];
const BASE = {
  X,
  obs: new Table({ _index: texts("a", "b") }),
  var: new Table({ _index: texts(...GENES) }),
};
const variable = {
  _index: texts(...GENES),
  highly_variable: vectorFromArray([true, false, true, true], new Bool()),
};

test("matrices of text in uns are matrices of misc", async () => {
  const rows = [
    ["a", "é"],
    ["b", null],
    ["c", "x"],
  ];
  const type = new FixedSizeList(2, new Field("item", new Utf8(), true));
  const value = await readRds(
    await writeBytes("seurat.rds", { ...BASE, "uns/words": new Table({ value: vectorFromArray(rows, type) }) }),
  );
  // matrix(c("a", "b", "c", "\u00e9", NA, "x"), 3) of R.
  const words = ["character", ["a", "b", "c", "é", null, "x"], { dim: integers(3, 2) }];
  expect(plainValue(slot(value, "misc"))).toEqual([
    "list",
    [words],
    { names: strings("words"), annarrow: strings("uns") },
  ]);
});

/** The slots of the assay RNA. */
async function assay(tables: Inputs, seurat: "v4" | "v5"): Promise<(name: string) => unknown> {
  const value = await readRds(await writeBytes("seurat.rds", tables, { seurat }));
  const assays = slot(value, "assays");
  if (assays.kind !== "list") throw new TypeError("assays are no list");
  const [own] = assays.values;
  return (name) => plainValue(slot(own, name));
}

function slot(value: RValue, name: string): RValue {
  const found = value.kind === "s4" ? value.slots.get(name) : undefined;
  if (found === undefined) throw new TypeError(`no slot ${name}`);
  return found;
}

const integers = (...values: number[]) => ["integer", values, {}];
const strings = (...values: (string | null)[]) => ["character", values, {}];
const NA = -(2 ** 31);

describe("variable features", () => {
  test("in the order of the features, where nothing else orders them", async () => {
    const found = await assay({ ...BASE, var: new Table(variable) }, "v4");
    expect(found("var.features")).toEqual(strings("g0", "g2", "g3"));
  });

  test("by the ranks of scanpy", async () => {
    const ranks = vectorFromArray([2, Number.NaN, 0, 1], new Float64());
    const given = { ...BASE, var: new Table({ ...variable, highly_variable_rank: ranks }) };
    expect((await assay(given, "v4"))("var.features")).toEqual(strings("g2", "g3", "g0"));
    // `VariableFeatures(object) <- c("g2", "g3", "g0")` in SeuratObject 5 sets these two columns.
    const [, columns] = (await assay(given, "v5"))("meta.data") as [string, unknown[]];
    expect(columns.slice(-2)).toEqual([strings("g0", null, "g2", "g3"), integers(3, NA, 1, 2)]);
  });

  test("none where no column tells them", async () => {
    expect((await assay(BASE, "v4"))("var.features")).toEqual(["logical", [], {}]);
  });
});

describe("scaled values", () => {
  const all = dense([1, 2, 3, 4], [5, 6, 7, 8]);
  const some = (...names: string[]) => ({
    ...BASE,
    "obsm/scale.data": dense([1, 2], [3, 4]),
    "uns/scale.data.features": new Table({ value: texts(...names) }),
  });
  const dim = (...sizes: number[]) => integers(...sizes);

  test("of all features are a slot of version 4, and a layer of version 5", async () => {
    const given = { ...BASE, "layers/scale.data": all };
    const names = ["list", [strings(...GENES), strings("a", "b")], {}];
    const values = [1, 2, 3, 4, 5, 6, 7, 8];
    expect((await assay(given, "v4"))("scale.data")).toEqual(["real", values, { dim: dim(4, 2), dimnames: names }]);
    const [, layers] = (await assay(given, "v5"))("layers") as [string, unknown[]];
    expect(layers[1]).toEqual(["real", values, { dim: dim(4, 2) }]);
  });

  test("of some features have their names", async () => {
    const names = ["list", [strings("g3", "g1"), strings("a", "b")], {}];
    const found = (await assay(some("g3", "g1"), "v4"))("scale.data");
    expect(found).toEqual(["real", [1, 2, 3, 4], { dim: dim(2, 2), dimnames: names }]);
    const five = await assay(some("g1", "g3"), "v5");
    // Features by layers: data has all of them.
    const hold = (name: string) => (five(name) as unknown[]).slice(0, 2);
    expect(hold("features")).toEqual(["logical", [1, 1, 1, 1, 0, 1, 0, 1]]);
    expect(hold("cells")).toEqual(["logical", [1, 1, 1, 1]]);
  });

  test("of features in another order have the order of the assay's in version 5, as LayerData<- puts them", async () => {
    const five = await assay(some("g3", "g1"), "v5");
    const [, layers] = five("layers") as [string, unknown[]];
    // The rows of R are features: those of g1 were the second ones.
    expect(layers[1]).toEqual(["real", [2, 1, 4, 3], { dim: dim(2, 2) }]);
    expect((five("features") as unknown[])[1]).toEqual([1, 1, 1, 1, 0, 1, 0, 1]);
  });

  test.each(["seurat.rds", "h5seurat"] as const)(
    "of all features in another order are read with their names from %s",
    async (format) => {
      const names = ["g3", "g1", "g0", "g2"];
      const given = {
        ...BASE,
        "obsm/scale.data": dense([1, 2, 3, 4], [5, 6, 7, 8]),
        "uns/scale.data.features": new Table({ value: texts(...names) }),
      };
      const data = await open(await writeBytes(format, given));
      const value = async (name: string) => [...((await data.table(name).read()).getChild("value") ?? [])];
      expect(data.failures.size).toBe(0);
      expect(await value("uns/scale.data.features")).toEqual(names);
      expect((await value("obsm/scale.data")).map((row) => [...row])).toEqual([
        [1, 2, 3, 4],
        [5, 6, 7, 8],
      ]);
      await data.close();
    },
  );

  test.each<[problem: RegExp, tables: Inputs, seurat: "v4" | "v5"]>([
    [/the feature "g3" twice/, some("g3", "g3"), "v5"],
    [/the feature "other", which var has not/, some("g3", "other"), "v4"],
    [/2 columns, 1 are expected|1 columns|2 columns/, some("g3"), "v4"],
    [/scaled values of some features beside layers/, { ...some("g1", "g3"), "layers/scale.data": all }, "v4"],
    [/sparse; scale.data of Seurat 4 is a dense matrix/, { ...BASE, "layers/scale.data": X }, "v4"],
    [/make it sparse/, { ...BASE, "obsp/near": dense([0, 1], [1, 0]) }, "v4"],
  ])("%s", async (problem, tables, seurat) => {
    await expect(writeBytes("seurat.rds", tables, { seurat })).rejects.toThrow(problem);
  });
});
