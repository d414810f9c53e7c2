/** Tables that never were MATLAB's: what is stored for them, in the order of MATLAB's arrays, and what they come back as. */

import { expect, test } from "vitest";
import type { Column } from "../../../src/arrow/column.js";
import { createField } from "../../../src/arrow/type.js";
import { tableOf as readTable } from "../../readers/anndata/expected.js";
import { bools, dictionary, floats, ints, lists, ragged, table, tableOf, text, times } from "../tables.js";
import { arrayAt, groupAt, nodeAt, storedAt, writeTables } from "./write.js";

const classOf = (node: { readonly attributes: ReadonlyMap<string, unknown> }) => node.attributes.get("MATLAB_class");

test("the header says version 7.3, and HDF5 begins behind 512 bytes", async () => {
  const { bytes } = await writeTables([table("a", [{ value: floats(Float64Array.of(1)) }])]);
  const header = new TextDecoder().decode(bytes.subarray(0, 116));
  expect(header).toBe("MATLAB 7.3 MAT-file, Platform: annarrow, HDF5 schema 1.00 .".padEnd(116));
  expect([...bytes.subarray(116, 128)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x49, 0x4d]);
  expect(bytes.subarray(128, 512).every((byte) => byte === 0)).toBe(true);
  // Signature, superblock 0, base address 512.
  expect([...bytes.subarray(512, 521)]).toEqual([0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a, 0]);
  expect(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(512 + 24, true)).toBe(512n);
});

test("columns are n x 1, and a matrix is stored column by column", async () => {
  const written = await writeTables([
    table("v", [{ value: ints(Int16Array.of(1, 2)) }, { value: ints(Int16Array.of(3)) }]),
    table("unknown", [{ value: floats(Float32Array.of(1, 2)) }, { value: floats(Float32Array.of(3)) }], {
      counted: false,
    }),
    table("m", [{ value: lists(3, floats(Float64Array.of(1, 2, 3, 4, 5, 6))) }]),
    table("flags", [{ value: bools(true, false) }]),
  ]);
  expect(await storedAt(written, "v")).toEqual({ shape: [1, 3], values: [1, 2, 3] });
  expect(await storedAt(written, "unknown")).toEqual({ shape: [1, 3], values: [1, 2, 3] });
  expect(await storedAt(written, "m")).toEqual({ shape: [3, 2], values: [1, 4, 2, 5, 3, 6] });
  expect(await storedAt(written, "flags")).toEqual({ shape: [1, 2], values: [1, 0] });
  const nodes = await Promise.all(["v", "unknown", "m", "flags"].map((name) => nodeAt(written, name)));
  expect(nodes.map(classOf)).toEqual(["int16", "single", "double", "logical"]);
  expect(nodes[3].attributes.get("MATLAB_int_decode")).toBe(1);
  expect(written.data.table("m").metadata).toMatchObject({ class: "double", size: [2, 3] });
});

test("arrays of three dimensions are stored with the dimensions in reverse order", async () => {
  // [row][column][page] = 100 row + 10 column + page
  const at = (i: number) => 100 * Math.floor(i / 6) + 10 * (Math.floor(i / 2) % 3) + (i % 2);
  const values = ints(Int32Array.from({ length: 24 }, (_, i) => at(i)));
  const written = await writeTables([table("n", [{ value: lists(3, lists(2, values)) }])]);
  const expected: number[] = [];
  for (let page = 0; page < 2; page++)
    for (let column = 0; column < 3; column++)
      for (let row = 0; row < 4; row++) expected.push(100 * row + 10 * column + page);
  expect(await storedAt(written, "n")).toEqual({ shape: [2, 3, 4], values: expected });
});

