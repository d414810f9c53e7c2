import { expect, test } from "vitest";
import type { MappingNode, TablePlan } from "../../../src/jobs/plan/plan.js";
import { NODE_FIELDS } from "../../../src/jobs/rows/mapping-nodes.js";
import { memoryArray, numbersArray, textArray } from "../../stored-array.js";
import { rowsOf } from "../plans.js";

const scalar = memoryArray({ kind: "float", bits: 64 }, [], { kind: "fixed", values: Float64Array.of(Number.NaN) });
const nodes: readonly MappingNode[] = [
  { path: "uns/a", kind: "dict", type: null, shape: null, value: null },
  {
    path: "uns/a/x",
    kind: "array",
    type: "Int64",
    shape: [2],
    value: { kind: "array", array: numbersArray(BigInt64Array.of(2n ** 60n, 1n)) },
  },
  { path: "uns/n", kind: "numeric-scalar", type: "Float64", shape: [], value: { kind: "array", array: scalar } },
  { path: "uns/t", kind: "string-array", type: "Utf8", shape: [1], value: { kind: "array", array: textArray(["é"]) } },
  { path: "uns/z", kind: "null", type: "Null", shape: [], value: { kind: "null" } },
  { path: "uns/big", kind: "array", type: "Int8", shape: [1000, 2], value: null },
];
const plan: TablePlan = {
  name: "uns",
  fields: NODE_FIELDS,
  metadata: { kind: "dict", shape: [nodes.length] },
  schemaMetadata: new Map(),
  rows: nodes.length,
  derived: true,
  axis: null,
  plan: { kind: "mapping-nodes", nodes },
  text: "error",
  columnNames: null,
};

test("a derived table has one row per node, with small values as JSON", async () => {
  expect((await rowsOf(plan)).rows).toEqual([
    ["uns/a", "dict", null, null, null],
    ["uns/a/x", "array", "Int64", [2n], "[1152921504606846976,1]"],
    ["uns/n", "numeric-scalar", "Float64", [], '"NaN"'],
    ["uns/t", "string-array", "Utf8", [1n], '["é"]'],
    ["uns/z", "null", "Null", [], "null"],
    ["uns/big", "array", "Int8", [1000n, 2n], null],
  ]);
});

test("rows and columns of it can be asked for; values are read for them alone", async () => {
  scalar.reads.length = 0;
  expect((await rowsOf(plan, { rows: [1, 3], fields: [0] })).rows).toEqual([["uns/a/x"], ["uns/n"]]);
  expect(scalar.reads).toEqual([]);
  expect((await rowsOf(plan, { rows: [2, 2] })).rows).toEqual([]);
});
