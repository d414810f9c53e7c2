/** Sparse matrices as tables in every layout, and stores that are written in memory and read again. */

import { open } from "../../../packages/published/src/node.js";
import type { Column, ColumnBatch, PrimitiveColumn } from "../../../src/arrow/column.js";
import { createField, getCoordinateType } from "../../../src/arrow/type.js";
import { createArrays } from "../../../src/containers/arrays/write/container.js";
import { mapTarget } from "../../../src/io/targets/memory.js";
import type { ColumnTable } from "../../../src/tables/column-table.js";
import { type BpcellsOptions, writeBpcells } from "../../../src/writers/bpcells/write.js";
import { ints, tableOf } from "../tables.js";

export interface Entry {
  readonly row: number;
  readonly col: number;
  /** Its place in a column of values. */
  readonly at: number;
}

export interface Matrix {
  readonly shape: readonly [number, number];
  readonly entries: readonly Entry[];
}

/** How a table says what it is. */
export interface Given {
  /** Makes the column of values of these entries. */
  readonly values: (at: readonly number[]) => PrimitiveColumn;
  readonly perBatch?: number;
  /** The order that its metadata promises. */
  readonly order?: "row" | "column";
  readonly stream?: boolean;
  readonly shape?: readonly [number, number];
}

export function coordinates({ shape, entries }: Matrix, given: Given): ColumnTable {
  const { values, perBatch = 1000 } = given;
  const batches: ColumnBatch[] = [];
  for (let from = 0; from === 0 || from < entries.length; from += perBatch) {
    const part = entries.slice(from, from + perBatch);
    const [row, col] = [part.map((entry) => entry.row), part.map((entry) => entry.col)];
    batches.push({
      length: part.length,
      columns: [ints(Int32Array.from(row)), ints(Int32Array.from(col)), values(part.map((entry) => entry.at))],
    });
  }
  const fields = [
    ...(["row", "col"] as const).map((name) => createField(name, getCoordinateType(0), false)),
    createField("value", values([]).type, false),
  ];
  const metadata = { kind: "coordinates", shape, ...(given.order === undefined ? {} : { order: given.order }) };
  return tableOf("matrix", fields, batches, { rows: entries.length, metadata, stream: given.stream ?? false });
}

/** One list of entries for each row (or column), in batches of so many lists. */
export function lists({ shape, entries }: Matrix, order: "row" | "column", given: Given): ColumnTable {
  const { values, perBatch = 3 } = given;
  const count = shape[order === "row" ? 0 : 1];
  const slices: Entry[][] = Array.from({ length: count }, () => []);
  for (const entry of entries) slices[order === "row" ? entry.row : entry.col].push(entry);
  const batches: ColumnBatch[] = [];
  for (let from = 0; from === 0 || from < count; from += perBatch) {
    batches.push(listBatch(slices.slice(from, from + perBatch), order, values));
  }
  const fields = [createField("entries", batches[0].columns[0].type, false)];
  const metadata = { kind: order === "row" ? "csr_matrix" : "csc_matrix", shape, order };
  return tableOf("matrix", fields, batches, { rows: count, metadata, stream: given.stream ?? false });
}

/** Offsets that do not begin at 0, as a slice of a table has them. */
const BEFORE = 2;

function listBatch(slices: readonly Entry[][], order: "row" | "column", values: Given["values"]): ColumnBatch {
  const all = [...Array.from({ length: BEFORE }, () => ({ row: 0, col: 0, at: 0 })), ...slices.flat()];
  const index = ints(Int32Array.from(all, (entry) => (order === "row" ? entry.col : entry.row)));
  const value = values(all.map((entry) => entry.at));
  const type = {
    id: "Struct",
    fields: [createField("index", index.type, false), createField("value", value.type, false)],
  } as const;
  const child: Column = { layout: "struct", type, length: all.length, validity: null, children: [index, value] };
  const offsets = new Int32Array(slices.length + 1).fill(BEFORE);
  for (const [i, slice] of slices.entries()) offsets[i + 1] = offsets[i] + slice.length;
  const list: Column = {
    ...{ layout: "list", type: { id: "List", item: createField("item", type, false) }, length: slices.length },
    ...{ validity: null, offsets, child },
  };
  return { length: slices.length, columns: [list] };
}

/** Writes a directory of arrays to memory. */
export async function written(
  tables: Readonly<Record<string, ColumnTable>>,
  options: BpcellsOptions = {},
): Promise<{ readonly files: Map<string, Uint8Array>; readonly warnings: readonly string[] }> {
  const files = new Map<string, Uint8Array>();
  const target = mapTarget(files);
  const container = createArrays(target);
  const { warnings } = await writeBpcells(container, new Map(Object.entries(tables)), options);
  await container.close();
  await target.commit();
  return { files, warnings };
}

/** The stored matrix as our reader sees it. */
export async function readBack(files: Map<string, Uint8Array>) {
  const data = await open(files);
  for (const failure of data.failures.values()) throw failure;
  const table = await data.table("matrix").read();
  const column = (name: string) => Array.from(table.getChild(name) ?? [], (value) => value);
  const names = async (name: string) =>
    data.tables.has(name) ? Array.from((await data.table(name).read()).getChild("value") ?? [], String) : null;
  return {
    version: data.version,
    shape: data.shape,
    order: data.table("matrix").metadata.order,
    row: column("row"),
    col: column("col"),
    value: column("value"),
    rowNames: await names("row_names"),
    colNames: await names("col_names"),
  };
}

/** Three entries, in the order of columns. */
export const small: Matrix = {
  shape: [3, 2],
  entries: [
    { row: 2, col: 0, at: 0 },
    { row: 0, col: 1, at: 1 },
    { row: 1, col: 1, at: 2 },
  ],
};
