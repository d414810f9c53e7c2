/** Which reads of a statement a companion answers, for explanations. */

import { OpenedDataset } from "../api/opened-dataset.js";
import { MOST_POSITIONS } from "../jobs/plan/minor-entries.js";
import { type AxisRanges, countOf } from "../query/positions.js";
import type { TableRead } from "../query/reads.js";
import { type QueryDatasets, tableName } from "./datasets.js";

/** The read with a further reason, where it chooses few positions of a matrix that a companion has by these. */
export async function withCompanion(read: TableRead, query: QueryDatasets): Promise<TableRead> {
  // A companion on the web is looked for by requests.
  if (read.named.entries === null || !(isFew(read.row) || isFew(read.col))) return read;
  for (const named of query.datasets) {
    const { dataset } = named;
    if (!(dataset instanceof OpenedDataset)) continue;
    const element = [...dataset.tables.keys()].find((name) => tableName(query, named, name) === read.named.table.name);
    const copy = element === undefined ? null : ((await dataset.companion?.copyOf(element)) ?? null);
    if (copy === null) continue;
    if (!isFew(copy.order === "row" ? read.row : read.col)) return read;
    return { ...read, reasons: [...read.reasons, `from the companion ${copy.name}`] };
  }
  return read;
}

function isFew(positions: AxisRanges | null): boolean {
  const count = positions === null ? 0 : countOf(positions);
  return count > 0 && count <= MOST_POSITIONS;
}
