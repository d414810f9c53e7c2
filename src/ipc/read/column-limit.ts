/**
 * Limits the number of columns in a table from a Parquet or Arrow file. A column without rows takes 14 bytes in a file
 * but two kilobytes in memory, so a small file can declare more columns than fit into memory on any machine.
 */

import { UnsupportedError } from "../../model/errors.js";

/**
 * Maximum number of columns, which exceeds the number of genes in any species, and takes less than 512 MiB of memory.
 */
export const MAX_COLUMNS = 2 ** 17;

export interface ColumnLimitOptions {
  /** Maximum number of columns in a table, including nested columns; `MAX_COLUMNS` by default. */
  readonly maxColumns?: number | undefined;
}

export class ColumnLimit {
  readonly #max: number;
  #count = 0;

  /** @param max maximum number of columns, including nested columns. */
  constructor(max: number = MAX_COLUMNS) {
    this.#max = max;
  }

  /**
   * Counts columns, before memory is allocated for them.
   * @throws {UnsupportedError} if there are too many.
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
