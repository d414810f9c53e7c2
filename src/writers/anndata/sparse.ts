/** Writes `csr_matrix` and `csc_matrix`. Sorted coordinates or entry lists become `data`, `indices` and `indptr`. */

import type { GroupWriter, WrittenAttribute } from "../../containers/tree/container-writer.js";
import { loadIndexKernels } from "../../kernels/sparse/indices.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { ListCounts } from "../../tables/sparse/list-counts.js";
import { createEncodingAttributes, createShapeAttribute } from "../attributes.js";
import {
  countEntries,
  mayGrow,
  openEntries,
  pickIntegerTypes,
  type SparseLayout,
  type WrittenSparse,
  writeSparseArrays,
} from "../sparse-groups.js";
import { type ElementDestination, getElementPath, openGroup } from "./array.js";
import { areUncompressed, keepEntries, readWritableMatrix, warnAnew, warnNotCopied } from "./chunk-copies.js";

/**
 * Writes a sparse matrix.
 * @returns the number of entries, and the shape. The shape is larger than given if it may grow and there are entries
 * outside it.
 * @throws {InvalidInputError} for coordinates outside the shape, or not in the order that the table declares.
 */
export async function writeSparse(
  place: ElementDestination,
  table: ColumnTable,
  given: SparseLayout,
): Promise<WrittenSparse> {
  const { cx } = place;
  const element = getElementPath(place);
  const opened = await openEntries(table, given, cx);
  const { layout, source } = opened;
  const group = await openMatrix(place, layout);
  const stored =
    cx.keep === null ? null : await readWritableMatrix(table, layout, (nnz) => pickIntegerTypes(layout, nnz));
  if (stored !== null) {
    const check = async () => {
      if (!cx.keep?.check) return;
      await loadIndexKernels(stored.nnz);
      const counts = new ListCounts(layout, element);
      for await (const batch of source.batches(layout)) countEntries(counts, batch);
    };
    if (await keepEntries(place, group, stored, check)) return { entries: stored.nnz, shape: stored.shape };
    await warnNotCopied(place, [stored.data, stored.indices]);
  } else warnAnew(place, table);
  const isPlain = stored !== null && areUncompressed([stored.data, stored.indices]);
  const written = await writeSparseArrays(
    { cx, group, element, compressed: isPlain ? false : place.compressed },
    table,
    opened,
  );
  if (mayGrow(layout)) group.attribute("shape", createShapeAttribute(written.shape));
  return written;
}

function openMatrix(place: ElementDestination, form: SparseLayout): Promise<GroupWriter> {
  const kind = form.order === "row" ? "csr_matrix" : "csc_matrix";
  const shape: Readonly<Record<string, WrittenAttribute>> = mayGrow(form)
    ? {}
    : { shape: createShapeAttribute(form.shape) };
  return openGroup(place, createEncodingAttributes(kind, shape));
}
