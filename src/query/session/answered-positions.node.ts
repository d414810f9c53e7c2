/** Computes the positions along an axis that a statement about a dataset selects. */

import { toDataset } from "../../api/open.js";
import type { OpenedDataset, OpenedTable } from "../../api/opened-dataset.js";
import { getPositionColumnName } from "../../api/select.js";
import { readAnswerPositions } from "../../selection/answered-positions.js";
import { openEngine } from "../open-engine.node.js";
import { Session } from "./session.js";
import { openTableFile } from "./table-files.node.js";

export interface AnsweredPositionsOptions {
  readonly axis: "obs" | "var";
  /** True if the statement may refer to table files. */
  readonly files: boolean;
  readonly signal: AbortSignal;
}

export interface AnsweredPositions {
  /** Positions in the order of the answer, with repetitions; null if the statement writes a file. */
  readonly positions: Int32Array | null;
  readonly warnings: readonly string[];
}

/**
 * Computes the positions that are in the answer to one statement about a dataset.
 * @throws {InvalidInputError} with DuckDB's message, and if the answer has no positions.
 */
export async function computeAnsweredPositions(
  opened: OpenedDataset<OpenedTable>,
  statement: string,
  { axis, files, signal }: AnsweredPositionsOptions,
): Promise<AnsweredPositions> {
  const column = await getPositionColumnName(opened, axis);
  const dataset = await toDataset(Promise.resolve(opened));
  const datasets = [{ name: "input", path: opened.source, dataset }];
  const session = new Session(
    { datasets, union: false },
    { files: files ? openTableFile : null, open: () => openEngine({ files }) },
  );
  try {
    const { rows, copy, warnings } = await session.answer(statement, { signal });
    return { positions: copy === null ? await readAnswerPositions(rows, column) : null, warnings };
  } finally {
    await session.close();
  }
}
