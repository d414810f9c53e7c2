/** Dense matrices as sheets of text: names along both axes, values of all kinds, batches of any size. */

import {
  Bool,
  type DataType,
  Field,
  FixedSizeList,
  Float32,
  Int64,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  vectorFromArray,
} from "apache-arrow";
import { expect, test } from "vitest";
import type { DataTable } from "../../../src/model/dataset.js";
import { csv } from "../../../src/sinks/text/csv.js";
import { toWideCsvTable, type WideCsvNames } from "../../../src/sinks/text/wide-csv.js";
import { tableOf } from "../dataset-of.js";

type Row = readonly unknown[] | null;

/** A matrix in the layout dense, in batches of these rows. */
function dense(width: number, type: DataType, batches: readonly (readonly Row[])[]): DataTable {
  const list = new FixedSizeList(width, new Field("item", type, true));
  const schema = new Schema([new Field("value", list, true)]);
  const made = batches.map((rows) => {
    const values = vectorFromArray([...rows], list);
    const struct = makeData({ type: new Struct(schema.fields), length: rows.length, children: [values.data[0]] });
    return new RecordBatch(schema, struct);
  });
  return tableOf("X", new Table(schema, made), { kind: "array", axis: "row" });
}

/** Names that come in parts of these sizes. */
const inParts = (...parts: (string | null)[][]): WideCsvNames["rows"] =>
  async function* () {
    yield* parts;
  };

async function text(table: DataTable): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of csv(table)) parts.push(part);
  return Buffer.concat(parts).toString();
}

test("a line for each row, a column for each column, by their names", async () => {
  const table = dense(2, new Float32(), [
    [[1.5, Number.NaN]],
    [
      [-0.25, 3],
      [0, 1e10],
    ],
  ]);
  const names = { corner: "cell", rows: inParts(["a", "b,c"], ['d"']), columns: ["CD3E", "MS4A1"] };
  expect(await text(toWideCsvTable(table, names))).toBe(
    'cell,CD3E,MS4A1\na,1.5,NaN\n"b,c",-0.25,3\n"d""",0,10000000000\n',
  );
});

test("positions stand for names that are not there", async () => {
  const table = dense(2, new Bool(), [[[true, false]], [[false, true]]]);
  expect(await text(toWideCsvTable(table, { corner: "", rows: null, columns: null }))).toBe(
    '"",0,1\n0,true,false\n1,false,true\n',
  );
});

test("large integers keep their digits, and missing values are empty", async () => {
  const table = dense(2, new Int64(), [[[9007199254740993n, null], null, [1n, 2n]]]);
  expect(await text(toWideCsvTable(table, { corner: "i", rows: inParts(["a", null, "c"]), columns: ["x", "y"] }))).toBe(
    "i,x,y\na,9007199254740993,\n,,\nc,1,2\n",
  );
});

test("repeated names of columns stay", async () => {
  const table = dense(2, new Float32(), [[[1, 2]]]);
  expect(await text(toWideCsvTable(table, { corner: "", rows: inParts(["a"]), columns: ["g", "g"] }))).toBe(
    '"",g,g\na,1,2\n',
  );
});

test("a matrix of lists, and other numbers of names, are told", async () => {
  const names = { corner: "", rows: null, columns: ["a"] };
  const lists = dense(1, new List(new Field("item", new Float32(), true)), [[[[1]]]]);
  expect(() => toWideCsvTable(lists, names)).toThrow("only a matrix of single values becomes a sheet of text");
  expect(() => toWideCsvTable(dense(2, new Float32(), []), names)).toThrow("has 2 columns, and 1 names of them");
  const short = toWideCsvTable(dense(1, new Float32(), [[[1], [2]]]), { ...names, rows: inParts(["a"]) });
  await expect(text(short)).rejects.toThrow("there are 1 names of rows, and more rows");
});