/** Beyond what is transposed in one piece: several bands, in chunks. */
test.each([
  ["two", 5000, [60]],
  ["three", 3000, [7, 13]],
] as const)("a large array of %s dimensions comes band by band", async (_, rows, dimensions) => {
  const width = dimensions.reduce((a, b) => a * b, 1);
  const batch = (from: number, to: number): Column => {
    const values = Float64Array.from({ length: (to - from) * width }, (_, i) => from * width + i);
    return dimensions.reduceRight<Column>((inner, size) => lists(size, inner), floats(values));
  };
  const cuts = [0, 7, 1024, 1025, rows];
  const batches = cuts.slice(1).map((to, i) => ({ value: batch(cuts[i], to) }));
  const written = await writeTables([table("x", batches)]);
  const { shape, values } = await storedAt(written, "x");
  expect(shape).toEqual([...[...dimensions].reverse(), rows]);
  const [first, second = 1] = dimensions;
  let wrong = 0;
  for (let at = 0; at < values.length; at++) {
    const row = at % rows;
    const column = Math.floor(at / rows) % first;
    const page = Math.floor(at / rows / first);
    if (values[at] !== row * width + column * second + page) wrong++;
  }
  expect([values.length, wrong]).toEqual([rows * width, 0]);
  const read = (await readTable(written.data.table("x"))).columns.value;
  const last = Array.from({ length: width }, (_, i) => (rows - 1) * width + i);
  expect([read.length, read[rows - 1]].flat(3)).toEqual([rows, ...last]);
});

test("what has no values is a list of its size", async () => {
  const written = await writeTables([
    table("none", [{ value: floats(new Float64Array(0)) }]),
    table("wide", [{ value: lists(4, ints(new Uint8Array(0))) }]),
    table("texts", [{ value: text() }]),
  ]);
  expect(await storedAt(written, "none")).toEqual({ shape: [2], values: [0, 1] });
  expect(await storedAt(written, "wide")).toEqual({ shape: [2], values: [0, 4] });
  expect(await storedAt(written, "texts")).toEqual({ shape: [2], values: [0, 1] });
  const nodes = await Promise.all(["none", "wide", "texts"].map((name) => nodeAt(written, name)));
  expect(nodes.map(classOf)).toEqual(["double", "uint8", "cell"]);
  expect(nodes.map(({ attributes }) => attributes.get("MATLAB_empty"))).toEqual([1, 1, 1]);
});

test("texts are a cell of characters; one that is a scalar is characters itself", async () => {
  const written = await writeTables([
    table("names", [{ value: text("ab", "", "é😀") }]),
    table("title", [{ value: text("hi") }], { metadata: { kind: "string", shape: [] } }),
  ]);
  const cell = await arrayAt(written, "names");
  expect([cell.shape, cell.type.kind, classOf(cell)]).toEqual([[1, 3], "reference", "cell"]);
  expect(await storedAt(written, "#refs#/a")).toEqual({ shape: [2, 1], values: [0x61, 0x62] });
  expect(await storedAt(written, "#refs#/b")).toEqual({ shape: [2], values: [0, 0] });
  expect(await storedAt(written, "#refs#/c")).toEqual({ shape: [3, 1], values: [0xe9, 0xd83d, 0xde00] });
  expect((await arrayAt(written, "#refs#/c")).attributes.get("H5PATH")).toBe("/#refs#/c");
  expect(await storedAt(written, "title")).toEqual({ shape: [2, 1], values: [0x68, 0x69] });
  expect((await readTable(written.data.table("names"))).columns.value).toEqual(["ab", "", "é😀"]);
});

test("a matrix of coordinates is sorted by columns; what is single becomes double", async () => {
  const columns = {
    row: ints(Int32Array.of(2, 0, 1, 0)),
    col: ints(Int32Array.of(1, 1, 0, 3)),
    value: floats(Float32Array.of(1, 2, 3, 4)),
  };
  const written = await writeTables([table("X", [columns])], { shape: [3, 5] });
  expect(await storedAt(written, "X/data")).toEqual({ shape: [4], values: [3, 2, 1, 4] });
  expect(await storedAt(written, "X/ir")).toEqual({ shape: [4], values: [1, 0, 2, 0] });
  expect(await storedAt(written, "X/jc")).toEqual({ shape: [6], values: [0, 1, 3, 3, 4, 4] });
  const group = await groupAt(written, "X");
  expect([classOf(group), Number(group.attributes.get("MATLAB_sparse"))]).toEqual(["double", 3]);
  expect(written.warnings).toEqual(["X: Float32 is written as double, the one type of numbers in sparse matrices"]);
});

