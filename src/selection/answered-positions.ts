/** Returns the axis positions that a statement selects. */

import { DataType } from "apache-arrow";
import type { DataTable } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";

/** Maximum number of positions. */
const MAX_POSITIONS = 2 ** 31 - 1;

/**
 * Returns the positions in a column of an answer, in its order and with repetitions.
 * @throws {InvalidInputError} if there is no such column, or if its values are not positions.
 */
export async function readAnswerPositions(answer: DataTable, column: string): Promise<Int32Array> {
  const names = answer.schema.fields.map(({ name }) => name);
  const place = names.indexOf(column);
  if (place === -1) {
    throw new InvalidInputError(
      `the statement chooses by the column "${column}" of its answer, which has ${names.join(", ")}: select ${column} from …`,
    );
  }
  const { type } = answer.schema.fields[place];
  if (!DataType.isInt(type)) {
    throw new InvalidInputError(`the column "${column}" of the answer holds ${type}, not positions`);
  }
  const parts: Int32Array[] = [];
  for await (const batch of answer.batches()) {
    const values = batch.getChildAt(place);
    const part = new Int32Array(batch.numRows);
    for (let row = 0; row < batch.numRows; row++) {
      const value: unknown = values?.get(row);
      const position = value === null ? -1 : Number(value);
      if (!(position >= 0 && position <= MAX_POSITIONS)) {
        throw new InvalidInputError(`the column "${column}" of the answer has ${value}, which is no position`);
      }
      part[row] = position;
    }
    parts.push(part);
  }
  const positions = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    positions.set(part, at);
    at += part.length;
  }
  return positions;
}
