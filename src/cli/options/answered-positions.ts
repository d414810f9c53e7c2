/** Selects cells and genes by the result of a statement: `--obs-sql` and `--var-sql`. */

import { toDataset } from "../../api/open.js";
import type { OpenedDataset, OpenedTable } from "../../api/opened-dataset.js";
import { getPositionColumnName } from "../../api/select.js";
import { openEngine } from "../../query/open-engine.node.js";
import { readAnswerPositions } from "../../selection/answered-positions.js";
import { Session } from "../../session/session.js";
import { openTableFile } from "../../session/table-files.node.js";
import { warn } from "../context/context.js";
import { UsageError } from "../context/failure.js";

interface Choice {
  readonly axis: "obs" | "var";
  /** True if the statement may refer to table files. */
  readonly files: boolean;
  readonly signal: AbortSignal;
}

/**
 * Returns the positions in the result of one statement about a dataset, evaluated as in `annarrow query`: in the order
 * of the result, with repeats.
 * @throws {UsageError} for a statement that writes a file.
 * @throws {InvalidInputError} with DuckDB's message, and where the result has no positions.
 */
export async function computeAnsweredPositions(
  opened: OpenedDataset<OpenedTable>,
  statement: string,
  { axis, files, signal }: Choice,
): Promise<Int32Array> {
  const column = await getPositionColumnName(opened, axis);
  const dataset = await toDataset(Promise.resolve(opened));
  const datasets = [{ name: "input", path: opened.source, dataset }];
  const session = new Session(
    { datasets, union: false },
    { files: files ? openTableFile : null, open: () => openEngine({ files }) },
  );
  try {
    const { rows, copy, warnings } = await session.answer(statement, { signal });
    await warn(warnings);
    if (copy !== null) throw new UsageError(`--${axis}-sql chooses by the answer of a select, and writes no file`);
    return await readAnswerPositions(rows, column);
  } finally {
    await session.close();
  }
}
