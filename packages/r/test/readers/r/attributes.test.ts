import { expect, test } from "vitest";
import { compare } from "../../../../../test/values-of-r.js";
import { open } from "../../../../published/src/node.js";
import { encodeStrings } from "../../../src/containers/rds/model/text.js";
import type { RS4, RValue } from "../../../src/containers/rds/model/value.js";
import { encodeRds } from "../../../src/containers/rds/write/write.js";

/** What values of R's own kinds have beside what their tables are made of: attributes, and names of their elements. */
const NULL: RValue = { kind: "null" };
type Attributes = Record<string, RValue>;
const text = (all: readonly string[], attributes: Attributes = {}): RValue => ({
  kind: "character",
  text: encodeStrings(all),
  attributes: new Map(Object.entries(attributes)),
});
const integer = (all: readonly number[], attributes: Attributes = {}): RValue => ({
  kind: "integer",
  values: Int32Array.from(all),
  attributes: new Map(Object.entries(attributes)),
});
const list = (elements: Record<string, RValue>, attributes: Attributes = {}): RValue => ({
  kind: "list",
  values: Object.values(elements),
  attributes: new Map([["names", text(Object.keys(elements))], ...Object.entries(attributes)]),
});
const frame = (rows: number | readonly string[], columns: Record<string, RValue>, attributes: Attributes = {}) =>
  list(columns, {
    class: text(["data.frame"]),
    "row.names": typeof rows === "number" ? integer([-(2 ** 31), -rows]) : text(rows),
    ...attributes,
  });
const pointer: RValue = { kind: "external pointer", protectedValue: NULL, tag: NULL, attributes: new Map() };
function s4(className: string, pack: string, slots: Attributes): RS4 {
  return { kind: "s4", className, package: pack, slots: new Map(Object.entries(slots)) };
}
const annotation: Attributes = { elementType: text(["ANY"]), elementMetadata: NULL, metadata: list({}) };
const bioconductorFrame = (rows: number, columns: Record<string, RValue>, names: RValue = NULL) =>
  s4("DFrame", "S4Vectors", { rownames: names, nrows: integer([rows]), listData: list(columns), ...annotation });
const compressed = (names: RValue) =>
  s4("CompressedIntegerList", "IRanges", {
    ...{ unlistData: integer([1, 2, 3]), ...annotation },
    partitioning: s4("PartitioningByEnd", "IRanges", { end: integer([1, 3]), NAMES: names, ...annotation }),
  });

/** All values of a file, by their tables and columns, and the failures. */
async function contents(value: RValue): Promise<Record<string, unknown>> {
  const data = await open(await encodeRds(value));
  const found: Record<string, unknown> = {};
  for (const [name, table] of data.tables) {
    if (table.derived) continue;
    const read = await table.read();
    for (const [i, field] of read.schema.fields.entries()) {
      const values = Array.from(read.getChildAt(i) ?? [], (one) => (typeof one === "object" ? Array.from(one) : one));
      found[`${name}: ${field.name}`] = values;
    }
  }
  for (const name of data.failures.keys()) found[`failure: ${name}`] = true;
  await data.close();
  return found;
}

test("attributes of a frame, of its columns and of frames in it are elements beside it", async () => {
  const inner = frame(["i", "j"], { m: integer([5, 6], { label: text(["inner column"]) }) }, { note: text(["inner"]) });
  const value = frame(
    ["a", "b"],
    {
      "n/1": integer([1, 2], { label: text(["a column"]), names: text(["a", "b"]) }),
      other: integer([3, 4], { names: text(["x", "y"]) }),
      inner,
      same: frame(["a", "b"], { k: integer([7, 8]) }),
      factor: integer([1, 1], { levels: text(["u"]), class: text(["factor"]), contrasts: text(["contr.sum"]) }),
    },
    { note: text(["of the frame"]), comment: list({ deep: integer([9]) }, { of: text(["the comment"]) }) },
  );
  expect(await contents(value)).toEqual({
    "value: _index": ["a", "b"],
    "value: n/1": [1, 2],
    "value: other": [3, 4],
    "value: inner.m": [5, 6],
    "value: same.k": [7, 8],
    "value: factor": ["u", "u"],
    "value.note: value": ["of the frame"],
    "value.comment/deep: value": [9],
    "value.comment.of: value": ["the comment"],
    "value.n_1.label: value": ["a column"],
    "value.other.names: value": ["x", "y"],
    "value.inner.rownames: value": ["i", "j"],
    "value.inner.note: value": ["inner"],
    "value.inner.m.label: value": ["inner column"],
    "value.factor.contrasts: value": ["contr.sum"],
  });
});

test("attributes of lists and vectors are elements beside them, also of empty ones", async () => {
  const value = list(
    {
      list: list({ a: integer([1], { unit: text(["mm"]) }) }, { of: text(["a list"]) }),
      empty: list({}, { of: text(["an empty list"]) }),
      series: integer([1, 2, 3], { tsp: integer([2000, 2002, 1]), class: text(["ts"]) }),
      named: integer([1], { names: text(["n"]), levels: text(["of no factor"]) }),
      cells: list({ x: integer([1]), y: integer([2]) }, { dim: integer([1, 2]) }),
    },
    { made: text(["by hand"]) },
  );
  expect(await contents(value)).toMatchObject({
    "list.of: value": ["a list"],
    "list/a.unit: value": ["mm"],
    "empty.of: value": ["an empty list"],
    "series.tsp: value": [2000, 2002, 1],
    "named: _index": ["n"],
    "named.levels: value": ["of no factor"],
    "cells.dim: value": [1, 2],
    "value.made: value": ["by hand"],
  });
});

