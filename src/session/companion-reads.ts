/** Which reads of a statement a companion answers, for explanations. */

import { OpenedDataset } from "../api/opened-dataset.js";
import { MOST_POSITIONS } from "../jobs/plan/minor-entries.js";
import { type AxisRanges, countOf } from "../query/positions.js";
import type { TableRead } from "../query/reads.js";
import { elementOf, type QueryDatasets } from "./datasets.js";

/** The read with a further reason, where it chooses few positions of a matrix that a companion has by these. */
export async function withCompanion(read: TableRead, query: QueryDatasets): Promise<TableRead> {
  // A companion on the web is looked for by requests.
  if (read.named.entries === null || !(isFew(read.row) || isFew(read.col))) return read;
  const found = elementOf(query, read.named.table.name);
  if (found === null || !(found.named.dataset instanceof OpenedDataset)) return read;
  const copy = await found.named.dataset.companion?.copyOf(found.element);
  if (!copy || !isFew(copy.order === "row" ? read.row : read.col)) return read;
  return { ...read, reasons: [...read.reasons, `from the companion ${copy.name}`] };
}

function isFew(positions: AxisRanges | null): boolean {
  const count = positions === null ? 0 : countOf(positions);
  return count > 0 && count <= MOST_POSITIONS;
}
