import { describe, expect, test } from "vitest";
import { bools, dictionary, floats, ints, lists, names, table, text } from "../tables.js";
import { frames, written } from "./write.js";

const encoding = (type: string, version: string) => ({ "encoding-type": type, "encoding-version": version });

describe("an AnnData", () => {
  test("has a tagged root, frames, and all mappings, empty or not", async () => {
    const { out, tables, warnings } = await written(frames(2, 1));
    expect(out.at("").attributes).toEqual(encoding("anndata", "0.1.0"));
    for (const name of ["layers", "obsm", "varm", "obsp", "varp", "uns"]) {
      expect(out.at(name).attributes).toEqual(encoding("dict", "0.1.0"));
    }
    expect(out.nodes.has("raw")).toBe(false);
    expect(tables).toEqual([
      { name: "obs", rows: 2 },
      { name: "var", rows: 1 },
    ]);
    expect(warnings).toEqual([]);
  });

  test("has raw with varm where a table lies below it", async () => {
    const X = lists(3, floats(Float32Array.of(1, 2, 3, 4, 5, 6)));
    const { out } = await written([
      ...frames(2, 1),
      table("raw/X", [{ value: X }]),
      table("raw/var", [{ _index: names(3, "r") }]),
    ]);
    expect(out.at("raw").attributes).toEqual(encoding("raw", "0.1.0"));
    expect(out.at("raw/varm").attributes).toEqual(encoding("dict", "0.1.0"));
    expect(out.at("raw/X").announced).toEqual([2, 3]);
  });

  test("has positions for raw/var where no table describes it", async () => {
    const X = lists(2, floats(Float32Array.of(1, 2)));
    const { out } = await written([...frames(1, 1), table("raw/X", [{ value: X }])]);
    expect(out.at("raw/var/_index").values).toEqual(["0", "1"]);
  });

  test("leaves out the mappings that the file had not", async () => {
    const obs = {
      ...table("obs", [{ _index: names(2, "c") }]),
      metadata: { kind: "dataframe", index: "_index", absent: ["varp", "uns"] },
    };
    const { out } = await written([obs, frames(2, 1)[1]]);
    expect(out.nodes.has("uns")).toBe(false);
    expect(out.nodes.has("varp")).toBe(false);
    expect(out.nodes.has("varm")).toBe(true);
  });

  test("gets frames of positions for axes that no table describes", async () => {
    const { out } = await written([table("X", [{ value: lists(3, floats(Float64Array.of(1, 2, 3, 4, 5, 6))) }])]);
    expect(out.at("obs").attributes).toEqual({
      "column-order": [],
      _index: "_index",
      ...encoding("dataframe", "0.2.0"),
    });
    expect(out.at("obs/_index").values).toEqual(["0", "1"]);
    expect(out.at("var/_index").values).toEqual(["0", "1", "2"]);
  });

  test("takes the shape that it is given for axes without tables", async () => {
    const coordinates = { row: ints(Int32Array.of(1)), col: ints(Int32Array.of(0)), value: floats(Float64Array.of(5)) };
    const { out } = await written([table("X", [coordinates])], { shape: [3, 2] });
    expect(out.at("X").attributes).toEqual({ shape: [3n, 2n], ...encoding("csr_matrix", "0.1.0") });
    expect(out.at("obs/_index").values).toEqual(["0", "1", "2"]);
  });

  test("keeps the tree of uns: leaves by their names, empty mappings from the derived table", async () => {
    const scalar = { kind: "numeric-scalar", shape: [] };
    const title = { kind: "string", shape: [] };
    const { out, tables } = await written([
      ...frames(1, 1),
      table("uns/deep/er/n", [{ value: ints(BigInt64Array.of(7n)) }], { metadata: scalar }),
      table("uns/title", [{ value: text("é") }], { metadata: title }),
      table(
        "uns",
        [
          {
            path: text("uns/deep", "uns/deep/er", "uns/deep/er/n", "uns/title", "uns/empty", "uns/child"),
            kind: text("dict", "dict", "numeric-scalar", "string", "dict", "anndata"),
          },
        ],
        { derived: true },
      ),
    ]);
    expect(out.at("uns/deep/er/n")).toMatchObject({
      attributes: encoding("numeric-scalar", "0.2.0"),
      type: "int64",
      announced: [],
      values: [7n],
    });
    expect(out.at("uns/title")).toMatchObject({
      attributes: encoding("string", "0.2.0"),
      announced: [],
      values: ["é"],
    });
    expect(out.at("uns/empty").attributes).toEqual(encoding("dict", "0.1.0"));
    expect(out.at("uns/child").attributes).toEqual(encoding("anndata", "0.1.0"));
    expect(tables.map((one) => one.name)).toEqual(["obs", "var", "uns/deep/er/n", "uns/title"]);
  });

  test("has null as a null dataspace in HDF5, and as a boolean without data in Zarr", async () => {
    const value = { layout: "null", type: { id: "Null" }, length: 1, validity: null } as const;
    const none = table("uns/none", [{ value }], { metadata: { kind: "null", shape: [] } });
    const hdf5 = await written([...frames(1, 1), none]);
    expect(hdf5.out.at("uns/none")).toMatchObject({
      attributes: encoding("null", "0.1.0"),
      type: "float32",
      announced: null,
    });
    const zarr = await written([...frames(1, 1), none], { kind: "zarr3" });
    expect(zarr.out.at("uns/none")).toMatchObject({ type: "bool", announced: [], values: [false] });
  });
});

