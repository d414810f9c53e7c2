import type { StoredValues } from "../../../model/stored.js";

/** The rows of an array that are not yet stored: one chunk, or several side by side, which are filled together. */
export interface Band {
  /** Rows of a chunk; until `settle` an upper bound. */
  readonly chunkRows: number;
  /** Rows that are there. */
  readonly rows: number;
  /** Whether the band is to be stored before more rows come. */
  readonly isFull: boolean;
  /** What its chunks take before they are encoded. */
  readonly bytes: number;
  /**
   * Copies the rows from a position on, up to where the band is full, and says how many they were.
   * @throws {TypeError} where `values` are not so many rows of the array's type.
   * @throws {InvalidDataError} for text that is not UTF-8.
   */
  source(values: StoredValues, rows: number): (from: number) => number;
  /** Decides how many rows chunks have, as long as nothing is stored. @param isLast No more rows come. */
  settle(isLast: boolean): void;
  /** The chunks in C order, filled up and whole, null for one that has nothing but fill values. The band is empty then. */
  take(): (Uint8Array<ArrayBuffer> | null)[];
}
