/** The public form (`DataTable`) of a file that contains one table. */

import { type RecordBatch, Schema } from "apache-arrow";
import type { ReadOptions } from "../../io/sources/source.js";
import { DEFAULT_BATCH_BYTES } from "../../jobs/run/runner.js";
import type { BatchOptions, DataTable, Layout } from "../../model/dataset.js";
import { InvalidInputError, isCancellation, locateError } from "../../model/errors.js";
import { checkBatchOptions } from "../../model/table-options.js";
import { BatchTable, type TableProperties } from "../batch-table.js";
import { type ChooseWhere, type FromDataset, ORIGIN } from "../column-table.js";
import { findColumnPositions, recordBatch, splitBatchBySize } from "../record-batch.js";
import type { Origin } from "../stored-table.js";

export interface FileTableProperties extends Pick<TableProperties, "name" | "metadata" | "derived" | "axis"> {
  readonly origin: Origin;
}

export class FileTable extends BatchTable implements FromDataset {
  readonly #properties: FileTableProperties;
  readonly #file: ChunkedFile;
  readonly #choose: ChooseWhere | null;

  /** @param choose selects rows by names and conditions; null if `where` is not supported. */
  constructor(file: ChunkedFile, properties: FileTableProperties, choose: ChooseWhere | null = null) {
    super({ ...properties, rows: countFileRows(file), layouts: [] }, file.name);
    this.#properties = properties;
    this.#file = file;
    this.#choose = choose;
  }

  /** Returns the table with a function that selects the rows that `where` specifies. */
  choosing(choose: ChooseWhere): FileTable {
    return new FileTable(this.#file, this.#properties, choose);
  }

  get [ORIGIN](): Origin {
    return this.#properties.origin;
  }

  /** Row ranges that can be read separately: record batches or row groups. */
  get blocks(): readonly FileChunk[] {
    const file = this.#file;
    const inner = file.inner?.bind(file);
    const places = this.schema.fields.map(({ name }) => name);
    return blocksFrom(0, file, places).map((own, block) => ({
      ...own,
      inner: inner && (async (options) => blocksFrom(own.rows[0], await inner(block, options), places)),
    }));
  }

  get schema(): Schema {
    return this.#file.schema;
  }

  async layout(layout: Layout): Promise<DataTable> {
    const problem = `no layout ${layout}: a table from a file has the form in which it was written`;
    throw new InvalidInputError(problem, { source: this.#file.name, element: this.name });
  }

  async *batches(options: BatchOptions = {}): AsyncGenerator<RecordBatch> {
    const { signal } = options;
    try {
      signal?.throwIfAborted();
      yield* this.#batches(options);
    } catch (error) {
      if (signal?.aborted === true && !isCancellation(error)) throw signal.reason;
      throw locateError(error, { source: this.#file.name, element: this.name });
    }
  }

  async *#batches(options: BatchOptions): AsyncGenerator<RecordBatch> {
    checkBatchOptions(options);
    const { rows, columns, where, fragments, batchBytes, signal } = options;
    if (fragments !== undefined) {
      throw new InvalidInputError(
        "fragments are selected in a BPCells store or a fragments file, not in a file of a table",
      );
    }
    if (where !== undefined) {
      if (rows !== undefined) {
        throw new InvalidInputError("either rows or where: rows are counted in the whole table");
      }
      if (this.#choose === null) throw new TypeError("nothing chooses rows");
      const part = await this.#choose(this, where, { signal });
      const { where: _, ...rest } = options;
      yield* part.batches(rest);
      return;
    }
    const [first, last] = this.#checkedRows(rows);
    const selected = this.#selected(columns);
    const schema = new Schema(
      selected.map((at) => this.schema.fields[at]),
      this.schema.metadata,
    );
    const read = { signal };
    let at = 0;
    let some = false;
    for (const [block, count] of this.#file.blocks.entries()) {
      const [start, end] = [Math.max(first - at, 0), Math.min(last - at, count)];
      at += count;
      if (start >= end) continue;
      for await (const batch of this.#file.read({ block, start, end }, selected, read)) {
        for (const part of splitBatchBySize(batch, batchBytes ?? DEFAULT_BATCH_BYTES)) {
          signal?.throwIfAborted();
          some = true;
          yield recordBatch(schema, part.numRows, part.data.children);
        }
      }
    }
    if (some) return;
    yield recordBatch(schema, 0, (await this.#file.empty(selected, read)).data.children);
  }

  #checkedRows(rows: BatchOptions["rows"]): readonly [number, number] {
    const count = countFileRows(this.#file);
    const [start, end] = rows ?? [0, count];
    if (Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end <= count) {
      return [start, end];
    }
    throw new InvalidInputError(`rows [${start}, ${end}) were asked for, there are ${count}`);
  }

  #selected(columns: readonly string[] | undefined): number[] {
    const names = this.schema.fields.map((field) => field.name);
    return columns === undefined ? names.map((_, i) => i) : findColumnPositions(names, columns, this.name);
  }
}

/** @param first the table row at which the blocks start. */
function blocksFrom(first: number, file: RowChunks, places: readonly string[]): readonly FileChunk[] {
  let end = first;
  return file.blocks.map((count, block) => {
    const start = end;
    end += count;
    return {
      rows: [start, end],
      bounds: (column) => {
        const place = places.indexOf(column);
        return place < 0 ? null : (file.bounds?.(block, place) ?? null);
      },
    };
  });
}

/** Part of a file that can be read separately. */
export interface FileChunk {
  /** Table rows in this part, [start, end). */
  readonly rows: readonly [start: number, end: number];
  /** Returns the minimum and maximum integer of a column; null if the file does not store them. */
  readonly bounds: (column: string) => readonly [least: number, greatest: number] | null;
  /** Opens the file and returns the parts inside this one; absent if there are no inner parts. */
  readonly inner?: (options: ReadOptions) => Promise<readonly FileChunk[]>;
}

export interface ChunkRowRange {
  /** Index into `blocks`. */
  readonly block: number;
  /** Rows of the block, [start, end). */
  readonly start: number;
  readonly end: number;
}

export interface RowChunks {
  /** Number of rows in each block, which is a record batch or a row group. */
  readonly blocks: readonly number[];
  /**
   * Returns the minimum and maximum integer of a column in a block; null if the file does not store them. Absent if no
   * block has them.
   */
  bounds?(block: number, column: number): readonly [least: number, greatest: number] | null;
}

export interface ChunkedFile extends RowChunks {
  /** The name of the file in errors. */
  readonly name: string;
  readonly kind: "parquet" | "arrow";
  readonly schema: Schema;
  /** Opens a block that is a separate file, and returns its blocks. Absent if blocks are not files. */
  inner?(block: number, options: ReadOptions): Promise<RowChunks>;
  /** Reads a range of rows in a block. All batches share the dictionaries. */
  read(range: ChunkRowRange, columns: readonly number[], options: ReadOptions): AsyncIterable<RecordBatch>;
  /** Makes a batch without rows, but with the dictionaries. */
  empty(columns: readonly number[], options: ReadOptions): Promise<RecordBatch>;
}

export function countFileRows(file: ChunkedFile): number {
  return file.blocks.reduce((sum, rows) => sum + rows, 0);
}
