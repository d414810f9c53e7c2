/** Dense matrices in their two other layouts: the non-zeros, and one column per matrix column. */

import type { Column } from "../arrow/column.js";
import { nonZeros, splitColumns } from "../arrow/dense.js";
import { storedColumn } from "../arrow/stored.js";
import { type ArrowInt, coordinateType } from "../arrow/type.js";
import type { StoredArray } from "../containers/container.js";
import { InvalidInputError, located } from "../errors.js";
import { decodedSize } from "../stored.js";
import { type Batch, rowsOf, type Scan } from "./batch.js";

/**
 * `row, col, value` of the non-zeros in the matrix rows [first, last), in row order. Table rows are counted as they
 * come: start and end of `run` cut them.
 */
export async function* scanNonZeros(
  array: StoredArray,
  [first, end]: readonly [first: number, end: number],
  run: Scan,
): AsyncGenerator<Batch> {
  const [height, width] = matrixShape(array);
  // A shape can say any number of rows with nothing in them.
  const last = width === 0 ? first : end;
  const perBatch = rowsOf(width * elementBytes(array) * 3, run.batchBytes);
  const types = [coordinateType(height), coordinateType(width)] as const;
  let seen = 0;
  for (let row = first; (row < last && seen < run.end) || row === first; ) {
    const stop = Math.min(last, row + perBatch);
    const values = await run.state.rows(array, row, stop);
    if (values.kind !== "fixed") throw new InvalidInputError("only numbers have a coordinate table");
    const long = types[0].bits === 64;
    const found = nonZeros(values.values, stop - row, width, long ? 0 : row);
    const from = Math.min(found.row.length, Math.max(0, run.start - seen));
    const to = Math.min(found.row.length, Math.max(0, run.end - seen));
    seen += found.row.length;
    const length = Math.max(0, to - from);
    const value = await located({ element: array.path }, () =>
      storedColumn(array.type, { kind: "fixed", values: found.value.slice(from, to) }, length, run.state.text),
    );
    const all: readonly Column[] = [
      coordinates(types[0], found.row.slice(from, to), long ? row : 0),
      coordinates(types[1], found.col.slice(from, to), 0),
      value,
    ];
    if (length > 0 || row === first) yield { length, columns: run.fields.map((i) => all[i]) };
    row = stop;
    if (last === first) return;
  }
}

/** Positions as a column; those of an axis beyond 2^31 are counted from `first`. */
function coordinates(type: ArrowInt, positions: Int32Array, first: number): Column {
  const values = type.bits === 64 ? BigInt64Array.from(positions, (position) => BigInt(first + position)) : positions;
  return { layout: "primitive", type, length: positions.length, validity: null, values };
}

/** One table column per matrix column. */
export async function* scanUnstacked(array: StoredArray, run: Scan): AsyncGenerator<Batch> {
  const [, width] = matrixShape(array);
  const perBatch = rowsOf(width * elementBytes(array), run.batchBytes);
  let at = run.start;
  do {
    const stop = Math.min(run.end, at + perBatch);
    const values = await run.state.rows(array, at, stop);
    if (values.kind !== "fixed" || array.type.kind === "complex") {
      throw new InvalidInputError("only a matrix of numbers can be laid out in columns");
    }
    const parts = splitColumns(values.values, stop - at, width, run.fields);
    const columns = await located({ element: array.path }, () =>
      parts.map((part) => storedColumn(array.type, { kind: "fixed", values: part }, stop - at, run.state.text)),
    );
    yield { length: stop - at, columns };
    at = stop;
  } while (at < run.end);
}

function matrixShape(array: StoredArray): readonly [number, number] {
  const [height, width] = array.shape ?? [];
  return [height, width];
}

function elementBytes(array: StoredArray): number {
  return decodedSize(array.type) ?? 32;
}
