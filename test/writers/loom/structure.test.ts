import { describe, expect, test } from "vitest";
import { asOpened, bools, dictionary, floats, ints, lists, table, text } from "../tables.js";
import { matrix, written } from "./write.js";

const GROUPS = ["col_attrs", "col_graphs", "layers", "row_attrs", "row_graphs"];
const scalar = (kind: string) => ({ metadata: { kind, shape: [] } });
const edges = (row: readonly number[], col: readonly number[], value: Float32Array) => ({
  row: ints(Int32Array.from(row)),
  col: ints(Int32Array.from(col)),
  value: floats(value),
});

describe("a Loom file", () => {
  test("of 3.0.0 has all groups, and its version among the globals", async () => {
    const { file } = await written([matrix(1, 1)]);
    expect(await file.names("")).toEqual(["attrs", ...GROUPS, "matrix"].sort());
    expect(await file.names("attrs")).toEqual(["LOOM_SPEC_VERSION"]);
    expect(await file.values("attrs/LOOM_SPEC_VERSION")).toEqual(["3.0.0"]);
    expect(await file.shape("attrs/LOOM_SPEC_VERSION")).toEqual([]);
    expect(await file.attributes("")).toEqual({});
  });

  test("of 2.0.1 has its version and its globals as attributes of the root", async () => {
    const { file } = await written(
      [
        matrix(1, 1),
        table("attrs/title", [{ value: text("Mäuse") }], scalar("string")),
        table("attrs/n", [{ value: ints(Int32Array.of(7)) }], scalar("numeric-scalar")),
        table("attrs/list", [{ value: floats(Float64Array.of(1, 2)) }], { metadata: { kind: "array", shape: [2] } }),
        table("attrs/none", [{ value: text() }], { metadata: { kind: "string-array", shape: [0] } }),
        table("attrs/LOOM_SPEC_VERSION", [{ value: text("3.0.0") }], scalar("string")),
      ],
      { version: "2.0.1" },
    );
    expect(await file.names("")).toEqual([...GROUPS, "matrix"].sort());
    expect(await file.attributes("")).toEqual({
      LOOM_SPEC_VERSION: "2.0.1",
      title: "M&#228;use",
      n: 7,
      list: [1, 2],
      none: [],
    });
  });

  test("has globals of every form, and empty groups of them", async () => {
    const { file, tables, warnings } = await written([
      matrix(1, 1),
      table("attrs/title", [{ value: text("Mäuse") }], scalar("string")),
      table("attrs/deep/x", [{ value: lists(2, floats(Float64Array.of(1, 2, 3, 4))) }], {
        metadata: { kind: "array", shape: [2, 2] },
      }),
      table("attrs/colors", [{ value: dictionary([1, 0], text("red", "blue")) }]),
      table("attrs/flag", [{ value: bools(true) }], scalar("numeric-scalar")),
      table("attrs/rec", [{ a: ints(Int8Array.of(1, 2)), b: text("x", "y") }], {
        metadata: { kind: "rec-array", shape: [2] },
      }),
      table(
        "attrs",
        [{ path: text("attrs/deep", "attrs/none", "attrs/title"), kind: text("dict", "dict", "string") }],
        {
          derived: true,
        },
      ),
      asOpened(table("other/x", [{ value: ints(Int32Array.of(3)) }]), "loom"),
    ]);
    expect(await file.names("attrs")).toEqual(["LOOM_SPEC_VERSION", "colors", "deep", "flag", "none", "rec", "title"]);
    expect(await file.values("attrs/title")).toEqual(["Mäuse"]);
    expect(await file.shape("attrs/deep/x")).toEqual([2, 2]);
    expect(await file.values("attrs/colors")).toEqual(["blue", "red"]);
    expect(await file.values("attrs/flag")).toEqual([1]);
    expect(await file.values("attrs/rec")).toEqual([
      [1, 2],
      ["x", "y"],
    ]);
    expect(await file.names("attrs/none")).toEqual([]);
    expect(await file.values("other/x")).toEqual([3]);
    expect(tables.map(({ name }) => name)).toContain("other/x");
    expect(warnings).toEqual(["attrs: categories are written as their values, without their order: colors"]);
  });

  test("of 2.0.1 has groups of globals where 3.0.0 has them, with a warning", async () => {
    const tables = [matrix(1, 1), table("attrs/deep/x", [{ value: ints(Int32Array.of(1)) }])];
    const { file, warnings } = await written(tables, { version: "2.0.1" });
    expect(await file.values("attrs/deep/x")).toEqual([1]);
    expect(warnings).toEqual([
      "attrs/deep/x: 2.0.1 has no groups of globals; it is written below /attrs, where few programs look",
    ]);
  });

  test("keeps the times at which its parts were modified, and invents none", async () => {
    const [early, late, latest] = ["20190918T054530.845333Z", "20200918T054530.845333Z", "20210918T054530.845333Z"];
    const stamped = (name: string, time: string) => ({
      ...matrix(2, 2, name),
      metadata: {
        kind: "array",
        shape: [2, 2],
        last_modified: time,
        ...(name === "matrix" ? { file_last_modified: latest } : {}),
      },
    });
    const { file } = await written([stamped("matrix", early), stamped("layers/a", late), stamped("layers/b", early)]);
    expect(await file.attributes("matrix")).toEqual({ last_modified: early });
    expect(await file.attributes("layers/a")).toEqual({ last_modified: late });
    expect(await file.attributes("layers")).toEqual({ last_modified: late });
    expect(await file.attributes("")).toEqual({ last_modified: latest });
    expect(await file.attributes("row_attrs")).toEqual({});
  });
});

