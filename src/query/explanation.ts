/** Builds a table that explains what is read for a statement, and why. */

import { Table, Utf8, vectorFromArray } from "apache-arrow";
import type { DataTable } from "../model/dataset.js";
import { createMemoryTable } from "../tables/table-in-memory.js";
import { type AxisRanges, countRangePositions } from "./positions.js";
import { findAxisSize, type TableRead } from "./reads.js";

/**
 * Returns a row for each table that the statement names. It contains the columns that are read, the positions along the
 * axes, the expected number of rows (assuming an even distribution), and the reason.
 */
export function createExplanationTable(reads: readonly TableRead[]): DataTable {
  const text = (of: (read: TableRead) => string | null) => vectorFromArray(reads.map(of), new Utf8());
  const columns = {
    table: text(({ named }) => named.table.name),
    columns: text(({ named }) => named.columns?.join(", ") ?? "all"),
    row: text((read) => positionsText(read.row, findAxisSize(read.named, "row"))),
    col: text((read) => positionsText(read.col, findAxisSize(read.named, "col"))),
    rows: vectorFromArray(reads.map(expectedRows)),
    of: vectorFromArray(reads.map(allRows)),
    because: text(({ reasons }) => reasons.join("; ")),
  };
  return createMemoryTable(new Table(columns), "reads");
}

/** Formats positions as in `3 of 100 (5 … 90)`; null if the table has no such axis. */
function positionsText(positions: AxisRanges | null, size: number | null): string | null {
  if (size === null) return null;
  if (positions === null) return `all ${size}`;
  const count = countRangePositions(positions);
  if (count === 0) return `0 of ${size}`;
  const [first, last] = [positions[0][0], positions[positions.length - 1][1] - 1];
  return first === last ? `1 of ${size} (${first})` : `${count} of ${size} (${first} … ${last})`;
}

/** Number of rows in the whole table, as a float, because a dense matrix can have more than 2^31 rows. */
function allRows({ named: { table, entries } }: TableRead): number | null {
  return table.rows ?? (entries === null ? null : entries.row * entries.col);
}

function expectedRows(read: TableRead): number | null {
  const all = allRows(read);
  if (all === null) return read.limit;
  const share = (["row", "col"] as const).map((axis) => {
    const size = findAxisSize(read.named, axis);
    const positions = read[axis];
    return positions === null || size === null || size === 0 ? 1 : countRangePositions(positions) / size;
  });
  return Math.min(Math.ceil(all * share[0] * share[1]), read.limit ?? Number.POSITIVE_INFINITY);
}
