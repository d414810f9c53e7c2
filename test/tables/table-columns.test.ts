import { Int32, tableFromArrays } from "apache-arrow";
import { expect, test } from "vitest";
import { addPositionColumn, selectColumns } from "../../src/tables/table-columns.js";
import { tableOf } from "../sinks/dataset-of.js";

const stored = tableFromArrays({ a: Int32Array.of(5, 6, 7, 8, 9), b: Int32Array.of(1, 2, 3, 4, 5) });
const obs = addPositionColumn(tableOf("obs", stored, { axis: "row", batchRows: 2 }));

test("positions are the last column", async () => {
  expect(obs.schema.fields.map((field) => field.name)).toEqual(["a", "b", "row"]);
  expect(obs.schema.fields[2]?.type).toEqual(new Int32());
  const read = await obs.read();
  expect([...(read.getChild("row") ?? [])]).toEqual([0, 1, 2, 3, 4]);
});

test("they count from the start of the table, whatever rows are read", async () => {
  const read = await obs.read({ rows: [2, 5] });
  expect([...(read.getChild("row") ?? [])]).toEqual([2, 3, 4]);
  expect([...(read.getChild("a") ?? [])]).toEqual([7, 8, 9]);
});

test("they stand where they are asked for", async () => {
  const read = await obs.read({ columns: ["row", "b"], rows: [1, 3] });
  expect(read.toArray().map(String)).toEqual(['{"row": 1, "b": 2}', '{"row": 2, "b": 3}']);
});

test("alone they need no reading", async () => {
  const unread = { ...tableOf("obs", stored, { axis: "col", failsAfter: 0 }) };
  const read = await selectColumns(addPositionColumn(unread), ["col"]).read();
  expect([...(read.getChild("col") ?? [])]).toEqual([0, 1, 2, 3, 4]);
});

test("and where they are not asked for they are not there", async () => {
  const read = await obs.read({ columns: ["b"] });
  expect(read.schema.fields.map((field) => field.name)).toEqual(["b"]);
});

test("a stored column of that name, in any case, gets the next free number, and its own name in the metadata", async () => {
  const columns = { Row: Int32Array.of(3, 4), Row_1: Int32Array.of(5, 6), row: Int32Array.of(7, 8) };
  const own = addPositionColumn(tableOf("obs", tableFromArrays(columns), { axis: "row" }));
  expect(own.schema.fields.map((field) => field.name)).toEqual(["Row_2", "Row_1", "row_3", "row"]);
  expect(own.schema.fields.map((field) => field.metadata.get("annarrow"))).toEqual([
    ...['{"name":"Row"}', undefined, '{"name":"row"}', '{"position":true}'],
  ]);
  const read = await own.read({ columns: ["row", "row_3", "Row_2"], rows: [1, 2] });
  expect(read.toArray().map(String)).toEqual(['{"row": 1, "row_3": 8, "Row_2": 4}']);
  expect(addPositionColumn(own)).toBe(own);
});

test("a table without an axis, and one of entries, has none", () => {
  const plain = tableOf("X", stored);
  expect(addPositionColumn(plain)).toBe(plain);
  const one = Int32Array.of(1);
  const entries = tableOf("X", tableFromArrays({ row: one, col: one, value: one }), { axis: "row" });
  const stated = { ...entries, metadata: { kind: "csr_matrix", shape: [2, 2] } } as const;
  expect(addPositionColumn(stated)).toBe(stated);
  const frame = { ...entries, metadata: { kind: "dataframe" } } as const;
  expect(addPositionColumn(frame).schema.names).toEqual(["row_1", "col_1", "value_1", "row"]);
  const array = {
    ...tableOf("obsm/x", tableFromArrays({ value: one }), { axis: "row" }),
    metadata: { kind: "array" },
  } as const;
  expect(addPositionColumn(array).schema.names).toEqual(["value", "row"]);
});

test("the lists of a CSC matrix are its columns", () => {
  const lists = tableOf("X", stored, { axis: "row" });
  const stated = { ...lists, metadata: { kind: "csc_matrix", layout: "list", shape: [9, 5] } } as const;
  expect(addPositionColumn(stated).schema.names).toEqual(["a", "b", "col"]);
});

test("an unknown column is named", async () => {
  await expect(obs.read({ columns: ["row", "nope"] })).rejects.toThrow(
    'obs: no column "nope"; did you mean row, a, b?',
  );
});
