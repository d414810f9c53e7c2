/** Rows of a dataset's dataframe, converted to the columns of the union. */

import type { Column } from "../arrow/column.js";
import { textColumnOf } from "../arrow/text.js";
import { rowsOfColumns } from "../selection/part-of-columns.js";
import type { ColumnTable } from "../tables/column-table.js";
import { ownName } from "../tables/distinct-columns.js";
import { frameIndex, textIndex, textsOf } from "../tables/frame-index.js";
import { fewestRows } from "../tables/table-blocks.js";
import type { FlatField } from "./json-types.js";
import { asUnited } from "./united-columns.js";

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
export async function* frameRows(
  frame: ColumnTable,
  united: readonly FlatField[],
  { positions, namedBy, signal }: FrameRowsOptions,
): AsyncGenerator<FrameRows> {
  const own = new Map(columnsOfFrame(frame).map(({ place, field }) => [field.name, { place, field }]));
  const index = frameIndex(frame, namedBy ?? undefined);
  const names = textIndex(index, frame);
  const part = positions === null ? frame : ((await frame.rowsAt?.(positions)) ?? rowsOfColumns(frame, positions));
  let at = 0;
  for await (const batch of part.batches({ signal })) {
    const { length, columns } = batch;
    const taken = united.map((one) => {
      const found = own.get(ownName(one.name, one.metadata));
      return asUnited(one, found === undefined ? null : { ...found, column: columns[found.place] }, length);
    });
    // Rows without an index are named by their positions in the whole frame.
    const named =
      index.field === null && positions !== null
        ? Array.from(positions.subarray(at, at + length), (row) => names.column({ length: 1, columns: [] }, row))
        : [names.column(batch, at)];
    const texts = named.flatMap((column) => textsOf(column).map((name) => name ?? ""));
    yield { length, names: textColumnOf(texts), columns: taken };
    at += length;
  }
}

/** Returns the positions of the rows [start, end) out of `total`; null if these are all rows. */
export function positionsOf([start, end]: readonly [number, number], total: number): Int32Array | null {
  if (start === 0 && end === total) return null;
  return Int32Array.from({ length: end - start }, (_, i) => start + i);
}

/** Returns the fields of a dataframe except its index, with their positions. */
export function columnsOfFrame(
  frame: ColumnTable,
): readonly { readonly place: number; readonly field: ColumnTable["fields"][number] }[] {
  const { field: index, asColumn } = frameIndex(frame);
  return frame.fields.flatMap((field, place) => (place === index && asColumn === null ? [] : [{ place, field }]));
}

/** Returns the categories of text columns, keyed by column name. Reads as few rows as possible. */
export async function categoriesOf(
  frame: ColumnTable,
  columns: readonly { readonly place: number; readonly field: ColumnTable["fields"][number] }[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  if (columns.length === 0) return found;
  const alone = frame.only?.(columns.map(({ place }) => place));
  for await (const batch of fewestRows(alone ?? frame, { signal })) {
    for (const [i, { place, field }] of columns.entries()) {
      const column = batch.columns[alone === undefined ? place : i];
      if (column.layout !== "dictionary" || column.dictionary.layout !== "variable") continue;
      found.set(
        field.name,
        textsOf(column.dictionary).map((value) => value ?? ""),
      );
    }
    break;
  }
  return found;
}
