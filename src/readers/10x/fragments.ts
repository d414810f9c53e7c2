/** Reads Cell Ranger's fragments files (`fragments.tsv.gz`, `.tsv`). */

import { getFragmentFields } from "../../arrow/fragments.js";
import { openFragmentLines } from "../../containers/tsv/fragment-lines.js";
import type { ByteSource } from "../../io/sources/source.js";
import { createTablePlan } from "../../jobs/plan/plan.js";
import type { DatasetPlans, ReaderOptions } from "../reader.js";

/**
 * Opens a fragments file as the table `fragments`, in the order of the lines; null for other files.
 *
 * `start` and `end` are the numbers in the file. Cell Ranger documents BED's intervals: `start` counts from 0, and
 * `end` is exclusive. BPCells' Python package follows this. By default, BPCells' R package adds 1 to the ends that it
 * reads (`end_inclusive = TRUE`, so that the end position itself is included), and subtracts 1 from the ends that it
 * writes. In a store that was created in R from the file, the ends are therefore higher by 1.
 *
 * The optional fifth column, a fragment's number of reads, becomes `count`. Names are numbered in the order in which
 * they first appear. The number of rows is unknown until all lines are read.
 * @throws {UnsupportedError} for lines with more than five columns.
 */
export async function openFragments(source: ByteSource, options: ReaderOptions): Promise<DatasetPlans | null> {
  const lines = await openFragmentLines(source, options);
  if (lines === null) return null;
  const table = createTablePlan({
    name: "fragments",
    fields: getFragmentFields(lines.counted),
    metadata: { kind: "fragments" },
    rows: null,
    plan: { kind: "fragment-lines", lines, only: null },
    text: options.text,
  });
  return { version: "", shape: null, tables: [table], failures: new Map() };
}
