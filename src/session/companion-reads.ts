/** Which reads of a statement a companion answers, for explanations. */

import { OpenedDataset } from "../api/opened-dataset.js";
import { MOST_POSITIONS } from "../jobs/plan/minor-entries.js";
import { countOf } from "../query/positions.js";
import type { TableRead } from "../query/reads.js";
import { type QueryDatasets, tableName } from "./datasets.js";

/** The read with a further reason, where it chooses few positions of a matrix that a companion has by these. */
export async function withCompanion(read: TableRead, query: QueryDatasets): Promise<TableRead> {
  for (const named of query.datasets) {
    const { dataset } = named;
    if (!(dataset instanceof OpenedDataset)) continue;
    const element = [...dataset.tables.keys()].find((name) => tableName(query, named, name) === read.named.table.name);
    const copy = element === undefined ? null : ((await dataset.companion?.copyOf(element)) ?? null);
    if (copy === null) continue;
    const positions = copy.order === "row" ? read.row : read.col;
    if (positions === null || countOf(positions) === 0 || countOf(positions) > MOST_POSITIONS) return read;
    return { ...read, reasons: [...read.reasons, `from the companion ${copy.name}`] };
  }
  return read;
}