test("a matrix of coordinates that says its order is sorted within its columns all the same", async () => {
  const columns = {
    row: ints(Int32Array.of(2, 0)),
    col: ints(Int32Array.of(0, 0)),
    value: bools(true, true),
  };
  const metadata = { kind: "csc_matrix", shape: [3, 1], order: "column" };
  const written = await writeTables([table("X", [columns], { metadata })]);
  expect(await storedAt(written, "X/ir")).toEqual({ shape: [2], values: [0, 2] });
  expect(classOf(await groupAt(written, "X"))).toBe("logical");
});

test("a matrix without entries has pointers alone", async () => {
  const columns = { row: ints(new Int32Array(0)), col: ints(new Int32Array(0)), value: floats(new Float64Array(0)) };
  const written = await writeTables([table("X", [columns])], { shape: [3, 2] });
  expect(await (await groupAt(written, "X")).keys()).toEqual(["jc"]);
  expect(await storedAt(written, "X/jc")).toEqual({ shape: [3], values: [0, 0, 0] });
});

test.each([
  ["two entries at one place", [0, 0], [1, 1], [3, 3], /two entries at row 0, column 1, where MATLAB has one/],
  ["an entry outside", [0, 3], [1, 1], [3, 3], /row of entry 1 is 3, outside 0 … 2/],
] as const)("%s", async (_, row, col, shape, message) => {
  const columns = {
    row: ints(Int32Array.from(row)),
    col: ints(Int32Array.from(col)),
    value: floats(Float64Array.of(1, 2)),
  };
  await expect(writeTables([table("X", [columns])], { shape })).rejects.toThrow(message);
});

const FRAME = {
  _index: text("a", "b", "c"),
  "n counts": ints(Int32Array.of(1, 2, 3), 1),
  score: floats(Float64Array.of(0.5, Number.NaN, 7), 2),
  kept: bools(true, null, false),
  type: dictionary([1, null, 0], text("B", "T"), true),
  note: text("x", null, ""),
  when: times(BigInt64Array.of(0n, 5n, 6n), 1),
  list: ragged([0, 2, 2, 3], floats(Float64Array.of(1, 2, 3))),
  pair: lists(2, floats(Float32Array.of(1, 2, 3, 4, 5, 6))),
};

test("a table of columns is a struct, and comes back as it was", async () => {
  const metadata = { kind: "dataframe", custom: "é" };
  const frame = table("obs", [FRAME], { metadata, pandas: { index_columns: ["_index"] } });
  const written = await writeTables([frame]);
  expect(written.warnings).toEqual([]);
  const group = await groupAt(written, "obs");
  expect(classOf(group)).toBe("struct");
  const fields = ["x_index", "n_counts", "score", "kept", "type", "note", "when", "list", "pair", "missing"];
  expect(group.attributes.get("MATLAB_fields")).toEqual(fields.map((name) => [...name]));
  expect(await storedAt(written, "obs/n_counts")).toEqual({ shape: [1, 3], values: [1, 0, 3] });
  expect(await storedAt(written, "obs/score")).toEqual({ shape: [1, 3], values: [0.5, Number.NaN, Number.NaN] });
  expect(await storedAt(written, "obs/type/codes")).toEqual({ shape: [1, 3], values: [2, 0, 1] });
  expect(await storedAt(written, "obs/missing/score")).toEqual({ shape: [1, 3], values: [0, 0, 1] });
  expect(await storedAt(written, "obs/pair")).toEqual({ shape: [2, 3], values: [1, 3, 5, 2, 4, 6] });

  const { data } = written;
  expect([data.warnings, [...data.failures]]).toEqual([[], []]);
  const obs = data.table("obs");
  expect(obs.metadata).toEqual(metadata);
  expect(obs.schema.metadata.get("pandas")).toBe(JSON.stringify({ index_columns: ["_index"] }));
  expect(Object.fromEntries(obs.schema.fields.map(({ name, type }) => [name, String(type)]))).toEqual({
    _index: "Utf8",
    "n counts": "Int32",
    score: "Float64",
    kept: "Bool",
    type: "Dictionary<Int32, Utf8>",
    note: "Utf8",
    when: "Timestamp<SECOND>",
    list: "List<Float64>",
    pair: "FixedSizeList[2]<Float32>",
  });
  expect((await readTable(obs)).columns).toMatchObject({
    _index: ["a", "b", "c"],
    "n counts": [1, null, 3],
    kept: [true, null, false],
    type: ["T", null, "B"],
    note: ["x", null, ""],
    list: [[1, 2], [], [3]],
    pair: [
      [1, 2],
      [3, 4],
      [5, 6],
    ],
  });
});

