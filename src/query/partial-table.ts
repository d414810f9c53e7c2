/** A table of which a statement needs only some rows. */

import { type RecordBatch, Table } from "apache-arrow";
import type { BatchOptions, DataTable } from "../model/dataset.js";
import { readTable, sliceBatch } from "../tables/record-batch.js";
import { selectColumns } from "../tables/table-columns.js";
import { tableInMemory } from "../tables/table-in-memory.js";
import { type AxisRanges, countOf, listed } from "./positions.js";
import type { TableRead } from "./reads.js";

/** Few rows need no large batch. */
const FEW = 1000;
const SMALL_BATCH = 2 ** 18;

/** The part of a table that is loaded for a statement, in stored order. */
export function partialTable({ named, row, col, limit }: TableRead): DataTable {
  const { table, columns, entries, position } = named;
  const some = selectColumns(table, columns);
  const isEmpty = limit === 0 || [row, col].some((positions) => positions !== null && countOf(positions) === 0);
  if (isEmpty) return tableInMemory(new Table(some.schema), table.name);
  if (entries !== null)
    return row === null && col === null && limit === null ? some : shortened(some, whereOf(row, col), limit);
  const along = position === "row" ? row : position === "col" ? col : null;
  if (along === null && limit === null) return some;
  return shortened(some, along === null ? {} : { rows: [along[0][0], along[along.length - 1][1]] }, limit);
}

function whereOf(row: AxisRanges | null, col: AxisRanges | null): BatchOptions {
  if (row === null && col === null) return {};
  return { where: { row: row === null ? undefined : listed(row), col: col === null ? undefined : listed(col) } };
}

/** The rows of `table` that `chosen` gives, as far as the first `limit` rows. */
function shortened(table: DataTable, chosen: BatchOptions, limit: number | null): DataTable {
  const { name, schema, metadata, derived, axis, layouts } = table;
  const known = chosen.where !== undefined || table.rows === null ? null : (chosen.rows ?? [0, table.rows]);
  const most = limit ?? Number.POSITIVE_INFINITY;
  const end = known === null ? null : Math.min(known[1], known[0] + most);
  const part: DataTable = {
    ...{ name, schema, metadata, derived, axis, layouts },
    rows: known === null || end === null ? null : end - known[0],
    layout: (layout) => table.layout(layout),
    batches: (options) =>
      known === null || end === null
        ? upTo(
            most,
            table.batches({ ...options, ...chosen, batchBytes: most > FEW ? options?.batchBytes : SMALL_BATCH }),
          )
        : table.batches({ ...options, rows: [known[0], end] }),
    read: (options) => readTable(part, options),
  };
  return part;
}

async function* upTo(most: number, batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  let left = most;
  for await (const batch of batches) {
    yield batch.numRows <= left ? batch : sliceBatch(batch, 0, left);
    left -= batch.numRows;
    if (left <= 0) return;
  }
}
