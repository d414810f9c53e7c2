/** Encoded row groups as a Parquet file. */

import type { Codec } from "./codec.js";
import { footer, MAGIC, rowGroupEntry } from "./footer.js";
import type { ParquetColumn } from "./parquet-column.js";
import type { EncodedRowGroup } from "./row-group.js";

/** What a file says of its table. */
export interface FileDescription {
  readonly columns: readonly ParquetColumn[];
  readonly compression: Codec;
  /** The metadata of the file: `ARROW:schema`, and that of the Arrow schema. */
  readonly keyValues: readonly (readonly [key: string, value: string])[];
}

/** The parts of one file, in the order in which they are written. */
export class ParquetFile {
  readonly #description: FileDescription;
  readonly #rowGroups: Uint8Array[] = [];
  #rows = 0;
  #offset = MAGIC.length;

  constructor(description: FileDescription) {
    this.#description = description;
  }

  /** What stands in front of the row groups. */
  start(): Uint8Array {
    return MAGIC;
  }

  /** The bytes of the next row group; the group itself is forgotten. */
  add(group: EncodedRowGroup): Uint8Array {
    const { columns, compression } = this.#description;
    // As bytes at once: a wide table has a great many chunks.
    this.#rowGroups.push(rowGroupEntry(columns, group, this.#offset, compression));
    this.#rows += group.rows;
    this.#offset += group.bytes.length;
    return group.bytes;
  }

  /** What stands behind the last row group. */
  end(): Uint8Array {
    const { columns, keyValues } = this.#description;
    return footer({ columns, rows: this.#rows, rowGroups: this.#rowGroups, keyValues });
  }
}

/** The file of `groups`, in their order, which is that of the rows. */
export async function* fileOf(
  description: FileDescription,
  groups: AsyncIterable<EncodedRowGroup>,
): AsyncGenerator<Uint8Array> {
  const file = new ParquetFile(description);
  let started = false;
  for await (const group of groups) {
    if (!started) yield file.start();
    started = true;
    yield file.add(group);
  }
  if (!started) yield file.start();
  yield file.end();
}