describe("a dataframe", () => {
  test("has its columns in order, each in the encoding of its type", async () => {
    const obs = table("obs", [
      {
        n: ints(Int16Array.of(1, 2)),
        index: text("a", "b"),
        flag: bools(true, false),
        label: dictionary([1, null], text("x", "y"), true),
        score: floats(Float32Array.of(0.5, -1)),
      },
    ]);
    const { out } = await written([obs, frames(2, 1)[1]]);
    expect(out.at("obs").attributes).toEqual({
      "column-order": ["n", "flag", "label", "score"],
      _index: "index",
      ...encoding("dataframe", "0.2.0"),
    });
    expect(out.at("obs/index")).toMatchObject({ attributes: encoding("string-array", "0.2.0"), values: ["a", "b"] });
    expect(out.at("obs/n")).toMatchObject({ attributes: encoding("array", "0.2.0"), type: "int16", values: [1, 2] });
    expect(out.at("obs/flag")).toMatchObject({ type: "bool", values: [true, false] });
    expect(out.at("obs/label").attributes).toEqual({ ordered: true, ...encoding("categorical", "0.2.0") });
    expect(out.at("obs/label/codes")).toMatchObject({
      type: "int8",
      values: [1, -1],
      attributes: encoding("array", "0.2.0"),
    });
    expect(out.at("obs/label/categories")).toMatchObject({
      attributes: encoding("string-array", "0.2.0"),
      values: ["x", "y"],
    });
    expect(out.at("obs/score")).toMatchObject({ type: "float32", values: [0.5, -1] });
  });

  test("without columns has an empty column-order", async () => {
    const { out } = await written(frames(1, 1));
    expect(out.at("obs").attributes["column-order"]).toEqual([]);
  });

  test("has few arrays open where all rows come at once, and rows of many batches one after another", async () => {
    const column = (i: number) => [`k${i}`, ints(Int32Array.of(i, i))] as const;
    const wide = { _index: names(2, "c"), ...Object.fromEntries(Array.from({ length: 50 }, (_, i) => column(i))) };
    const one = await written([table("obs", [wide]), frames(2, 1)[1]]);
    expect(one.out.mostOpen).toBe(1);
    const two = await written([
      table("obs", [
        { _index: text("a"), v: ints(Int32Array.of(1)) },
        { _index: text("b", "c"), v: ints(Int32Array.of(2, 3)) },
      ]),
      frames(1, 1)[1],
    ]);
    expect(two.out.at("obs/_index").values).toEqual(["a", "b", "c"]);
    expect(two.out.at("obs/v").values).toEqual([1, 2, 3]);
  });

  test("remembers an index that is a column too, and its place among the columns", async () => {
    const metadata = { kind: "dataframe", index: "k", indexColumn: 1 };
    const vars = table("var", [{ k: text("a"), x: ints(Int32Array.of(1)), y: ints(Int32Array.of(2)) }], { metadata });
    const { out } = await written([frames(1, 1)[0], vars]);
    expect(out.at("var").attributes).toMatchObject({ "column-order": ["x", "k", "y"], _index: "k" });
    expect(out.below("var/")).toEqual(["var/k", "var/x", "var/y"]);
  });
});

