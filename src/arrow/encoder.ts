/**
 * Defines encoders of tables: an encoder makes a file from columns, without Arrow objects. A job encodes its rows in
 * the thread that decoded them, and the thread that writes the file joins the encoded rows.
 */

import type { Column, ColumnBatch } from "./column.js";
import type { ArrowField } from "./type.js";

/** The encoder of one format. */
export interface Encoder {
  readonly name: string;
  /**
   * True if the encoder supports no nested columns, so that decoded rows are no longer needed once they are encoded.
   */
  readonly isFlat: boolean;
  /** True if the file lists all categories of a column in order; otherwise the categories need a file of their own. */
  readonly hasCategories: boolean;
  /**
   * Size in bytes of the batches that the encoder collects; null if it encodes each batch on its own, in the size that
   * the caller chooses.
   */
  readonly batchBytes: number | null;
  /** Number of jobs per worker that are running or whose results are waiting. Large results need a smaller number. */
  readonly jobsPerWorker: number;
  /**
   * Returns the encoding of a table with these `fields`; null if the encoder does not support them or one of the
   * options.
   */
  begin(fields: readonly ArrowField[], options: EncoderOptions): Encoding | null;
}

/** Options as serializable data. Each encoder defines and checks its own options. */
export type EncoderOptions = Readonly<Record<string, string | number | undefined>>;

/** The encoding of one table. */
export interface Encoding {
  /** Encodes consecutive rows, such as the rows of one job. */
  encode(batches: AsyncIterable<ColumnBatch>, memory: EncodingMemory): AsyncIterable<EncodedTableChunk>;
  /**
   * Acquires memory for the encoded rows of one batch, with room for columns of `lengths` bytes that are decoded in
   * place. Absent if the encoder copies or compresses all values.
   */
  reserve?(lengths: readonly number[], take: AcquireMemory): ReservedMemory;
  createFile(table: EncodedTable): EncodedFile;
}

export interface EncodingMemory {
  /** Acquires memory for the encoded rows of one batch of columns; new memory by default. */
  readonly take?: ((bytes: number, columns: readonly Column[]) => Uint8Array<ArrayBuffer>) | undefined;
  /** Called once the batches read so far are no longer needed. */
  readonly release?: () => void;
}

/** Returns memory with arbitrary contents. */
export type AcquireMemory = (bytes: number) => Uint8Array<ArrayBuffer>;

export interface ReservedMemory {
  /** The memory of each column. */
  readonly columns: readonly Uint8Array<ArrayBuffer>[];
  /**
   * Returns memory for the encoded rows of `columns`; null if this memory holds a column at another column's position.
   */
  take(bytes: number, columns: readonly Column[]): Uint8Array<ArrayBuffer> | null;
}

/** Encoded rows, independent of their position in the file. Encoders add the properties that their files need. */
export interface EncodedTableChunk {
  /**
   * The underlying buffer contains nothing else and can be transferred to another thread; it may be larger than this
   * view.
   */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rows: number;
}

export interface EncodedTable {
  /** Name of the table, for errors. */
  readonly name: string;
  /** Metadata of the Arrow schema. */
  readonly metadata: ReadonlyMap<string, string>;
  /** Reads the columns without rows, but with complete dictionaries. */
  readonly readEmpty: () => Promise<readonly Column[]>;
}

/** The parts of one file or stream, in the order in which they are written. */
export interface EncodedFile {
  start(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Adds rows and returns their bytes. The rows are not retained. */
  add(rows: EncodedTableChunk): Uint8Array;
  end(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Yields the bytes of a file, which is created on the first request. `encoded` must be in row order. */
export async function* encodeFile(
  createFile: () => EncodedFile,
  encoded: AsyncIterable<EncodedTableChunk>,
): AsyncGenerator<Uint8Array> {
  const file = createFile();
  let isStarted = false;
  for await (const rows of encoded) {
    if (!isStarted) yield* file.start();
    isStarted = true;
    yield file.add(rows);
  }
  if (!isStarted) yield* file.start();
  yield* file.end();
}
