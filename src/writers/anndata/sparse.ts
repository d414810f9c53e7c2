/** `csr_matrix` and `csc_matrix`: coordinates in order, or lists of entries, compressed while they pass. */

import type { ColumnTable } from "../../tables/column-table.js";
import { sparseEntries } from "../../tables/sparse/sparse-entries.js";
import { type ElementPlace, pathOf } from "./array.js";
import { CoordinateCompressor, type SparseForm } from "./compressor.js";
import type { AnnDataWriterContext } from "./context.js";

/**
 * Writes a sparse matrix.
 * @returns the number of entries, and the shape, which is larger where it may grow and entries lie outside of it.
 * @throws {InvalidInputError} for coordinates outside the shape, or out of the order that the table promises.
 */
export async function writeSparse(
  place: Omit<ElementPlace, "rows">,
  table: ColumnTable,
  form: SparseForm,
  cx: AnnDataWriterContext,
): Promise<{ readonly entries: number; readonly shape: readonly [number, number] }> {
  const { value, entries, batches } = await sparseEntries(table, true, cx);
  const out = await CoordinateCompressor.open(place, form, value, entries, cx);
  for await (const batch of batches(form)) await out.add(batch);
  const written = await out.close();
  const known = table.remembered === true ? table.metadata?.shape : undefined;
  if (known?.length === 2 && written.shape.some((size, dimension) => size !== known[dimension])) {
    const [before, after] = [known, written.shape].map((one) => JSON.stringify(one));
    cx.warn(
      `${pathOf(place)}: its schema remembers the shape ${before}, which other tables or its entries exceed; it is written as ${after}`,
    );
  }
  return written;
}
