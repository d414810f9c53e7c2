/**
 * What an encoder of tables is: it makes a file of columns, without Arrow objects. A job encodes its rows in the thread
 * that decoded them, and the thread that writes the file puts the encoded rows together.
 */

import type { Column, ColumnBatch } from "./column.js";
import type { ArrowField } from "./type.js";

/** The encoder of one format. */
export interface Encoder {
  readonly name: string;
  /** Whether it encodes no nested columns, so that decoded rows are not needed any more once they are encoded. */
  readonly isFlat: boolean;
  /** Whether a file has all categories of a column in order; they need a file of their own otherwise. */
  readonly hasCategories: boolean;
  /** Bytes of the batches that it collects; null if it encodes each batch alone, in the size that the caller chooses. */
  readonly batchBytes: number | null;
  /** Number of jobs per worker that run or whose results are waiting: fewer if these are large. */
  readonly jobsPerWorker: number;
  /** Returns the encoding of a table of `fields`; null if the encoder does not support them, or an option. */
  begin(fields: readonly ArrowField[], options: EncoderOptions): Encoding | null;
}

/** Options as serializable data. Each encoder has its own, and checks them. */
export type EncoderOptions = Readonly<Record<string, string | number | undefined>>;

/** The encoding of one table. */
export interface Encoding {
  /** Encodes consecutive rows, such as those of one job. */
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
  /** Called once the batches that were read so far are not needed any more. */
  readonly release?: () => void;
}

/** Returns memory with arbitrary contents. */
export type AcquireMemory = (bytes: number) => Uint8Array<ArrayBuffer>;

export interface ReservedMemory {
  /** The memory of each column. */
  readonly columns: readonly Uint8Array<ArrayBuffer>[];
  /** Returns memory for the encoded rows of `columns`; null if it contains a column at the position of another one. */
  take(bytes: number, columns: readonly Column[]): Uint8Array<ArrayBuffer> | null;
}

/** Encoded rows, independent of their position in the file. Encoders add what their files need. */
export interface EncodedTableChunk {
  /** The buffer contains nothing else and can be transferred to another thread; it may be larger. */
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

/** The parts of one file or stream, in writing order. */
export interface EncodedFile {
  start(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Adds rows and returns their bytes. The rows are not retained. */
  add(rows: EncodedTableChunk): Uint8Array;
  end(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Yields the bytes of a file, which is created with the first request. `encoded` must be in row order. */
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
