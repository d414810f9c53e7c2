/** Converts the rows of a dataset's dataframe to the columns of the union. */

import { createTextColumn } from "annarrow/core/arrow";
import { type ConvertedRows, listFrameColumns, readConvertedRows } from "annarrow/core/concat";
import { selectTableRows } from "annarrow/core/selection";
import type { ColumnTable } from "annarrow/core/tables";
import { findFrameIndex, getOriginalName, toNames, toTextIndex } from "annarrow/core/tables";
import type { FlatField } from "./json-types.js";
import { planConversion } from "./united-columns.js";

interface FrameRowsOptions {
  /** Ascending positions of the rows; null for all rows. */
  readonly positions: Int32Array | null;
  /** Name of the column that contains the row names; null for the index. */
  readonly namedBy: string | null;
  readonly signal: AbortSignal | undefined;
}

/**
 * Yields rows of a dataframe.
 * @param united columns of the union.
 */
export async function* readFrameRows(
  frame: ColumnTable,
  united: readonly FlatField[],
  { positions, namedBy, signal }: FrameRowsOptions,
): AsyncGenerator<ConvertedRows> {
  const own = new Map(listFrameColumns(frame).map((one) => [one.field.name, one]));
  const columns = united.map((one) => {
    const found = own.get(getOriginalName(one.name, one.metadata)) ?? null;
    return { place: found?.place ?? null, conversion: planConversion(one, found?.field ?? null) };
  });
  const index = findFrameIndex(frame, namedBy ?? undefined);
  const whole = toTextIndex(index, frame);
  let at = 0;
  for await (const rows of readConvertedRows(await selectRows(frame, positions), index, columns, signal)) {
    const { length } = rows;
    // If there is no index, rows are named by their positions in the whole dataframe.
    const names =
      index.field === null && positions !== null
        ? Array.from(positions.subarray(at, at + length), (row) => whole.column({ length: 1, columns: [] }, row))
        : [rows.names];
    yield { ...rows, names: createTextColumn(names.flatMap(toNames)) };
    at += length;
  }
}

/** Selects rows of a table. @param positions ascending positions of the rows; null for all rows. */
export async function selectRows(table: ColumnTable, positions: Int32Array | null): Promise<ColumnTable> {
  return positions === null ? table : ((await table.rowsAt?.(positions)) ?? selectTableRows(table, positions));
}

/** Returns the positions of the rows [start, end), or null if these are all `total` rows. */
export function createRangePositions([start, end]: readonly [number, number], total: number): Int32Array | null {
  if (start === 0 && end === total) return null;
  return Int32Array.from({ length: end - start }, (_, i) => start + i);
}
