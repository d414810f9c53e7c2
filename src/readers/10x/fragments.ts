/** A fragments file of Cell Ranger (`fragments.tsv.gz`, `.tsv`) -> the plan of its one table. */

import { fragmentFields } from "../../arrow/fragments.js";
import { openFragmentLines } from "../../containers/tsv/fragment-lines.js";
import type { ByteSource } from "../../sources/source.js";
import type { DatasetPlans, ReaderOptions } from "../reader.js";

/**
 * The table `fragments` of a file of fragments, in the order of its lines; null where `source` is something else.
 *
 * `start` and `end` are the numbers in the file. Cell Ranger documents them as those of BED: 0-based, and the end
 * exclusive, just behind the fragment. BPCells' Python package takes them so too; its R package by default adds 1 to the
 * ends that it reads (`end_inclusive = TRUE`, meant for counting the cut at the end itself) and takes it away from those
 * that it writes, so its stores of the same file have ends that are higher by 1.
 *
 * The fifth column, how many reads a fragment stands for, is `count` where the file has it. Names are numbered as they
 * first appear. How many fragments there are, only a pass over the file tells.
 * @throws {UnsupportedError} for lines of more than five columns.
 */
export async function openFragments(source: ByteSource, options: ReaderOptions): Promise<DatasetPlans | null> {
  const lines = await openFragmentLines(source, options);
  if (lines === null) return null;
  const table = {
    name: "fragments",
    fields: fragmentFields(lines.counted),
    metadata: { kind: "fragments" },
    schemaMetadata: new Map<string, string>(),
    rows: null,
    derived: false,
    axis: null,
    plan: { kind: "fragment-lines", lines, only: null },
    text: options.text,
    columnNames: null,
  } as const;
  return { version: "", shape: null, tables: [table], failures: new Map() };
}
