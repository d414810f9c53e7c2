/** Rows of a dataset's dataframe, converted to the columns of the union. */

import type { Column } from "../arrow/column.js";
import { createTextColumn } from "../arrow/text.js";
import { selectTableRows } from "../selection/part-of-columns.js";
import type { ColumnTable } from "../tables/column-table.js";
import { getOriginalName } from "../tables/distinct-columns.js";
import { findFrameIndex, toNameTexts, toTextIndex } from "../tables/frame-index.js";
import { readFewestRows } from "../tables/table-chunks.js";
import type { FlatField } from "./json-types.js";
import { toUnitedColumn } from "./united-columns.js";

export interface FrameRows {
  readonly length: number;
  readonly names: Column;
  /** Columns of the union, in its order. */
  readonly columns: readonly Column[];
}

export interface FrameRowsOptions {
  /** Ascending positions of the rows; null for all rows. */
  readonly positions: Int32Array | null;
  /** Name of the column with row names; null for the index. */
  readonly namedBy: string | null;
  readonly signal: AbortSignal | undefined;
}

/**
 * Yields rows of a frame.
 * @param united columns of the union.
 */
export async function* readFrameRows(
  frame: ColumnTable,
  united: readonly FlatField[],
  { positions, namedBy, signal }: FrameRowsOptions,
): AsyncGenerator<FrameRows> {
  const own = new Map(listFrameColumns(frame).map(({ place, field }) => [field.name, { place, field }]));
  const index = findFrameIndex(frame, namedBy ?? undefined);
  const names = toTextIndex(index, frame);
  const part = positions === null ? frame : ((await frame.rowsAt?.(positions)) ?? selectTableRows(frame, positions));
  let at = 0;
  for await (const batch of part.batches({ signal })) {
    const { length, columns } = batch;
    const taken = united.map((one) => {
      const found = own.get(getOriginalName(one.name, one.metadata));
      return toUnitedColumn(one, found === undefined ? null : { ...found, column: columns[found.place] }, length);
    });
    // Rows without an index are named by their positions in the whole frame.
    const named =
      index.field === null && positions !== null
        ? Array.from(positions.subarray(at, at + length), (row) => names.column({ length: 1, columns: [] }, row))
        : [names.column(batch, at)];
    const texts = named.flatMap((column) => toNameTexts(column).map((name) => name ?? ""));
    yield { length, names: createTextColumn(texts), columns: taken };
    at += length;
  }
}

/** Returns the positions of the rows [start, end) out of `total`; null if these are all rows. */
export function createRangePositions([start, end]: readonly [number, number], total: number): Int32Array | null {
  if (start === 0 && end === total) return null;
  return Int32Array.from({ length: end - start }, (_, i) => start + i);
}

/** Returns the fields of a dataframe except its index, with their positions. */
export function listFrameColumns(
  frame: ColumnTable,
): readonly { readonly place: number; readonly field: ColumnTable["fields"][number] }[] {
  const { field: index, asColumn } = findFrameIndex(frame);
  return frame.fields.flatMap((field, place) => (place === index && asColumn === null ? [] : [{ place, field }]));
}

/** Returns the categories of text columns, keyed by column name. Reads as few rows as possible. */
export async function readColumnCategories(
  frame: ColumnTable,
  columns: readonly { readonly place: number; readonly field: ColumnTable["fields"][number] }[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  if (columns.length === 0) return found;
  const alone = frame.only?.(columns.map(({ place }) => place));
  for await (const batch of readFewestRows(alone ?? frame, { signal })) {
    for (const [i, { place, field }] of columns.entries()) {
      const column = batch.columns[alone === undefined ? place : i];
      if (column.layout !== "dictionary" || column.dictionary.layout !== "variable") continue;
      found.set(
        field.name,
        toNameTexts(column.dictionary).map((value) => value ?? ""),
      );
    }
    break;
  }
  return found;
}
