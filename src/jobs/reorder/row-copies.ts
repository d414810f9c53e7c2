/**
 * Copies selected rows of arrays into the requested order. Every array is read once, from its first row to its last,
 * because reading scattered rows in place would decode the same chunks again and again.
 */

import { type BatchOrder, computeBatchOrder } from "../../containers/picked/batch-order.js";
import { CopiedArray, getRowBytes } from "../../containers/picked/copied-array.js";
import { createMemoryArray } from "../../containers/picked/memory-array.js";
import { createPickedArray, PickedArray } from "../../containers/picked/picked-array.js";
import { countRangeRows, listRowPositions, type RowRanges, runLength } from "../../containers/picked/row-ranges.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { takeRows } from "../../kernels/values/stored-rows.js";
import { runWithLocation } from "../../model/errors.js";
import { countElements } from "../../model/stored.js";
import { listPlanArrays, mapArrays, type TablePlan } from "../plan/plan.js";
import { ArrayRowReader } from "../rows/array-row-reader.js";
import { type CopyStorage, type RowSpill, withWriter } from "./copy-storage.js";
import { readRowBatches } from "./row-batches.js";

const BLOCK_BYTES = 2 ** 24;

/** Copies rows to memory while there is room, then to a spill. Text stays in memory. */
export class RowCopies {
  readonly #storage: CopyStorage;
  readonly #blockBytes: number;
  /** The last computed order. The arrays of a sparse matrix share it. */
  #last: { readonly rows: RowRanges; readonly height: number; readonly order: BatchOrder } | null = null;

  constructor(storage: CopyStorage, blockBytes = BLOCK_BYTES) {
    this.#storage = storage;
    this.#blockBytes = blockBytes;
  }

  /** Returns the plan with copies of its selected rows in place of the original arrays. */
  async ofPlan(table: TablePlan, options: ReadOptions): Promise<TablePlan> {
    const copies = new Map<StoredArray, StoredArray>();
    const known: { readonly from: StoredArray; readonly rows: RowRanges; readonly copy: StoredArray }[] = [];
    for (const array of listPlanArrays(table.plan)) {
      if (!(array instanceof PickedArray) || array.rows === null || copies.has(array)) continue;
      const { from, rows, cols } = array;
      let copy = known.find((one) => one.from === from && one.rows === rows)?.copy;
      if (copy === undefined) {
        copy = await runWithLocation({ element: array.path }, () => this.#copy(from, rows, options));
        known.push({ from, rows, copy });
      }
      copies.set(array, createPickedArray(copy, null, cols));
    }
    return { ...table, plan: mapArrays(table.plan, (array) => copies.get(array) ?? array) };
  }

  async #copy(from: StoredArray, rows: RowRanges, options: ReadOptions): Promise<StoredArray> {
    const rowBytes = getRowBytes(from);
    const [height = 0, ...rest] = from.shape ?? [];
    const count = countRangeRows(rows);
    if (rowBytes === null) {
      const all = await new ArrayRowReader(from).read(0, height, options, height);
      const values = takeRows(from.type, all, countElements(rest), Int32Array.from(listRowPositions(rows, 0, count)));
      return createMemoryArray(from.path, from.type, [count, ...rest], values);
    }
    const order = this.#orderOf(rows, height, Math.max(1, Math.floor(this.#blockBytes / Math.max(1, rowBytes))));
    const storage = this.#storage.of(count * rowBytes);
    const offset = await copyBlocks(from, order, rowBytes, storage, options);
    return new CopiedArray(from, { storage, offset, order });
  }

  #orderOf(rows: RowRanges, height: number, blockRows: number): BatchOrder {
    const last = this.#last;
    if (last?.rows === rows && last.height === height && last.order.blockRows === blockRows) return last.order;
    const order = computeBatchOrder(rows, blockRows, height);
    this.#last = { rows, height, order };
    return order;
  }
}

/** Appends the selected rows of all blocks. @returns the offset of the first row. */
async function copyBlocks(
  from: StoredArray,
  { blockRows, byBlock, starts, ends, sources }: BatchOrder,
  rowBytes: number,
  storage: RowSpill,
  options: ReadOptions,
): Promise<number> {
  let first: Promise<number> | null = null;
  await withWriter(storage, async (writer) => {
    for await (const { block, bytes } of readRowBatches(from, blockRows, rowBytes, options)) {
      options.signal?.throwIfAborted();
      const runs = byBlock.subarray(starts[block], starts[block + 1]);
      if (runs.length === 0) continue;
      const start = block * blockRows;
      const out = new Uint8Array(runs.reduce((sum, run) => sum + runLength(ends, run), 0) * rowBytes);
      let at = 0;
      for (const run of runs) {
        const source = (sources[run] - start) * rowBytes;
        const length = runLength(ends, run) * rowBytes;
        out.set(bytes.subarray(source, source + length), at);
        at += length;
      }
      const { offset } = await writer.append([out]);
      first ??= offset;
    }
  });
  return first ?? 0;
}
