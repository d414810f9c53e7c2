/** Writes square matrices as Bioconductor's pairs: hits between cells, or between features. */

import type { RValue } from "../../containers/rds/model/value.js";
import { loadIndexKernels } from "../../kernels/sparse/indices.js";
import { RefusedError } from "../../model/errors.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { type MatrixForm, SliceCounts } from "../../tables/sparse/slice-counts.js";
import { listOrder, noNulls, sparseEntries } from "../../tables/sparse/sparse-entries.js";
import { integers, listOf, type RWriterContext, s4, type WrittenValue } from "./context.js";
import { dFrame } from "./frame.js";
import { isSparse, type NamedAxes } from "./matrix.js";
import { realsOf } from "./vector.js";

/** Maximum number of pairs, which are numbered by R integers. */
const MOST_PAIRS = 2 ** 31 - 1;

/**
 * The pairs of a sparse matrix, by rows, each with its value `x`, as SingleCellExperiment makes them of a matrix.
 * @throws {RefusedError} for a matrix that is not sparse, in which all cells would be paired.
 */
export async function pairs(
  table: ColumnTable,
  { sizes, tables }: NamedAxes,
  cx: RWriterContext,
): Promise<WrittenValue> {
  const { name } = table;
  if (!isSparse(table)) {
    throw new RefusedError("a dense matrix of pairs: Bioconductor has sparse ones alone", {
      element: name,
      table: name,
    });
  }
  const form: MatrixForm = { shape: sizes, order: "row", axes: tables };
  const listed = listOrder(table);
  const source = await sparseEntries(table, listed === null || listed === "row", cx);
  await loadIndexKernels(source.entries ?? Number.POSITIVE_INFINITY);
  const counts = new SliceCounts(form, name);
  const { document } = cx;
  const [from, to, x] = [document.section(4), document.section(4), document.section(8)];
  let row = 0;
  for await (const batch of source.batches(form)) {
    noNulls(batch.values, "value", name);
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
    if (counts.entries > MOST_PAIRS) throw new RefusedError(`more than ${MOST_PAIRS} pairs`, { element: name });
    const columns = Int32Array.from({ length: batch.minor.length }, (_, i) => Number(batch.minor[i]) + 1);
    await from.add(rows);
    await to.add(columns);
    await x.add(realsOf(batch.values));
  }
  const count = counts.entries;
  const vector = (section: typeof from): RValue => document.vector("integer", count, [section]);
  const values = new Map([["x", document.vector("real", count, [x])]]);
  const hits = s4("SelfHits", "S4Vectors", {
    from: vector(from),
    to: vector(to),
    nLnode: integers(sizes[0]),
    nRnode: integers(sizes[1]),
    elementMetadata: dFrame({ rows: count, names: null, columns: values }),
    metadata: listOf([]),
  });
  return { value: s4("DualSubset", "SingleCellExperiment", { hits }), rows: count };
}