test("tables with a path are fields of structs", async () => {
  const written = await writeTables([
    table("uns/a/b", [{ value: floats(Float64Array.of(1)) }]),
    table("uns/c", [{ value: floats(Float64Array.of(2)) }]),
  ]);
  expect((await groupAt(written, "uns")).attributes.get("MATLAB_fields")).toEqual([["a"], ["c"]]);
  expect((await arrayAt(written, "uns/a/b")).attributes.get("H5PATH")).toBe("/uns/a");
  expect([...written.data.tables.keys()].sort()).toEqual(["uns", "uns/a/b", "uns/c"]);
});

test.each([
  ["a name that MATLAB has not", "my var", /"my var" is no name in MATLAB/],
  ["a name of what MATLAB keeps", "#refs#", /the name of what MATLAB keeps beside the variables/],
])("%s is refused", async (_, name, message) => {
  await expect(writeTables([table(name, [{ value: floats(Float64Array.of(1)) }])])).rejects.toThrow(message);
});

test("names are changed where losses are allowed, and stay for hdf5storage", async () => {
  const one = () => table("my var", [{ value: floats(Float64Array.of(1)) }]);
  const changed = await writeTables([one()], { lossy: true });
  expect([...changed.data.tables.keys()]).toEqual(["my_var"]);
  expect(changed.warnings[0]).toMatch(/it is written as my_var/);
  const kept = await writeTables([one()], { profile: "hdf5storage" });
  expect([...kept.data.tables.keys()]).toEqual(["my var"]);
});

test("hdf5storage gets the types of Python", async () => {
  const written = await writeTables(
    [
      table("v", [{ value: ints(Int16Array.of(1, 2)) }]),
      table("obs", [{ a: floats(Float64Array.of(1)), b: text("x") }]),
      table("title", [{ value: text("hi") }], { metadata: { kind: "string", shape: [] } }),
      table("astral", [{ value: text("a😁") }], { metadata: { kind: "string", shape: [] } }),
    ],
    { profile: "hdf5storage" },
  );
  const attributes = (await nodeAt(written, "v")).attributes;
  expect(attributes.get("Python.Type")).toBe("numpy.ndarray");
  expect(attributes.get("Python.numpy.UnderlyingType")).toBe("int16");
  expect(attributes.get("Python.Shape")).toEqual([2]);
  expect((await nodeAt(written, "obs")).attributes.get("Python.Type")).toBe("dict");
  expect((await nodeAt(written, "obs")).attributes.get("Python.Fields")).toEqual(["a", "b"]);
  expect((await nodeAt(written, "title")).attributes.get("Python.numpy.UnderlyingType")).toBe("str64");
  // It divides the array by this, so that each half of a surrogate pair counts.
  expect((await nodeAt(written, "astral")).attributes.get("Python.numpy.UnderlyingType")).toBe("str96");
});

test("columns that MATLAB has no form for are refused by name, or left out", async () => {
  const list: Column = {
    ...{ layout: "list", length: 1, validity: null, offsets: Int32Array.of(0, 1), child: text("x") },
    type: { id: "List", item: createField("item", { id: "Utf8" }) },
  };
  const categories: Column = {
    ...{ layout: "dictionary", length: 1, validity: null, indices: Int8Array.of(0), dictionary: list },
    type: { id: "Dictionary", index: { id: "Int", bits: 8, signed: true }, value: list.type, ordered: false },
  };
  const frame = () =>
    tableOf(
      "obs",
      [createField("n", { id: "Float", bits: 64 }), createField("s", categories.type)],
      [{ length: 1, columns: [floats(Float64Array.of(1)), categories] }],
      { rows: 1 },
    );
  await expect(writeTables([frame()])).rejects.toThrow(/categories of type List<Utf8>, for which MATLAB has no form/);
  const { data, warnings } = await writeTables([frame()], { lossy: true });
  expect(warnings.length).toBe(1);
  expect(data.table("obs").schema.fields.map(({ name }) => name)).toEqual(["n"]);
});
