/** Dense matrices in layout `columns`: one column per matrix column. */

import { splitColumns } from "../../arrow/dense.js";
import { createStoredColumn } from "../../arrow/stored.js";
import type { BoxChunk, StoredArray } from "../../containers/tree/container.js";
import { copyStrided } from "../../kernels/dense/copy-strided.js";
import { InvalidInputError, runWithLocation } from "../../model/errors.js";
import { allocate, getDecodedSize, type NumberArray, viewAsBytes } from "../../model/stored.js";
import { joinCloseRanges, type Range, toPositionRanges } from "../plan/ranges.js";
import type { Scan } from "./columns.js";
import { type Batch, computeRowsPerBatch } from "./task.js";

/**
 * Yields the rows of `run`, with one table column per matrix column. If the container can read blocks, and less than
 * half of the chunks contain selected columns, only these chunks are read.
 */
export async function* scanMatrixColumns(array: StoredArray, run: Scan): AsyncGenerator<Batch> {
  const [, width] = matrixShape(array);
  const isPart = array.capabilities?.blocks !== undefined && chunksOf(run.fields, array) * 2 < width;
  const perBatch = isPart ? bandRows(array, run) : computeRowsPerBatch(width * elementBytes(array), run.batchBytes);
  let at = run.start;
  do {
    const stop = Math.min(run.end, isPart ? at - (at % perBatch) + perBatch : at + perBatch);
    const parts = isPart ? await someColumns(array, [at, stop], run) : await allColumns(array, [at, stop], run);
    const columns = await runWithLocation({ element: array.path }, () =>
      parts.map((part) => createStoredColumn(array.type, { kind: "fixed", values: part }, stop - at, run.state.text)),
    );
    yield { length: stop - at, columns };
    at = stop;
  } while (at < run.end);
}

async function allColumns(array: StoredArray, [start, end]: Range, { state, fields }: Scan): Promise<NumberArray[]> {
  const values = await state.rows(array, start, end);
  if (values.kind !== "fixed" || array.type.kind === "complex") {
    throw new InvalidInputError("only a matrix of numbers can be laid out in columns");
  }
  return splitColumns(values.values, end - start, matrixShape(array)[1], fields);
}

/** Reads the selected columns, and only the chunks that contain them. */
async function someColumns(array: StoredArray, rows: Range, { state, fields }: Scan): Promise<NumberArray[]> {
  const size = elementBytes(array);
  const columns = fields.map((col) => ({ col, values: allocate(array.type, rows[1] - rows[0]) }));
  const sorted = columns.toSorted((a, b) => a.col - b.col);
  const wanted = toPositionRanges([...new Set(sorted.map(({ col }) => col))]);
  for (const cols of joinCloseRanges(wanted, array.chunks?.[1] ?? 1)) {
    const here = sorted.filter(({ col }) => col >= cols[0] && col < cols[1]);
    const visit = ({ row, col, rows: count, cols: width, stride, bytes }: BoxChunk) => {
      for (const one of here) {
        if (one.col < col || one.col >= col + width) continue;
        copyStrided(bytes, size, one.col - col, stride, viewAsBytes(one.values), row - rows[0], count);
      }
    };
    await array.capabilities?.blocks?.({ rows, cols }, visit, state.options);
  }
  return columns.map(({ values }) => values);
}

/** Returns the maximum number of matrix columns in the chunks that contain `fields`. */
function chunksOf(fields: readonly number[], array: StoredArray): number {
  const chunk = array.chunks?.[1] ?? 1;
  return new Set(fields.map((col) => Math.floor(col / chunk))).size * chunk;
}

/** Returns the number of rows per batch: whole chunks if a chunk fits, so that no chunk is decoded twice. */
function bandRows(array: StoredArray, { fields, batchBytes }: Scan): number {
  const rows = computeRowsPerBatch(fields.length * elementBytes(array), batchBytes);
  const chunk = array.chunks?.[0] ?? 1;
  return rows < chunk ? rows : rows - (rows % chunk);
}

function matrixShape(array: StoredArray): readonly [number, number] {
  const [height, width] = array.shape ?? [];
  return [height, width];
}

function elementBytes(array: StoredArray): number {
  return getDecodedSize(array.type) ?? 32;
}