describe("the index of a table that never was an element", () => {
  const frame = (columns: Parameters<typeof table>[1][number], pandas?: object) =>
    table("obs", [columns], pandas === undefined ? {} : { pandas });
  const obs = async (one: ReturnType<typeof table>, options = {}) => {
    const { out, warnings } = await written([one, frames(2, 1)[1]], options);
    const name = String(out.at("obs").attributes._index);
    return { name, values: out.at(`obs/${name}`).values, order: out.at("obs").attributes["column-order"], warnings };
  };

  test("is what pandas says", async () => {
    const found = await obs(frame({ v: ints(Int8Array.of(1, 2)), id: text("a", "b") }, { index_columns: ["id"] }));
    expect(found).toEqual({ name: "id", values: ["a", "b"], order: ["v"], warnings: [] });
  });

  test("without a name is stored as _index", async () => {
    const index = { index_columns: ["__index_level_0__"] };
    const found = await obs(frame({ v: ints(Int8Array.of(1, 2)), __index_level_0__: text("a", "b") }, index));
    expect(found).toMatchObject({ name: "_index", values: ["a", "b"], order: ["v"] });
  });

  test("is text where it was a range or integers", async () => {
    const range = { index_columns: [{ kind: "range", name: null, start: 10, stop: 14, step: 2 }] };
    expect(await obs(frame({ v: ints(Int8Array.of(1, 2)) }, range))).toMatchObject({
      values: ["10", "12"],
      warnings: [],
    });
    const id = { index_columns: ["id"] };
    const found = await obs(frame({ id: ints(BigInt64Array.of(7n, 2n ** 60n)) }, id));
    expect(found).toMatchObject({ name: "id", values: ["7", "1152921504606846976"] });
  });

  test("is the column that the caller names", async () => {
    const found = await obs(frame({ index: text("a", "b"), cell: text("c", "d") }), { index: { obs: "cell" } });
    expect(found).toMatchObject({ name: "cell", values: ["c", "d"], order: ["index"] });
  });

  test("is a text column with one of the usual names, else the positions, with a warning", async () => {
    expect(await obs(frame({ obs_names: text("a", "a") }))).toMatchObject({ name: "obs_names", values: ["a", "a"] });
    const found = await obs(frame({ cell: text("a", "b") }));
    expect(found).toMatchObject({ name: "_index", values: ["0", "1"], order: ["cell"] });
    expect(found.warnings).toEqual([expect.stringContaining("obs: no column is known as the index")]);
  });

  test("of a frame below obsm is that of obs", async () => {
    const frame = table(
      "obsm/f",
      [{ x: ints(Int32Array.of(1)) }, { x: ints(Int32Array.of(2)), y: ints(Int32Array.of(2)) }].map(({ x }) => ({
        x,
        y: x,
      })),
    );
    const { out } = await written([...frames(2, 1), frame]);
    expect(out.at("obsm/f/_index").values).toEqual(["c0", "c1"]);
  });
});
