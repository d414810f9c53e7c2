/** Reads the pointers (`indptr`) of a compressed sparse matrix block by block and validates them. */

import type { StoredArray } from "../../containers/tree/container.js";
import {
  checkIntegers,
  convertPointersToNumbers,
  findLastPointerAtMost,
  findPointerDecrease,
} from "../../kernels/sparse/indptr.js";
import { InvalidDataError, runWithLocation } from "../../model/errors.js";
import type { StoredValues } from "../../model/stored.js";
import type { SparsePlan } from "../plan/plan.js";

/** Number of pointers in memory at once: 8 MiB. */
const POINTER_BLOCK = 2 ** 20;

/** The method of `ScanState` that reads rows of stored arrays. */
interface RowReader {
  rows(array: StoredArray, start: number, end: number): Promise<StoredValues>;
}

/** Reads pointers block by block, and checks that they start at 0, never decrease, and end at nnz. */
export class IndptrReader {
  readonly #matrix: SparsePlan;
  readonly #reader: RowReader;
  readonly major: number;
  /**
   * The first major position in `block`. The block contains the pointers of the positions first, first + 1, …, and the
   * end of the last position.
   */
  first = 0;
  block: Float64Array = new Float64Array(0);

  constructor(matrix: SparsePlan, reader: RowReader) {
    this.#matrix = matrix;
    this.#reader = reader;
    this.major = matrix.shape[matrix.order === "row" ? 0 : 1];
  }

  /**
   * Loads the block that starts at major position `first`. The block is shorter if a full block would extend beyond
   * `last`.
   */
  async load(first: number, last = this.major): Promise<void> {
    const { indptr, nnz } = this.#matrix;
    const end = Math.min(this.major, last, first + POINTER_BLOCK);
    const values = await this.#reader.rows(indptr, first, end + 1);
    await runWithLocation({ element: indptr.path }, () => {
      const block = convertPointersToNumbers(checkIntegers(values));
      const wrong = findPointerDecrease(block);
      if (wrong >= 0) {
        throw new InvalidDataError(
          `indptr[${first + wrong}] is ${block[wrong]}, smaller than ${block[wrong - 1]} before it`,
        );
      }
      if (first === 0 && block[0] !== 0) throw new InvalidDataError(`indptr starts at ${block[0]}, not at 0`);
      const last = block[block.length - 1];
      if (last > nnz || (end === this.major && last !== nnz)) {
        throw new InvalidDataError(`indptr[${end}] is ${last}, there are ${nnz} values`);
      }
      this.block = block;
      this.first = first;
    });
  }

  get lastPointer(): number {
    return this.block[this.block.length - 1];
  }

  get nextMajor(): number {
    return this.first + this.block.length - 1;
  }

  /** Whether the block has the pointers of the entries from `start` to `end`. */
  reaches(start: number, end: number): boolean {
    return this.block.length > 0 && this.block[0] <= start && end <= this.lastPointer;
  }

  /** Moves to the block that extends beyond `entry`, or to the last block. Checks every block on the way forward. */
  async seek(entry: number): Promise<void> {
    if (this.block.length === 0 || this.block[0] > entry) await this.load(await this.#blockOf(entry));
    while (this.lastPointer <= entry && this.nextMajor < this.major) await this.load(this.nextMajor);
  }

  /**
   * Loads a block that starts at `position` and extends to `end`, or as far as a block can reach. Does nothing if the
   * current block contains the position.
   */
  async seekMajor(position: number, end: number): Promise<void> {
    const held = this.block.length > 0 && position >= this.first && position < this.nextMajor;
    if (!held) await this.load(position, end);
  }

  /**
   * Returns the end of the longest range of major positions that begins at `position`, is within the block, and has
   * at most `entries` entries. The range has at least one position.
   */
  fitting(position: number, entries: number): number {
    const local = position - this.first;
    const last = findLastPointerAtMost(this.block, this.block[local] + entries);
    return Math.min(this.first + Math.max(local + 1, last), Math.max(this.nextMajor, position));
  }

  /** Returns the start of the last block whose first pointer is at most `entry`. Reads only the first pointers. */
  async #blockOf(entry: number): Promise<number> {
    let low = 0;
    let high = Math.max(0, Math.ceil(this.major / POINTER_BLOCK) - 1);
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const at = middle * POINTER_BLOCK;
      const [pointer] = convertPointersToNumbers(
        checkIntegers(await this.#reader.rows(this.#matrix.indptr, at, at + 1)),
      );
      if (pointer <= entry) low = middle;
      else high = middle - 1;
    }
    return low * POINTER_BLOCK;
  }
}

/**
 * Reads the number of stored entries before each of the `positions`, which are in ascending order. A position is either
 * a major position of the matrix or the number of major positions.
 * @throws {InvalidDataError} if the pointers decrease, or point beyond the entries.
 */
export async function readEntryOffsets(
  { indptr, nnz }: SparsePlan,
  positions: readonly number[],
  reader: RowReader,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (const position of positions) {
    const values = await reader.rows(indptr, position, position + 1);
    found.push(
      ...(await runWithLocation({ element: indptr.path }, () => convertPointersToNumbers(checkIntegers(values)))),
    );
  }
  // The pointers must lie between 0 and nnz.
  const wrong = findPointerDecrease(Float64Array.from([0, ...found, nnz])) - 1;
  if (wrong < 0) return found;
  const [at, problem] =
    wrong < found.length
      ? [wrong, `smaller than ${wrong === 0 ? 0 : found[wrong - 1]} before it`]
      : [wrong - 1, `there are ${nnz} values`];
  throw new InvalidDataError(`indptr[${positions[at]}] is ${found[at]}, ${problem}`, { element: indptr.path });
}
