/** A dense matrix from the entries of a sparse one, band by band. */

import type { ArrowField } from "../../arrow/type.js";
import { loadIndexKernels } from "../../kernels/sparse/indices.js";
import { located } from "../../model/errors.js";
import { decodedSize } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { type MatrixForm, SliceCounts } from "../../tables/sparse/slice-counts.js";
import { type SparseEntries, sparseEntries } from "../../tables/sparse/sparse-entries.js";
import { matrixChunks } from "./array-types.js";
import type { LoomWriterContext } from "./context.js";
import { type BandForm, DenseBand } from "./dense-band.js";
import type { Numbers, OpenMatrix } from "./numbers.js";
import type { LoomShape } from "./shape.js";

/** Where a band of the table's own order takes more memory, the other order is taken if its bands take less. */
const MOST_BAND_BYTES = 2 ** 27;

type Order = "row" | "column";

/**
 * Scatters entries into bands of chunks: in the order in which they come, be it by rows or by columns, and only those in
 * no order are sorted before. Entries at one place are added up, with a warning.
 * @returns the number of entries.
 */
export async function writeEntries(
  table: ColumnTable,
  shape: LoomShape,
  open: OpenMatrix,
  numbers: (value: ArrowField) => Numbers,
  cx: LoomWriterContext,
): Promise<number> {
  const own = orderOf(table);
  const { source, order, values } = await inBandOrder(table, own, shape, numbers, cx);
  const form: MatrixForm = { shape, order, axes: [null, null] };
  await loadIndexKernels(table.rows ?? Number.POSITIVE_INFINITY);
  const array = await open(values.type, order === "row" ? 0 : 1);
  const band = new DenseBand(bandForm(order, shape, values), table.name, cx.warn, async (block, positions) => {
    await array.write({ kind: "fixed", values: block }, positions);
  });
  const counts = new SliceCounts(form, table.name);
  for await (const entries of source.batches(form)) {
    await located({ element: table.name }, async () => {
      if (entries.kind === "lists") counts.lists(entries.offsets, entries.minor);
      else counts.coordinates(entries.major, entries.minor);
      await band.add(entries, values.of(entries.values));
    });
  }
  await located({ element: table.name }, async () => {
    await band.close();
    await array.close();
  });
  return counts.entries;
}

async function inBandOrder(
  table: ColumnTable,
  own: Order | null,
  shape: LoomShape,
  numbers: (value: ArrowField) => Numbers,
  cx: LoomWriterContext,
): Promise<{ readonly source: SparseEntries; readonly order: Order; readonly values: Numbers }> {
  const source = await sparseEntries(table, own !== null, cx);
  const values = numbers(source.value);
  const order = cheaperOrder(own ?? "column", shape, values);
  if (order === own || own === null) return { source, order, values };
  // Lists of entries are in one order only; coordinates can be sorted.
  return { source: await sparseEntries(table, false, cx), order, values };
}

function cheaperOrder(own: Order, shape: LoomShape, values: Numbers): Order {
  const bytes = (order: Order) => {
    const { width, minors } = bandForm(order, shape, values);
    return width * minors * (decodedSize(values.type) ?? 8);
  };
  const other = own === "row" ? "column" : "row";
  return bytes(own) > MOST_BAND_BYTES && bytes(other) < bytes(own) ? other : own;
}

function bandForm(order: Order, shape: LoomShape, { type }: Numbers): BandForm {
  const [rows, cols] = shape;
  const [height, width] = matrixChunks(shape);
  return order === "row"
    ? { order, majors: rows, minors: cols, width: height, type }
    : { order, majors: cols, minors: rows, width, type };
}

/** The order that the table promises. */
function orderOf({ metadata }: ColumnTable): Order | null {
  if (metadata?.order === "row" || metadata?.order === "column") return metadata.order;
  if (metadata?.kind === "csr_matrix" && metadata.order === undefined) return "row";
  if (metadata?.kind === "csc_matrix" && metadata.order === undefined) return "column";
  // The non-zeros of a dense matrix come row by row.
  return metadata?.kind === "array" && metadata.layout === "coordinate" ? "row" : null;
}
