/** What has one column or one field is no array: the name stays. */

import { Field, Float64, Int32, Schema, Struct, Table, tableFromArrays, Utf8, vectorFromArray } from "apache-arrow";
import { expect, test } from "vitest";
import { convert, write } from "../../../packages/published/src/node.js";
import { open, place } from "./opened.js";
import { BASE } from "./samples.js";

function described(table: Table, metadata: object): Table {
  return new Table(new Schema(table.schema.fields, new Map([["annarrow", JSON.stringify(metadata)]])), table.batches);
}

const records = (...values: number[]): Table =>
  described(tableFromArrays({ x: Float64Array.from(values) }), { kind: "rec-array", shape: [values.length] });

const frame = described(new Table({ x: vectorFromArray([4, 5, 6], new Int32()) }), { kind: "dataframe" });

const shownRows = async (path: string, name: string) => {
  const data = await open(path);
  return (await data.table(name).read()).toArray().map((row) => JSON.parse(JSON.stringify(row)));
};

test("records of one field by way of a MATLAB file", async () => {
  const [source, mat, back] = [place("h5ad"), place("mat"), place("h5ad")];
  const given = { "uns/two": records(1.5, 2.5), "uns/one": records(1.5), "uns/none": records(), "obsm/frame": frame };
  await write(source, { ...BASE, ...given });
  await convert(source, mat);
  await convert(mat, back);
  for (const name of ["uns/two", "uns/one", "uns/none"]) {
    expect(await shownRows(back, name)).toEqual(await shownRows(source, name));
    expect((await open(back)).table(name)).toMatchObject({ metadata: { kind: "rec-array" } });
    expect((await open(back)).table(name).schema.fields.map((field) => field.name)).toEqual(["x"]);
  }
  expect(await shownRows(back, "obsm/frame")).toEqual(await shownRows(source, "obsm/frame"));
});

test("compounds of one field from Loom are none of its arrays, by way of a MATLAB file, too", async () => {
  const [source, mat, h5ad] = [place("loom"), place("mat"), place("h5ad")];
  const type = new Struct([new Field("x", new Float64(), false)]);
  await write(source, {
    matrix: tableFromArrays({ row: Int32Array.of(0), col: Int32Array.of(2), value: Float32Array.of(1) }),
    row_attrs: tableFromArrays({ Gene: ["g", "h"] }),
    col_attrs: new Table({
      CellID: vectorFromArray(["a", "b", "c"], new Utf8()),
      regulons: vectorFromArray([{ x: 1.5 }, { x: 2.5 }, { x: 3 }], type),
    }),
    "attrs/records": records(1.5, 2.5),
  });
  await convert(source, mat);
  await convert(source, h5ad);
  for (const path of [mat, h5ad]) {
    await expect(convert(path, place("loom"), { tables: ["X", "obs", "var", "obsm/regulons"] })).rejects.toThrow(
      /obsm\/regulons: Loom has no place for a dataframe/,
    );
    const output = place("loom");
    const { warnings } = await convert(path, output, { lossy: true });
    expect(warnings.toSorted()).toEqual([
      "left out: obsm/regulons: Loom has no place for a dataframe",
      expect.stringMatching(/^left out: uns\/records: Loom has no place for it$/),
    ]);
    expect((await open(output)).table("col_attrs").schema.fields.map(({ name }) => name)).toEqual(["CellID"]);
  }
});

test("an array that is named as a MATLAB struct array of one field stays one", async () => {
  const [mat, back, again] = [place("mat"), place("h5ad"), place("mat")];
  const own = { kind: "rec-array", shape: [1, 2], class: "struct", size: [1, 2] };
  await write(
    mat,
    {
      ...{ X: BASE.X, obs: BASE.obs, var: BASE.var },
      "uns/list": described(tableFromArrays({ x: Float64Array.of(1, 2) }), own),
    },
    { shape: [3, 4] },
  );
  expect(await shownRows(mat, "uns/list")).toEqual([{ x: 1 }, { x: 2 }]);
  await convert(mat, back);
  expect(await shownRows(back, "uns/list")).toEqual([{ x: 1 }, { x: 2 }]);
  await convert(back, again);
  expect(await shownRows(again, "uns/list")).toEqual([{ x: 1 }, { x: 2 }]);
});
