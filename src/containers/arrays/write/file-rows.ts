/** What the writers of files have in common: a stream of bytes that is an array's rows. */

import type { ValueStream } from "../../../targets/target.js";
import type { ArrayWriter } from "../../tree/container-writer.js";

export interface WrittenFile {
  readonly path: string;
  /** Null where only the end tells. */
  readonly rows: number | null;
  readonly stream: ValueStream;
  readonly closed: (array: ArrayWriter) => void;
}

/** Counts the rows of an array against those that it should have. */
export class FileRows {
  readonly #file: WrittenFile;
  #rows = 0;
  #isOpen = true;

  constructor(file: WrittenFile) {
    this.#file = file;
  }

  /** @throws {TypeError} where the array is closed, or has no room for so many more. */
  add(rows: number): void {
    const { path, rows: total } = this.#file;
    if (!this.#isOpen) throw new TypeError(`${path} is closed`);
    this.#rows += rows;
    if (total !== null && this.#rows > total)
      throw new TypeError(`${path}: ${this.#rows} rows in an array of ${total}`);
  }

  /** @throws {TypeError} where rows are missing. */
  async close(array: ArrayWriter): Promise<void> {
    const { path, rows: total, stream, closed } = this.#file;
    if (!this.#isOpen) return;
    if (total !== null && this.#rows < total)
      throw new TypeError(`${path}: ${this.#rows} rows of an array of ${total}`);
    this.#isOpen = false;
    await stream.close();
    closed(array);
  }
}
