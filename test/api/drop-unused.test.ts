/** Categories that no row of a part has. The expected values are what anndata leaves with `remove_unused_categories`. */

import { join } from "node:path";
import { Dictionary, Int8, Table, tableFromArrays, Utf8, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import type { Dataset } from "../../packages/published/src/index.js";
import { write } from "../../packages/published/src/node.js";
import { open, place } from "../formats/conversion/opened.js";

const DATA = "test/fixtures/data/anndata";

/** The values of a categorical column, and its categories. */
async function categorical(data: Dataset, table: string, column: string) {
  const vector = (await data.table(table).read()).getChild(column);
  const dictionary = vector?.data[0]?.dictionary;
  return { values: [...(vector ?? [])], categories: [...(dictionary ?? [])] };
}

async function texts(data: Dataset, table: string): Promise<readonly unknown[]> {
  return [...((await data.table(table).read()).getChildAt(0) ?? [])];
}

function categories(values: readonly string[]) {
  return vectorFromArray(values, new Dictionary(new Utf8(), new Int8()));
}

describe("dropUnused", () => {
  test.each([
    ["modern.h5ad", "type", [4, 0], ["c", "a"], ["c", "a"]],
    ["modern.v3.zarr.zip", "type", [], [], []],
    // The columns of this version are fields of one compound array.
    ["legacy_0_6.h5ad", "type", [3], ["T"], ["T"]],
    ["legacy_0_7.h5ad", "kind", [1, 0], [null, "é"], ["é"]],
  ])("%s keeps the categories in use, in their order", async (file, column, obs, values, left) => {
    const data = await open(join(DATA, file));
    const part = await data.select({ obs, dropUnused: true });
    expect(await categorical(part, "obs", column)).toEqual({ values, categories: left });
    const all = (await categorical(data, "obs", column)).categories;
    expect((await categorical(await data.select({ obs }), "obs", column)).categories).toEqual(all);
  });

  test("colours follow the columns of obs, then those of var; colours of another number are left out", async () => {
    const path = place("h5ad");
    const colours = tableFromArrays({ colour: ["#000000", "#111111", "#222222"] });
    await write(path, {
      obs: new Table({
        index: vectorFromArray(["c0", "c1", "c2"], new Utf8()),
        own: categories(["a", "b", "c"]),
        both: categories(["a", "b", "c"]),
        other: categories(["a", "b", "a"]),
      }),
      var: new Table({ index: vectorFromArray(["g0", "g1", "g2"], new Utf8()), both: categories(["x", "y", "z"]) }),
      "uns/own_colors": colours,
      "uns/both_colors": colours,
      "uns/other_colors": colours,
      "uns/free_colors": colours,
    });
    const data = await open(path);
    const part = await data.select({ obs: [2, 0], dropUnused: true });
    expect(await texts(part, "uns/own_colors")).toEqual(["#000000", "#222222"]);
    expect(await texts(part, "uns/free_colors")).toHaveLength(3);
    // Two colours are left for obs, and var has three categories of this name.
    expect([...part.tables.keys()].filter((name) => /(both|other)_colors$/.test(name))).toEqual([]);
    expect([...(await data.select({ obs: [2, 0] })).tables.keys()]).toContain("uns/both_colors");
  });
});
