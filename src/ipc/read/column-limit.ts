/**
 * A limit on the columns of a table in a file of Parquet or Arrow. A column without rows costs 14 bytes of a file, and two
 * kilobytes of memory, so a small file can declare more of them than any machine can hold.
 */

import { UnsupportedError } from "../../model/errors.js";

/** The most columns: more than the genes of any species, fewer than 512 MiB of memory. */
export const MAX_COLUMNS = 2 ** 17;

export interface ColumnLimitOptions {
  /** The most columns of a table, those inside of others included; `MAX_COLUMNS` by default. */
  readonly maxColumns?: number | undefined;
}

export class ColumnLimit {
  readonly #max: number;
  #count = 0;

  /** @param max the most columns, which include those inside of other columns. */
  constructor(max: number = MAX_COLUMNS) {
    this.#max = max;
  }

  /**
   * Counts columns, before memory is taken for them.
   * @throws {UnsupportedError} where they are too many.
   */
  count(columns: number): void {
    this.#count += columns;
    if (this.#count <= this.#max) return;
    throw new UnsupportedError(
      `the table has more than ${this.#max} columns, those inside of others included; the option maxColumns ` +
        "(--max-columns) allows more",
    );
  }
}
