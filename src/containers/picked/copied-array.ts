/** Presents rows of an array, copied to a temporary file in another order, as a separate array. */

import type { ReadOptions } from "../../io/sources/source.js";
import { countElements, getDecodedSize } from "../../model/stored.js";
import type { StoredArray } from "../tree/container.js";
import { type BatchOrder, listOrderedRanges, type OrderedRange } from "./batch-order.js";
import { CopiedBytes, type RowStorage, waitForAllReads } from "./derived-array.js";
import { checkRows, countRangeRows } from "./row-ranges.js";

/** The location of an array's copied rows, starting at `offset`. */
export interface CopiedRows {
  readonly storage: RowStorage;
  readonly offset: number;
  readonly order: BatchOrder;
}

/** Returns the size in bytes of one row of an array; null if rows vary in size. */
export function getRowBytes({ type, shape }: Pick<StoredArray, "type" | "shape">): number | null {
  const size = getDecodedSize(type);
  return size === null || type.kind === "record" || type.kind === "unsupported"
    ? null
    : size * countElements((shape ?? []).slice(1));
}

export class CopiedArray extends CopiedBytes {
  readonly #copied: CopiedRows;
  readonly #rowBytes: number;

  /** @param from the array whose rows were copied. All of its rows have the same size in bytes. */
  constructor(from: StoredArray, copied: CopiedRows) {
    const rowBytes = getRowBytes(from);
    if (rowBytes === null) throw new TypeError("rows of one size are copied");
    super(from, from.type, [countRangeRows(copied.order), ...(from.shape ?? []).slice(1)]);
    this.#copied = copied;
    this.#rowBytes = rowBytes;
  }

  async readInto(start: number, end: number, target: Uint8Array, { signal }: ReadOptions = {}): Promise<void> {
    checkRows(start, end, this.shape[0], this.path);
    signal?.throwIfAborted();
    const { order } = this.#copied;
    const ranges = new Map<number, Range>();
    for (const piece of listOrderedRanges(order, start, end)) addPiece(ranges, piece);
    await waitForAllReads([...ranges.values()].map((range) => this.#readRange(range, start, target)));
  }

  /** Reads the contiguous rows from one block, and copies them to their positions in `target`. */
  async #readRange({ place, rows, pieces }: Range, first: number, target: Uint8Array): Promise<void> {
    const { storage, offset } = this.#copied;
    const bytes = this.#rowBytes;
    const at = offset + place * bytes;
    const [{ start }] = pieces;
    const isOne = pieces[pieces.length - 1].end - start === rows;
    const to = (row: number) => (row - first) * bytes;
    if (isOne) return storage.read(at, target.subarray(to(start), to(start + rows)));
    const block = new Uint8Array(rows * bytes);
    await storage.read(at, block);
    let from = 0;
    for (const piece of pieces) {
      const length = (piece.end - piece.start) * bytes;
      target.set(block.subarray(from, from + length), to(piece.start));
      from += length;
    }
  }
}

/** Contiguous copied rows from one block. */
interface Range {
  readonly place: number;
  rows: number;
  readonly pieces: OrderedRange[];
}

function addPiece(ranges: Map<number, Range>, piece: OrderedRange): void {
  const range = ranges.get(piece.block);
  if (range === undefined) {
    ranges.set(piece.block, { place: piece.place, rows: piece.end - piece.start, pieces: [piece] });
    return;
  }
  range.rows += piece.end - piece.start;
  range.pieces.push(piece);
}
