/** Writes square matrices as Bioconductor's pairs, which are hits between cells or between features. */

import { loadIndexKernels } from "annarrow/core/kernels";
import { UnsupportedElementError } from "annarrow/core/model";
import type { ColumnTable } from "annarrow/core/tables";
import { checkNoMissing, createSparseEntries, ListCounts, listOrder, type MatrixLayout } from "annarrow/core/tables";
import type { RValue } from "../../containers/rds/model/value.js";
import { toReals } from "../r-values.js";
import { createIntegerVector, createRList, createS4Object, type RWriterContext, type WrittenValue } from "./context.js";
import { createDFrame } from "./frame.js";
import { isSparse, type NamedAxes } from "./matrix.js";

/** Maximum number of pairs, which are numbered by R integers. */
const MAX_PAIRS = 2 ** 31 - 1;

/**
 * Returns the pairs of a sparse matrix by rows, each with its value `x`, as SingleCellExperiment makes them.
 * @throws {UnsupportedElementError} for a matrix that is not sparse, since it would pair all cells.
 */
export async function createMatrixPairs(
  table: ColumnTable,
  { sizes, tables }: NamedAxes,
  cx: RWriterContext,
): Promise<WrittenValue> {
  const { name } = table;
  if (!isSparse(table)) {
    throw new UnsupportedElementError("a dense matrix of pairs: Bioconductor has sparse ones alone", {
      element: name,
      table: name,
    });
  }
  const form: MatrixLayout = { shape: sizes, order: "row", axes: tables };
  const listed = listOrder(table);
  const source = await createSparseEntries(table, listed === null || listed === "row", cx);
  await loadIndexKernels(source.entries ?? Number.POSITIVE_INFINITY);
  const counts = new ListCounts(form, name);
  const { document } = cx;
  const [from, to, x] = [document.section(4), document.section(4), document.section(8)];
  let row = 0;
  for await (const batch of source.batches(form)) {
    checkNoMissing(batch.values, "value", name);
    const rows = new Int32Array(batch.minor.length);
    if (batch.kind === "lists") {
      counts.lists(batch.offsets, batch.minor);
      const [base] = batch.offsets;
      for (let list = 0; list + 1 < batch.offsets.length; list++) {
        rows.fill(++row, batch.offsets[list] - base, batch.offsets[list + 1] - base);
      }
    } else {
      counts.coordinates(batch.major, batch.minor);
      for (let i = 0; i < rows.length; i++) rows[i] = Number(batch.major[i]) + 1;
    }
    if (counts.entries > MAX_PAIRS)
      throw new UnsupportedElementError(`more than ${MAX_PAIRS} pairs`, { element: name });
    const columns = Int32Array.from({ length: batch.minor.length }, (_, i) => Number(batch.minor[i]) + 1);
    await from.add(rows);
    await to.add(columns);
    await x.add(toReals(batch.values));
  }
  const count = counts.entries;
  const vector = (section: typeof from): RValue => document.vector("integer", count, [section]);
  const values = new Map([["x", document.vector("real", count, [x])]]);
  const hits = createS4Object("SelfHits", "S4Vectors", {
    from: vector(from),
    to: vector(to),
    nLnode: createIntegerVector(sizes[0]),
    nRnode: createIntegerVector(sizes[1]),
    elementMetadata: createDFrame({ rows: count, names: null, columns: values }),
    metadata: createRList([]),
  });
  return { value: createS4Object("DualSubset", "SingleCellExperiment", { hits }), rows: count };
}
