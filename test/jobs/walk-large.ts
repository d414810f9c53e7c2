/**
 * Walks a matrix of 32 million non-zeros whose values are computed as they are read, and prints what it saw and by how
 * much the resident memory rose. Run by memory.test.ts in a process of its own.
 */

import { toRecordBatch, toSchema } from "../../src/arrow/apache/apache.js";
import type { StoredArray } from "../../src/containers/tree/container.js";
import { createSparseRows } from "../../src/jobs/plan/matrix-plan.js";
import type { TablePlan } from "../../src/jobs/plan/plan.js";
import type { NumberArray, StoredType } from "../../src/model/stored.js";
import { scan } from "./scan.js";

const ROWS = 400_000;
const PER_ROW = 80;
const COLUMNS = 20_000;
const NNZ = ROWS * PER_ROW;
/** As h5py cuts arrays of this size. */
const CHUNK = 24_000;

function computed(
  path: string,
  type: StoredType,
  length: number,
  make: (start: number, end: number) => NumberArray,
): StoredArray {
  return {
    kind: "array",
    path,
    id: path,
    attributes: new Map(),
    type,
    shape: [length],
    chunks: [CHUNK],
    read: async (start, end) => ({ kind: "fixed", values: make(start, end) }),
  };
}

const int = (bits: 32 | 64): StoredType => ({ kind: "int", bits, signed: true });
const matrix = {
  shape: [ROWS, COLUMNS],
  order: "row",
  nnz: NNZ,
  data: computed("X/data", { kind: "float", bits: 32 }, NNZ, (start, end) => {
    const values = new Float32Array(end - start);
    for (let i = start; i < end; i++) values[i - start] = i % 7;
    return values;
  }),
  indices: computed("X/indices", int(32), NNZ, (start, end) => {
    const values = new Int32Array(end - start);
    for (let i = start; i < end; i++) values[i - start] = (i % PER_ROW) * 250;
    return values;
  }),
  indptr: computed("X/indptr", int(64), ROWS + 1, (start, end) =>
    BigInt64Array.from({ length: end - start }, (_, i) => BigInt((start + i) * PER_ROW)),
  ),
} as const;

const { fields, rows, plan } = createSparseRows(matrix, "coordinate");
const table: TablePlan = {
  ...{ name: "X", fields, rows, plan, metadata: { kind: "csr_matrix" }, schemaMetadata: new Map<string, string>() },
  ...{ derived: false, axis: null, text: "error", columnNames: null },
};
const schema = toSchema(fields, new Map());

const before = process.memoryUsage().rss;
let peak = before;
const sampler = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss);
}, 5);
let seen = 0;
let batches = 0;
let sum = 0;
for await (const { columns, length } of scan(table, {})) {
  const batch = toRecordBatch(schema, columns, length);
  for (const value of batch.data.children[2].values) sum += value;
  seen += batch.numRows;
  batches++;
  peak = Math.max(peak, process.memoryUsage().rss);
  // The sampler has its turn too.
  await new Promise((resolve) => setImmediate(resolve));
}
clearInterval(sampler);
console.log(JSON.stringify({ growth: peak - before, seen, batches, sum, nnz: NNZ }));