test("attributes that are no data have no element: pointers, objects of Python, the index of data.table", async () => {
  const session: Attributes = {
    ".internal.selfref": pointer,
    problems: pointer,
    "pandas.index": {
      ...{ kind: "environment", locked: false, enclosure: NULL, bindings: new Map([["pyobj", pointer]]) },
      attributes: new Map([["class", text(["pandas.Index", "python.builtin.object"])]]),
    },
    spec: list({ cols: list({ a: list({}, { class: text(["collector_double"]) }) }) }, { class: text(["col_spec"]) }),
    index: integer([], { __a: integer([2, 1]) }),
  };
  const classes = text(["data.table", "data.frame"]);
  const value = frame(2, { a: integer([1, 2]) }, { ...session, sorted: text(["a"]), class: classes });
  expect(await contents(value)).toEqual({ "value: a": [1, 2], "value.sorted: value": ["a"] });
});

test("an attribute that cannot be read is a failure", async () => {
  const call: RValue = {
    kind: "language",
    items: [{ tag: null, value: { kind: "symbol", name: "y" } }],
    attributes: new Map([["intercept", integer([1])]]),
  };
  const value = frame(1, { a: integer([1]) }, { terms: call });
  expect(await contents(value)).toEqual({ "value: a": [1], "failure: value.terms": true });
});

test("the groups of a grouped tibble are a table, with the rows of each", async () => {
  const rows: RValue = {
    kind: "list",
    values: [integer([1, 3]), integer([2])],
    attributes: new Map([
      ["ptype", integer([])],
      ["class", text(["vctrs_list_of", "vctrs_vctr", "list"])],
    ]),
  };
  const groups = frame(2, { a: text(["x", "y"]), ".rows": rows }, { ".drop": integer([1]) });
  const data = await open(await encodeRds(frame(3, { a: text(["x", "y", "x"]) }, { groups })));
  await compare(data, "value.groups", { a: ["x", "y"], ".rows": [[1, 3], [2]] });
  expect([...data.failures]).toEqual([]);
  await data.close();
});

test("names of lists of Bioconductor are the index of their table, and beside a column where rows have others", async () => {
  expect(await contents(list({ c: compressed(text(["p", "q"])) }))).toEqual({
    "c: _index": ["p", "q"],
    "c: value": [[1], [2, 3]],
  });
  const columns = { same: compressed(text(["a", "b"])), other: compressed(text(["p", "q"])) };
  expect(await contents(bioconductorFrame(2, columns, text(["a", "b"])))).toEqual({
    "value: _index": ["a", "b"],
    "value: same": [[1], [2, 3]],
    "value: other": [[1], [2, 3]],
    "value.other.names: value": ["p", "q"],
  });
});

test("names along the dimensions of matrices and arrays in lists stand beside them", async () => {
  const dims = (names: RValue, ...dim: number[]) => ({ dim: integer(dim), dimnames: names });
  const unnamed = (...values: RValue[]): RValue => ({ kind: "list", values, attributes: new Map() });
  const value = list({
    m: integer([1, 2], dims(unnamed(NULL, text(["p", "q"])), 1, 2)),
    counts: integer([3, 4], dims(list({ letter: text(["a", "b"]), "": text(["c"]) }), 2, 1)),
    one: integer([5, 6], dims(list({ level: text(["u", "v"]) }), 2)),
    cube: integer([7, 8], dims(unnamed(text(["x", "y"]), NULL, text(["z"])), 2, 1, 1)),
    sparse: s4("dgCMatrix", "Matrix", {
      ...{ i: integer([0]), p: integer([0, 1]), Dim: integer([2, 1]), factors: list({}) },
      ...{ Dimnames: unnamed(text(["r1", "r2"]), NULL) },
      x: { kind: "real", values: Float64Array.of(9), attributes: new Map() },
    }),
    frame: frame(["a", "b"], { m: integer([1, 2], dims(unnamed(text(["a", "b"]), text(["k"])), 2, 1)) }),
  });
  expect(await contents(value)).toMatchObject({
    "m.colnames: value": ["p", "q"],
    "counts.rownames: value": ["a", "b"],
    "counts.colnames: value": ["c"],
    "counts.dimnames: value": ["letter", ""],
    "one: _index": ["u", "v"],
    "one: value": [5, 6],
    "one.dimnames: value": ["level"],
    "cube.dimnames/1: value": ["x", "y"],
    "cube.dimnames/3: value": ["z"],
    "sparse.rownames: value": ["r1", "r2"],
    "frame.m.colnames: value": ["k"],
  });
  const found = Object.keys(await contents(value));
  expect(found).not.toContain("m.rownames: value");
  expect(found).not.toContain("frame.m.rownames: value");
});
