/** Puts dense matrices side by side: each adds its columns to the rows that all datasets share. */

import type { ColumnBatch, PrimitiveColumn } from "../arrow/column.js";
import { fixedSizeLists } from "../arrow/dense.js";
import { takeColumn } from "../arrow/take.js";
import { InvalidInputError } from "../model/errors.js";
import { product } from "../model/stored.js";
import type { ColumnBatchOptions, ColumnTable } from "../tables/column-table.js";
import { castNumbers, filled, numbersColumn, numbersIn } from "./cast-numbers.js";
import { copyRange, type DenseResult, denseTable, flatOf } from "./dense-matrices.js";
import { areRepeatable, denseForm, lengthOfAll, type MatrixPart } from "./matrix-part.js";
import { tableOfWhole, wholeTable } from "./whole-tables.js";

/** Most values of one batch: each batch reads some rows of every dataset. */
const BATCH_VALUES = 2 ** 22;

/** A matrix, and its row at each row of the result, -1 where it has none. */
interface Block {
  readonly source: string;
  readonly table: ColumnTable | null;
  readonly columns: number;
  readonly positions: Int32Array;
}

/** A matrix of `across` rows with the columns of all parts, in their order. Rows that a part does not have are filled. */
export function besideEachOther(parts: readonly MatrixPart[], result: DenseResult): ColumnTable {
  const { across, inner } = result;
  const columns = lengthOfAll(parts);
  const blocks = parts.map((part) => ({ ...part, columns: part.length, positions: positionsOf(part, across) }));
  return denseTable(result, [across, columns, ...inner], {
    repeatable: areRepeatable(parts),
    batches: (options) => allRows(blocks, columns, result, options),
  });
}

function positionsOf({ places, across: own }: MatrixPart, across: number): Int32Array {
  const positions = new Int32Array(across).fill(-1);
  for (let row = 0; row < own; row++) {
    const place = places === null ? row : places[row];
    if (place >= 0) positions[place] = row;
  }
  return positions;
}

async function* allRows(
  blocks: readonly Block[],
  columns: number,
  result: DenseResult,
  options: ColumnBatchOptions | undefined,
): AsyncGenerator<ColumnBatch> {
  const { across, inner, type } = result;
  const size = product(inner);
  const most = Math.max(1, Math.floor(BATCH_VALUES / Math.max(1, columns * size)));
  const readers = blocks.map((block) => rowsReader(block, result, options));
  for (let at = 0; at === 0 || at < across; at += most) {
    const length = Math.min(most, across - at);
    const to = filled(length * columns * size, result);
    let first = 0;
    for (const [i, block] of blocks.entries()) {
      options?.signal?.throwIfAborted();
      const width = block.columns * size;
      const rows = Array.from({ length }, (_, row) => row).filter((row) => block.positions[at + row] >= 0);
      let done = 0;
      for await (const values of readers[i](Int32Array.from(rows, (row) => block.positions[at + row]))) {
        const from = numbersIn(values);
        for (let start = 0; start < values.length; start += width) {
          copyRange(from, start, to, (rows[done++] * columns + first) * size, width);
        }
      }
      first += block.columns;
    }
    yield { length, columns: [fixedSizeLists(numbersColumn(to, type), [columns, ...inner], length)] };
  }
}

/** Reads rows of a matrix in the type of the result: from its storage, or from memory where it is a stream. */
function rowsReader(
  { table, source, columns }: Block,
  { name, type, lossy }: DenseResult,
  options: ColumnBatchOptions | undefined,
): (positions: Int32Array) => AsyncGenerator<PrimitiveColumn> {
  let held: ColumnTable | null = null;
  return async function* (positions) {
    if (table === null || columns === 0 || positions.length === 0) return;
    const dense = held ?? (await denseForm(table));
    if (dense === null) throw new InvalidInputError("no dense matrix", { source, element: name });
    const picked = (await dense.rowsAt?.(positions)) ?? null;
    if (picked !== null) {
      for await (const batch of picked.batches(options))
        yield castNumbers(flatOf(batch.columns[0]).flat, type, { lossy, element: name });
      return;
    }
    held ??= tableOfWhole(name, await wholeTable(dense, options?.signal));
    for await (const batch of held.batches(options)) {
      yield castNumbers(flatOf(takeColumn(batch.columns[0], positions)).flat, type, { lossy, element: name });
    }
  };
}
