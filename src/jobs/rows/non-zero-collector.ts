/** Gathers the nonzeros of a band of matrix rows block by block. Zeros are not held in memory. */

import type { BoxChunk } from "../../containers/tree/container.js";
import { type ColumnRanges, countRows, mergeRows } from "../../kernels/sparse/merge-rows.js";
import { NonZeroList, type ValueSize, type ValueWords } from "../../kernels/sparse/non-zero-list.js";
import { findNonZeros } from "../../kernels/sparse/non-zeros.js";
import { clipRanges, type Range } from "../plan/ranges.js";

/** Maximum bytes of the entries of a band, unless a single row needs more. */
const MAX_BYTES = 2 ** 26;

/** A block or part of a block, in list order. */
interface Piece {
  readonly row: number;
  readonly col: number;
  rows: number;
  /** Position of the piece's first entry in the list. `ends` is the position of the first row's end among all ends. */
  start: number;
  ends: number;
}

/** Horizontally adjacent pieces of one range of rows. */
interface Group extends ColumnRanges {
  readonly row: number;
  readonly rows: number;
}

export class NonZeroCollector {
  readonly #list: NonZeroList;
  readonly #most: number;
  #first = 0;
  #end = 0;
  #pieces: Piece[] = [];
  #groups: Group[] = [];
  #counts = new Int32Array(0);

  constructor(size: ValueSize, most = MAX_BYTES) {
    this.#list = new NonZeroList(size);
    this.#most = most;
  }

  get size(): ValueSize {
    return this.#list.size;
  }

  /** Begins the band of rows [first, end). */
  begin(first: number, end: number): void {
    this.#first = first;
    this.#end = end;
    this.#pieces = [];
    this.#list.clear();
  }

  /** The end of the gathered rows. It precedes the end of the band if the band has too many entries. */
  get end(): number {
    return this.#end;
  }

  /**
   * Adds the non-zeros of a block within `rows` and `cols`; null selects everything. Ranges are in ascending order and
   * do not overlap. The rows of two blocks in a band are equal or disjoint, and no value is added twice.
   */
  add(block: BoxChunk, rows: readonly Range[] | null, cols: readonly Range[] | null): void {
    const { row, col, stride, bytes } = block;
    const { size } = this.#list;
    for (const [top, bottom] of clipRanges(rows, row, Math.min(row + block.rows, this.#end))) {
      for (const [left, right] of clipRanges(cols, col, col + block.cols)) {
        const from = (top - row) * stride + left - col;
        const count = bottom - top;
        const end = from + (count - 1) * stride + right - left;
        this.#pieces.push({ row: top, col: left, rows: count, start: this.#list.length, ends: this.#list.rows });
        findNonZeros(
          {
            ...{ bytes: bytes.subarray(from * size, end * size), rows: count, cols: right - left },
            ...{ stride, firstCol: left },
          },
          this.#list,
        );
      }
    }
    while (this.#list.held > this.#most && this.#end - this.#first > 1) this.#halve();
  }

  /** Completes the band so that its rows can be taken. @returns the number of entries of each row. */
  finish(): Int32Array {
    this.#groups = groupsOf(this.#pieces);
    this.#counts = new Int32Array(this.#end - this.#first);
    for (const group of this.#groups) {
      countRows(
        this.#list,
        group,
        this.#counts.subarray(group.row - this.#first, group.row - this.#first + group.rows),
      );
    }
    return this.#counts;
  }

  /** Copies the entries of the rows [from, to) from a completed band. */
  take([from, to]: Range, columns: Int32Array, values: ValueWords): void {
    let at = 0;
    for (const group of this.#groups) {
      const top = Math.max(from, group.row);
      const bottom = Math.min(to, group.row + group.rows);
      if (top >= bottom) continue;
      at = mergeRows(this.#list, group, [top - group.row, bottom - group.row], columns, values, at);
    }
  }

  /** Drops the second half of the rows and moves the end of the band accordingly. */
  #halve(): void {
    this.#end = this.#first + ((this.#end - this.#first) >> 1);
    const list = this.#list;
    const kept: Piece[] = [];
    let length = 0;
    let rows = 0;
    for (const piece of this.#pieces) {
      const count = Math.min(piece.rows, this.#end - piece.row);
      if (count <= 0) continue;
      const { start, ends } = piece;
      const end = list.ends[ends + count - 1];
      list.move(length, start, end);
      for (let i = 0; i < count; i++) list.ends[rows + i] = list.ends[ends + i] - start + length;
      kept.push({ ...piece, rows: count, start: length, ends: rows });
      length += end - start;
      rows += count;
    }
    list.length = length;
    list.rows = rows;
    this.#pieces = kept;
  }
}

function groupsOf(pieces: readonly Piece[]): Group[] {
  const sorted = pieces.toSorted((a, b) => a.row - b.row || a.col - b.col);
  const groups: (Group & { starts: number[]; ends: number[] })[] = [];
  for (const { row, rows, start, ends } of sorted) {
    let group = groups.at(-1);
    if (group?.row !== row) {
      group = { row, rows, starts: [], ends: [] };
      groups.push(group);
    }
    group.starts.push(start);
    group.ends.push(ends);
  }
  return groups;
}