describe("graphs", () => {
  test("are a, b and w, in the order in which the edges come", async () => {
    const graph = table("row_graphs/KNN", [edges([2, 0, 2], [1, 0, 1], Float32Array.of(0.5, 0, -1))]);
    const { file } = await written([matrix(3, 1), graph]);
    expect(await file.values("row_graphs/KNN/a")).toEqual([2, 0, 2]);
    expect(await file.type("row_graphs/KNN/a")).toEqual({ kind: "int", bits: 32, signed: true });
    expect(await file.values("row_graphs/KNN/b")).toEqual([1, 0, 1]);
    expect(await file.values("row_graphs/KNN/w")).toEqual([0.5, 0, -1]);
    expect(await file.type("row_graphs/KNN/w")).toEqual({ kind: "float", bits: 32 });
  });

  test("have weights of floats, unless a file had others", async () => {
    const columns = { row: ints(Int32Array.of(0)), col: ints(Int32Array.of(0)), value: ints(Int32Array.of(7)) };
    const given = await written([matrix(1, 1), table("col_graphs/g", [columns])]);
    expect(await given.file.type("col_graphs/g/w")).toEqual({ kind: "float", bits: 64 });
    expect(given.warnings).toEqual(["col_graphs/g: weights of Int32 are written as float64"]);
    const metadata = { kind: "coo_matrix", shape: [1, 1], order: null, indices: "int32" };
    const own = await written([matrix(1, 1), table("col_graphs/g", [columns], { metadata })]);
    expect(await own.file.type("col_graphs/g/w")).toEqual({ kind: "int", bits: 32, signed: true });
  });

  test("counted from one stay so, with a warning; other ends are refused", async () => {
    const one = await written([matrix(3, 1), table("row_graphs/g", [edges([1, 3], [2, 2], Float32Array.of(1, 1))])]);
    expect(await one.file.values("row_graphs/g/a")).toEqual([1, 3]);
    expect(one.warnings[0]).toMatch(/row_graphs\/g: the ends of edges are 1 … 3 in a graph of 3 nodes/);
    for (const [a, b, end] of [
      [[0, 3], [1, 1], 3],
      [[3, 0], [1, 1], 3],
      [[1, 4], [1, 1], 4],
      [[-1, 1], [1, 1], -1],
    ] as const) {
      const graph = table("row_graphs/g", [edges(a, b, Float32Array.of(1, 1))]);
      await expect(written([matrix(3, 1), graph])).rejects.toThrow(new RegExp(`is ${end}, outside 0 … 2`));
    }
  });

  test("of another number of nodes are refused", async () => {
    const metadata = { kind: "coo_matrix", shape: [4, 4], order: null };
    const graph = table("row_graphs/g", [edges([0], [1], Float32Array.of(1))], { metadata });
    await expect(written([matrix(3, 1), graph])).rejects.toThrow(/shape \[4,4\], the matrix has 3 nodes on this side/);
  });

  test("of files before 2.0 get the name of today", async () => {
    const graph = table("row_edges/g", [edges([0], [1], Float32Array.of(1))]);
    const { file, warnings } = await written([matrix(3, 1), graph]);
    expect(await file.names("row_graphs")).toEqual(["g"]);
    expect(warnings).toEqual(["row_edges/g: written as row_graphs/g, as it is called since 2.0"]);
  });
});
