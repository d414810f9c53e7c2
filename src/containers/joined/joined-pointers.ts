/**
 * Concatenates the pointers (indptr) of sparse matrices. Each matrix's pointers are offset by the number of preceding
 * entries.
 */

import type { ReadOptions } from "../../io/sources/source.js";
import { checkIntegers } from "../../kernels/sparse/indptr.js";
import type { StoredValues } from "../../model/stored.js";
import { JoinedValues } from "../picked/derived-array.js";
import { checkRows } from "../picked/row-ranges.js";
import type { StoredArray } from "../tree/container.js";

/** A matrix's pointers, and its number of entries. */
export interface MatrixPointers {
  readonly indptr: StoredArray;
  readonly nnz: number;
}

export class JoinedPointers extends JoinedValues {
  readonly #matrices: readonly MatrixPointers[];

  constructor(matrices: readonly MatrixPointers[]) {
    const rows = matrices.reduce((sum, one) => sum + rowsOf(one), 0);
    super(
      matrices.map(({ indptr }) => indptr),
      { kind: "int", bits: 64, signed: true },
      [1 + rows],
    );
    this.#matrices = matrices;
  }

  /** True if each matrix's pointers range from 0 to the number of its entries. */
  async isWhole(): Promise<boolean> {
    for (const { indptr, nnz } of this.#matrices) {
      const rows = rowsOf({ indptr, nnz });
      const [first] = checkIntegers(await indptr.read(0, 1));
      const [last] = checkIntegers(await indptr.read(rows, rows + 1));
      if (Number(first) !== 0 || Number(last) !== nnz) return false;
    }
    return true;
  }

  async read(start: number, end: number, options: ReadOptions = {}): Promise<StoredValues> {
    checkRows(start, end, this.shape[0], this.path);
    const values = new BigInt64Array(end - start);
    // Pointer 0 is 0. All other pointers are the ends of rows.
    let [row, entries] = [1, 0];
    for (const { indptr, nnz } of this.#matrices) {
      const rows = rowsOf({ indptr, nnz });
      const [from, to] = [Math.max(start, row), Math.min(end, row + rows)];
      if (to > from) {
        const own = checkIntegers(await indptr.read(from - row + 1, to - row + 1, options));
        for (let i = 0; i < own.length; i++) values[from - start + i] = BigInt(Number(own[i]) + entries);
      }
      row += rows;
      entries += nnz;
    }
    return { kind: "fixed", values };
  }
}

function rowsOf({ indptr }: MatrixPointers): number {
  return (indptr.shape?.[0] ?? 1) - 1;
}
