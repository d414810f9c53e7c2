/** Table plans over arrays in memory, and their batches as plain values. */

import { toRecordBatch, toSchema } from "../../src/arrow/apache/apache.js";
import { changePlanLayout, createSparseRows } from "../../src/jobs/plan/matrix-plan.js";
import type { ColumnPlan, SparsePlan, TablePlan } from "../../src/jobs/plan/plan.js";
import { getColumnRowCount, getColumnType } from "../../src/jobs/rows/columns.js";
import type { Layout } from "../../src/model/dataset.js";
import type { NumberArray } from "../../src/model/stored.js";
import { type Plain, plainRows, throughIpc } from "../arrow/plain.js";
import { type MemoryArray, numbersArray } from "../stored-array.js";
import { type ScanOptions, scan } from "./scan.js";

const BASE = { schemaMetadata: new Map(), derived: false, axis: null, text: "error", columnNames: null } as const;

/** A table of these columns, named by position. */
export function columnsPlan(...columns: readonly ColumnPlan[]): TablePlan {
  return {
    ...BASE,
    name: "table",
    fields: columns.map((column, i) => ({ name: String(i), type: getColumnType(column), nullable: true })),
    metadata: { kind: "dataframe" },
    rows: getColumnRowCount(columns[0]),
    plan: { kind: "columns", columns },
  };
}

export interface SparseArrays extends SparsePlan {
  readonly data: MemoryArray;
  readonly indices: MemoryArray;
  readonly indptr: MemoryArray;
}

/** A compressed matrix; `chunk` is the number of entries of a chunk. */
export function sparse(
  order: "row" | "column",
  shape: readonly [number, number],
  { data, indices, indptr }: { data: NumberArray; indices: NumberArray; indptr: NumberArray },
  chunk?: number,
): SparseArrays {
  const chunks = chunk === undefined ? {} : { chunks: [chunk] };
  return {
    order,
    shape,
    nnz: data.length,
    data: numbersArray(data, { path: "X/data", ...chunks }),
    indices: numbersArray(indices, { path: "X/indices", ...chunks }),
    indptr: numbersArray(indptr, { path: "X/indptr", ...chunks }),
  };
}

export function sparsePlan(matrix: SparsePlan, layout: Layout = "coordinate"): TablePlan {
  return { ...BASE, name: "X", metadata: { kind: "csr_matrix" }, ...createSparseRows(matrix, layout) };
}

/** The rows of a plan as plain values, through an IPC stream; and how many batches they came in. */
export async function rowsOf(
  plan: TablePlan,
  options: ScanOptions = {},
): Promise<{ rows: Plain[][]; batches: number }> {
  const fields = options.fields ?? plan.fields.map((_, i) => i);
  const schema = toSchema(
    fields.map((i) => plan.fields[i]),
    new Map(),
  );
  const batches = [];
  for await (const { columns, length } of scan(plan, options)) batches.push(toRecordBatch(schema, columns, length));
  return { rows: plainRows(throughIpc(batches)), batches: batches.length };
}

export const rowsIn = async (plan: TablePlan, layout: Layout, options: ScanOptions = {}): Promise<Plain[][]> =>
  (await rowsOf(await changePlanLayout(plan, layout), options)).rows;
