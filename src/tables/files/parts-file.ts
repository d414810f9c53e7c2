/** Presents many files as one table. Each file contains some of the rows, and is opened when they are read. */

import { type Data, DataType, Field, makeData, type RecordBatch, Schema } from "apache-arrow";
import { createNullData } from "../../arrow/apache/raw-data.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { InvalidDataError } from "../../model/errors.js";
import { parseJsonObject } from "../../model/json-object.js";
import { recordBatch } from "../record-batch.js";
import { type ChunkedFile, type ChunkRowRange, countFileRows, type RowChunks } from "./file-table.js";

/** Facts about a file that are known before it is opened. */
export interface ListedPart {
  readonly rows: number;
  /** Matrix rows that the file covers, [first, end), in the file's own numbering; null if unknown. */
  readonly range: readonly [first: number, end: number] | null;
  /** Number to subtract from the positions in the column `row`. */
  readonly shift: number;
}

/** Facts about the whole table that its files do not contain. */
export interface PartsTableProperties {
  /** Name of a column that is in every file but not in the table; null if there is no such column. */
  readonly positions: string | null;
  /** Shape of a matrix; null for other tables. */
  readonly shape: readonly number[] | null;
}

export interface OpenablePart extends ListedPart {
  open(options: ReadOptions): Promise<ChunkedFile>;
}

/** Maximum number of files that stay open. */
const MAX_OPEN = 16;

/** Name of the column with the positions along a matrix's first axis. */
const ROW = "row";

export class PartsFile implements ChunkedFile {
  readonly name: string;
  readonly kind: "parquet" | "arrow";
  readonly schema: Schema;
  readonly blocks: readonly number[];
  readonly #parts: readonly OpenablePart[];
  /** Open files, starting with the least recently used one. */
  readonly #open = new Map<number, Promise<ChunkedFile>>();

  private constructor(parts: readonly OpenablePart[], last: ChunkedFile, { positions, shape }: PartsTableProperties) {
    this.name = last.name;
    this.kind = last.kind;
    const fields = last.schema.fields.filter(({ name }) => name !== positions);
    // An earlier file may lack a column that later files have.
    const some = fields.map((field) => (field.name === ROW ? field : withNulls(field)));
    const metadata = shape === null ? last.schema.metadata : ofMatrix(last.schema.metadata, shape, parts.length);
    this.schema = new Schema(parts.length === 1 ? fields : some, metadata);
    this.blocks = parts.map(({ rows }) => rows);
    this.#parts = parts;
  }

  /** @throws {InvalidDataError} if there are no files, or if the last one is invalid. */
  static async open(
    parts: readonly OpenablePart[],
    whole: PartsTableProperties,
    options: ReadOptions,
  ): Promise<PartsFile> {
    const last = parts.at(-1);
    if (last === undefined) throw new InvalidDataError("no file has its rows");
    return new PartsFile(parts, await last.open(options), whole);
  }

  bounds(block: number, column: number): readonly [number, number] | null {
    const { range, shift } = this.#parts[block];
    if (range === null || this.schema.fields[column].name !== ROW) return null;
    return [range[0] - shift, range[1] - shift - 1];
  }

  async inner(block: number, options: ReadOptions): Promise<RowChunks> {
    const file = await this.#opened(block, options);
    const { shift } = this.#parts[block];
    return {
      blocks: file.blocks,
      bounds: (inner, column) => {
        const [place] = this.#placesIn(file, [column]);
        const known = place < 0 ? null : (file.bounds?.(inner, place) ?? null);
        return known === null || this.schema.fields[column].name !== ROW ? known : [known[0] - shift, known[1] - shift];
      },
    };
  }

  async *read(
    { block, start, end }: ChunkRowRange,
    columns: readonly number[],
    options: ReadOptions,
  ): AsyncGenerator<RecordBatch> {
    const file = await this.#opened(block, options);
    const fields = columns.map((column) => this.schema.fields[column]);
    const places = this.#placesIn(file, columns);
    const schema = new Schema(fields);
    // Columns that exist only in later files are present here with their dictionaries, but without values.
    const lacking = places.includes(-1) ? (await this.empty(columns, options)).data.children : [];
    let at = 0;
    for (const [inner, rows] of file.blocks.entries()) {
      const range = { block: inner, start: Math.max(start - at, 0), end: Math.min(end - at, rows) };
      at += rows;
      if (range.start >= range.end) continue;
      const own = places.filter((place) => place >= 0);
      for await (const batch of file.read(range, own, options)) {
        let next = 0;
        const children = places.map((place, i) => {
          if (place < 0) return createNullData(lacking[i], batch.numRows);
          const child = batch.data.children[next++];
          return fields[i].name === ROW ? shifted(child, this.#parts[block].shift) : child;
        });
        yield recordBatch(schema, batch.numRows, children);
      }
    }
  }

  async empty(columns: readonly number[], options: ReadOptions): Promise<RecordBatch> {
    const last = this.#parts.length - 1;
    const file = await this.#opened(last, options);
    const fields = columns.map((column) => this.schema.fields[column]);
    const places = this.#placesIn(file, columns);
    const { data } = await file.empty(places, options);
    return recordBatch(new Schema(fields), 0, data.children);
  }

  /** Returns the columns' indices in one of the files; -1 for a missing column. */
  #placesIn({ schema }: ChunkedFile, columns: readonly number[]): number[] {
    const places = new Map<string, number>();
    for (const [at, { name }] of schema.fields.entries()) if (!places.has(name)) places.set(name, at);
    return columns.map((column) => places.get(this.schema.fields[column].name) ?? -1);
  }

  async #opened(block: number, options: ReadOptions): Promise<ChunkedFile> {
    const known = this.#open.get(block) ?? this.#parts[block].open(options);
    this.#open.delete(block);
    this.#open.set(block, known);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN) this.#open.delete(oldest);
    try {
      const file = await known;
      const { rows } = this.#parts[block];
      if (countFileRows(file) === rows) return file;
      throw new InvalidDataError(`manifest.json says ${rows} rows, the file has ${countFileRows(file)}`, {
        source: file.name,
      });
    } catch (error) {
      this.#open.delete(block);
      throw error;
    }
  }
}

/**
 * Converts one file's metadata to those of the whole matrix. Rows are in order across all files; column positions
 * restart in each file.
 */
function ofMatrix(metadata: ReadonlyMap<string, string>, shape: readonly number[], files: number): Map<string, string> {
  const { order, ...own } = parseJsonObject(metadata.get("annarrow") ?? "{}") ?? {};
  const kept = order !== "row" && files > 1 ? undefined : order;
  return new Map([...metadata, ["annarrow", JSON.stringify({ ...own, order: kept, shape })]]);
}

function withNulls({ name, type, metadata }: Field): Field {
  return new Field(name, type, true, metadata);
}

function shifted(data: Data, shift: number): Data {
  if (shift === 0) return data;
  const { type, values, length, offset } = data;
  if (!DataType.isInt(type) || !(values instanceof BigInt64Array)) {
    throw new InvalidDataError(`the positions in the column ${ROW} are ${type}, expected Int64`);
  }
  const less = BigInt(shift);
  return makeData({
    type,
    length,
    nullCount: 0,
    data: values.subarray(offset, offset + length).map((row) => row - less),
  });
}
