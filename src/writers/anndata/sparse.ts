/** `csr_matrix` and `csc_matrix`: coordinates in order, or lists of entries, compressed while they pass. */

import type { ColumnTable } from "../../tables/column-table.js";
import { sparseEntries } from "../../tables/sparse-entries.js";
import type { Place } from "./array.js";
import { Compressor, type SparseForm } from "./compressor.js";
import type { Context } from "./context.js";

/**
 * Writes a sparse matrix.
 * @returns the number of entries.
 * @throws {InvalidInputError} for coordinates outside the shape, or out of the order that the table promises.
 */
export async function writeSparse(
  place: Omit<Place, "rows">,
  table: ColumnTable,
  form: SparseForm,
  cx: Context,
): Promise<number> {
  const { value, entries, batches } = await sparseEntries(table, true, cx);
  const out = await Compressor.open(place, form, value, entries, cx);
  for await (const batch of batches(form)) await out.add(batch);
  return out.close();
}
