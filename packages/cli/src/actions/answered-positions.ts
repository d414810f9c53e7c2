/** Selects cells and genes from the answer to a statement: `--obs-sql` and `--var-sql`. */

import type { OpenedDataset, OpenedTable } from "annarrow/core/api";
import { type AnsweredPositionsOptions, computeAnsweredPositions } from "annarrow/node/query";
import { warn } from "../context/context.js";
import { UsageError } from "../context/failure.js";

/**
 * Runs one statement on a dataset, as `annarrow query` does, and returns the positions in the answer, in the order of
 * its rows and with repetitions.
 * @throws {UsageError} for a statement that writes a file.
 * @throws {InvalidInputError} with DuckDB's message, or if the answer contains no positions.
 */
export async function selectByStatement(
  opened: OpenedDataset<OpenedTable>,
  statement: string,
  options: AnsweredPositionsOptions,
): Promise<Int32Array> {
  const { positions, warnings } = await computeAnsweredPositions(opened, statement, options);
  warn(warnings);
  if (positions !== null) return positions;
  throw new UsageError(`--${options.axis}-sql chooses by the answer of a select, and writes no file`);
}
