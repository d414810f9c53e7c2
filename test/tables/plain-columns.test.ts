/** Tables of plain arrays and typed arrays, and lists of entries without metadata, as `write` takes them. */

import {
  Bool,
  Dictionary,
  Field,
  Int8,
  Int32,
  List,
  Struct,
  Table,
  tableFromArrays,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { describe, expect, test } from "vitest";
import { open, type TableColumns, write, writeBytes } from "../../packages/published/src/node.js";
import { cleanups } from "../cleanups.js";

async function written(tables: Parameters<typeof writeBytes>[1], options = {}) {
  const data = await open(await writeBytes("h5ad", tables, options));
  cleanups.test.add(() => data.close());
  return data;
}

const column = async (tables: TableColumns, name: string) => {
  const data = await written({ obs: { index: ["a", "b", "c"], ...tables }, var: { index: ["g"] } });
  const vector = (await data.table("obs").read({ columns: [name] })).getChildAt(0);
  return [String(vector?.type), vector?.toJSON().map((value) => (typeof value === "bigint" ? Number(value) : value))];
};

describe("columns", () => {
  test.each<[string, TableColumns[string], string, unknown[]]>([
    ["Int8Array", Int8Array.of(-1, 2, 3), "Int8", [-1, 2, 3]],
    ["Uint8ClampedArray", Uint8ClampedArray.of(1, 2, 255), "Uint8", [1, 2, 255]],
    ["Uint16Array", Uint16Array.of(1, 2, 65535), "Uint16", [1, 2, 65535]],
    ["BigInt64Array", BigInt64Array.of(1n, -2n, 3n), "Int64", [1, -2, 3]],
    ["part of a Float32Array", Float32Array.of(0, 1.5, 2, -3).subarray(1), "Float32", [1.5, 2, -3]],
    ["strings", ["x", "", "é\u{1f600}"], "Utf8", ["x", "", "é\u{1f600}"]],
    ["booleans", [true, false, true], "Bool", [true, false, true]],
    ["missing booleans", [true, null, undefined], "Bool", [true, null, null]],
    ["integers", [1, -2, 3], "Int32", [1, -2, 3]],
    ["missing integers", [1, null, 3], "Int32", [1, null, 3]],
    ["large integers", [1, 2 ** 40, 3], "Int64", [1, 2 ** 40, 3]],
    ["floats", [1, 2.5, Number.NaN], "Float64", [1, 2.5, Number.NaN]],
    ["-0", [1, -0, 3], "Float64", [1, -0, 3]],
    ["bigints", [1n, 2n, -3n], "Int64", [1, 2, -3]],
    ["bigints without a sign", [1n, 2n ** 63n, 3n], "Uint64", [1, 2 ** 63, 3]],
    [
      "a Vector",
      vectorFromArray(["x", "y", "x"], new Dictionary(new Utf8(), new Int8())),
      "Dictionary<Int8, Utf8>",
      ["x", "y", "x"],
    ],
  ])("of %s", async (_, values, type, expected) => {
    expect(await column({ values }, "values")).toEqual([type, expected]);
  });

  test.each<[string, TableColumns, RegExp]>([
    ["lengths that differ", { index: ["a"], n: [1, 2] }, /obs: the column "n" has 2 values, "index" has 1/],
    ["values of two types", { n: [1, null, "x"] as never }, /the column "n" has a number at 0 and a string at 2/],
    ["objects", { n: [{}] as never }, /a value of type object at 0; columns have strings, numbers/],
    ["half of a surrogate pair", { n: ["a", "\ud800"] }, /half of a surrogate pair at 1/],
    ["integers that fit no type", { n: [-1n, 2n ** 63n] }, /integers of more than 64 bits/],
    ["no columns", {}, /neither a table, nor batches/],
    ["a value that is no array", { n: 5 as never }, /neither a table, nor batches, .* nor an object of arrays/],
  ])("with %s are an error", async (_, obs, message) => {
    await expect(writeBytes("h5ad", { obs })).rejects.toThrow(message);
  });

  test("make coordinates, and a matrix with a column for each gene", async () => {
    const data = await written({
      obs: { index: ["a", "b"] },
      var: { index: ["g", "h"] },
      X: { row: [0, 1], col: [1, 0], value: Float32Array.of(5, 6) },
      "layers/dense": { g: Float64Array.of(1, 2), h: Float64Array.of(3, 4) },
    });
    expect([...(await data.gene("h"))]).toEqual([5, 0]);
    expect([...(await data.gene("h", { layer: "dense" }))]).toEqual([3, 4]);
  });
});

const ROWS = [
  [
    { c: 0, v: 1 },
    { c: 3, v: 2 },
  ],
  [],
  [{ c: 2, v: 5 }],
];

/** Lists of entries as a table; `flip` puts the value first. */
function entryTable([position, value]: readonly [string, string], flip = false, type = new Int32()) {
  const fields = [new Field(position, new Int32()), new Field(value, type)];
  const struct = new Struct(flip ? fields.reverse() : fields);
  const lists = new List(new Field("item", struct));
  const rows = ROWS.map((row) => row.map(({ c, v }) => ({ [position]: c, [value]: v })));
  return new Table({ any: vectorFromArray(rows, lists) });
}

function listColumns(positions: string, values: string, lengths = [2, 0, 1]) {
  const lists = (name: "c" | "v", all: readonly number[]) =>
    vectorFromArray(
      ROWS.map((row, i) => Array.from({ length: all[i] }, (_, k) => row[k]?.[name] ?? 0)),
      new List(new Field("item", new Int32())),
    );
  return new Table({ [values]: lists("v", [2, 0, 1]), [positions]: lists("c", lengths) });
}

const DENSE = [
  [1, 0, 0, 2],
  [0, 0, 0, 0],
  [0, 0, 5, 0],
];

describe("lists of entries without metadata", () => {
  test.each([
    ["index and value", entryTable(["index", "value"])],
    ["col and value, the value first", entryTable(["col", "value"], true)],
    ["gene and count", entryTable(["gene", "count"])],
    ["two columns", listColumns("indices", "data")],
    ["two columns of a position and anything", listColumns("col", "z")],
  ])("are a matrix: %s", async (_, X) => {
    const data = await written({ X }, { shape: [3, 4] });
    expect(data.table("X").metadata).toMatchObject({ kind: "csr_matrix", shape: [3, 4] });
    const names = ["0", "1", "2"];
    const cells = await data.cells(names);
    expect(names.map((name) => [...(cells.get(name) ?? [])])).toEqual(DENSE);
  });

  test("take the shape from obs and var, and go into Loom", async () => {
    const tables = { X: entryTable(["col", "value"]), obs: { index: [..."abc"] }, var: { index: [..."ghij"] } };
    const data = await open(await writeBytes("loom", tables));
    cleanups.test.add(() => data.close());
    expect([...(await data.gene("j"))]).toEqual([2, 0, 0]);
  });

  test.each([
    ["no shape", entryTable(["col", "value"]), {}, /X: coordinates without a shape: give obs and var, or the shape/],
    [
      "entries outside the shape",
      entryTable(["col", "value"]),
      { shape: [3, 3] },
      /X: col of entry 1 is 3, outside 0 … 2/,
    ],
    [
      "two integers",
      entryTable(["p", "q"]),
      { shape: [3, 4] },
      /called index and value; these have p: int32, q: int32/i,
    ],
    [
      "lists of other lengths",
      listColumns("col", "value", [1, 1, 1]),
      { shape: [3, 4] },
      /a list of 1 positions beside a list of 2 values/,
    ],
    [
      "other columns beside",
      tableFromArrays({ n: [1, 2, 3] })
        .assign(entryTable(["col", "value"]))
        .assign(listColumns("a", "b")),
      { shape: [3, 4] },
      /leave out n/,
    ],
    [
      "positions that are none",
      new Table({
        X: vectorFromArray(
          [[{ col: true, value: 1 }]],
          new List(
            new Field(
              "item",
              new Struct([new Field<Bool | Int32>("col", new Bool()), new Field<Bool | Int32>("value", new Int32())]),
            ),
          ),
        ),
      }),
      { shape: [1, 4] },
      /these have col: bool/i,
    ],
  ])("with %s are an error", async (_, X, options, message) => {
    await expect(writeBytes("h5ad", { X }, options as object)).rejects.toThrow(message);
  });

  test("stay ragged where no matrix is", async () => {
    const data = await written({
      obs: { index: ["a"] },
      var: { index: ["g"] },
      "uns/records": entryTable(["index", "value"]),
    });
    expect(data.table("uns/records").metadata.kind).toBe("awkward-array");
  });
});

test("an object of arrays is no store of keys, nor a dataset", async () => {
  const store = new Map<string, Uint8Array>();
  await write(
    store,
    new Map([
      ["obs", { index: ["a"] }],
      ["var", { index: ["g"] }],
    ]),
  );
  expect(store.has(".zgroup")).toBe(true);
});
