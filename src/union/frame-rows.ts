/** Rows of one dataset's frame in the columns of the union. */

import type { Column, ColumnBatch } from "../arrow/column.js";
import { sliceColumn, takeColumn } from "../arrow/take.js";
import { textColumnOf } from "../arrow/text.js";
import type { ColumnTable } from "../tables/column-table.js";
import { frameIndex, indexSource, textsOf } from "../tables/frame-index.js";
import { fewestRows } from "../tables/table-blocks.js";
import type { FlatField } from "./json-types.js";
import { asUnited } from "./united-columns.js";

/** Rows of a frame. */
export interface FrameRows {
  readonly length: number;
  /** Names of the rows. */
  readonly names: Column;
  /** The columns of the union. */
  readonly columns: readonly Column[];
}

export interface FrameRowsOptions {
  /** Positions of the rows, which rise; null for all rows. */
  readonly positions: Int32Array | null;
  /** Column that names the rows; null for the index. */
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
  const names = indexSource(index, frame.fields, frame.name);
  let at = 0;
  for await (const batch of frame.batches(signal === undefined ? {} : { signal })) {
    const start = at;
    at += batch.length;
    const kept = positions === null ? null : withinBatch(positions, start, at);
    if (kept !== null && kept.length === 0 && start > 0) continue;
    const all = kept === null ? batch : taken(batch, kept);
    const columns = united.map((one) => {
      const found = own.get(one.name);
      return asUnited(
        one,
        found === undefined ? null : { field: found.field, column: all.columns[found.place] },
        all.length,
      );
    });
    const text = textColumnOf(textsOf(names.column(batch, start)).map((name) => name ?? ""));
    yield { length: all.length, names: kept === null ? text : takeColumn(text, kept), columns };
  }
}

function withinBatch(positions: Int32Array, start: number, end: number): Int32Array {
  return positions.filter((position) => position >= start && position < end).map((position) => position - start);
}

function taken({ columns }: ColumnBatch, kept: Int32Array): ColumnBatch {
  const { length } = kept;
  const [first = 0] = kept;
  const isRun = length > 0 && kept[length - 1] - first === length - 1;
  return {
    length,
    columns: columns.map((column) => (isRun ? sliceColumn(column, first, first + length) : takeColumn(column, kept))),
  };
}

/** The fields of a frame without its index, and the place of each. */
export function columnsOfFrame(
  frame: ColumnTable,
): readonly { readonly place: number; readonly field: ColumnTable["fields"][number] }[] {
  const { field: index, asColumn } = frameIndex(frame);
  return frame.fields.flatMap((field, place) => (place === index && asColumn === null ? [] : [{ place, field }]));
}

/** The categories of some columns of text, by the names of the columns. Of the rows, as few as possible are read. */
export async function categoriesOf(
  frame: ColumnTable,
  columns: readonly { readonly place: number; readonly field: ColumnTable["fields"][number] }[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  if (columns.length === 0) return found;
  const alone = frame.only?.(columns.map(({ place }) => place));
  for await (const batch of fewestRows(alone ?? frame, signal === undefined ? {} : { signal })) {
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
