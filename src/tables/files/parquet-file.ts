/** Reads a Parquet file. Only the requested columns are read from each row group. */

import { DataType, type Field, type RecordBatch, Schema, util } from "apache-arrow";
import { emptyData } from "../../arrow/apache/raw-data.js";
import { createSourceFile, type SeekableFile } from "../../io/sources/file-bytes.js";
import { createBytesSource } from "../../io/sources/memory.js";
import type { ReadOptions } from "../../io/sources/source.js";
import type { ColumnLimitOptions } from "../../ipc/read/column-limit.js";
import { InvalidDataError, isAnnarrowError, isCancellation } from "../../model/errors.js";
import { type Categories, CollectedValues } from "../../parquet/read/categories.js";
import {
  type ColumnLocation,
  conformColumn,
  getChildColumnLocation,
  getTopColumnLocation,
} from "../../parquet/read/conform.js";
import { loadParquetEngine } from "../../parquet/read/engine.js";
import { decodeEmbeddedSchema, encodeEngineSchema } from "../../parquet/read/engine-schema.js";
import { findIntegerBounds, type ParquetFooter, readFooter } from "../../parquet/read/footer.js";
import { checkInt96, hasInt96, replaceInt96Types, toMillisecondField } from "../../parquet/read/int96.js";
import { createPartFile } from "../../parquet/read/row-group-file.js";
import { FILE_SCHEMA, TABLE_SCHEMA } from "../../parquet/thrift.js";
import { recordBatch } from "../record-batch.js";
import type { ChunkedFile, ChunkRowRange } from "./file-table.js";
import { openIpc } from "./ipc-file.js";

const DECODED_BYTES = 2 ** 27;

/** Returns all categories of a column, in order; null if they must be read from the file. */
export type CategoriesOf = (path: string, options: ReadOptions) => Promise<Categories | null>;

export interface ParquetReadOptions extends ReadOptions, ColumnLimitOptions {
  readonly categories?: CategoriesOf;
  /** Maximum number of bytes decoded at once, estimated from types and page sizes; 128 MiB by default. */
  readonly decodedBytes?: number;
}

/**
 * Opens a Parquet file.
 * @throws {InvalidDataError} for an invalid file, {UnsupportedError} if it has more columns than `maxColumns`.
 */
export async function openParquet(file: SeekableFile, options: ParquetReadOptions): Promise<ChunkedFile> {
  const footer = await readFooter(file, options);
  const schema = decodeEmbeddedSchema(footer.keyValues, options.maxColumns) ?? (await schemaOf(file, footer, options));
  const names = footer.columns.map(({ name }) => name);
  if (names.length !== schema.fields.length || schema.fields.some(({ name }, i) => name !== names[i])) {
    throw new InvalidDataError(
      `the columns are ${shown(names)}, in the embedded Arrow schema ${shown(schema.fields.map(({ name }) => name))}`,
    );
  }
  const metadata = new Map([...schema.metadata, ...footer.keyValues]);
  for (const key of [FILE_SCHEMA, TABLE_SCHEMA]) metadata.delete(key);
  return new ParquetFile(file, footer, new Schema(schema.fields, metadata), options);
}

const shown = (names: readonly string[]) => `${names.slice(0, 8).join(", ")}${names.length > 8 ? ", …" : ""}`;

/** Gets the schema from the engine if the file was not written by an Arrow library. */
async function schemaOf(file: SeekableFile, footer: ParquetFooter, options: ReadOptions): Promise<Schema> {
  const { bytes } = await createPartFile(
    file,
    footer,
    { group: null, columns: footer.columns, arrowSchema: null },
    options,
  );
  return (await decoded(bytes, {})).schema;
}

interface Decoded {
  readonly schema: Schema;
  readonly batches: readonly RecordBatch[];
}

/**
 * Decodes a file with the engine. The reader of Arrow files reads the result, because apache-arrow's own reader looks
 * up every column by name in every batch, which takes minutes for 100,000 columns.
 * @throws {InvalidDataError} if decoding fails, with the engine's message.
 */
async function decoded(
  bytes: Uint8Array,
  options: { offset?: number; limit?: number; batchSize?: number },
): Promise<Decoded> {
  const engine = await loadParquetEngine();
  try {
    // Converting the engine's table to a stream frees it.
    const stream = engine.readParquet(bytes, options).intoIPCStream();
    const file = await openIpc(
      createSourceFile(createBytesSource(stream)),
      { mayReplace: true, maxColumns: Number.POSITIVE_INFINITY },
      stream.length,
    );
    const columns = file.schema.fields.map((_, i) => i);
    const batches: RecordBatch[] = [];
    for (const [block, end] of file.blocks.entries()) {
      for await (const batch of file.read({ block, start: 0, end }, columns, {})) batches.push(batch);
    }
    return { schema: file.schema, batches };
  } catch (cause) {
    if (isAnnarrowError(cause) || isCancellation(cause)) throw cause;
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidDataError(`parquet-wasm cannot read it (${problem})`, { cause });
  }
}

class ParquetFile implements ChunkedFile {
  readonly kind = "parquet";
  readonly name: string;
  readonly schema: Schema;
  readonly blocks: readonly number[];
  readonly #file: SeekableFile;
  readonly #footer: ParquetFooter;
  readonly #given: CategoriesOf;
  readonly #decodedBytes: number;
  readonly #categories = new Map<string, Categories>();

  constructor(
    file: SeekableFile,
    footer: ParquetFooter,
    schema: Schema,
    { categories = async () => null, decodedBytes = DECODED_BYTES }: ParquetReadOptions,
  ) {
    this.name = file.name;
    this.schema = schema;
    this.blocks = footer.groups.map(({ rows }) => rows);
    this.#file = file;
    this.#footer = footer;
    this.#given = categories;
    this.#decodedBytes = decodedBytes;
  }

  bounds(block: number, column: number): readonly [number, number] | null {
    const { type } = this.schema.fields[column];
    if (!DataType.isInt(type) || !type.isSigned) return null;
    const { leaves } = this.#footer.columns[column];
    return findIntegerBounds(this.#footer.groups[block].chunks()[leaves.start]);
  }

  async *read(range: ChunkRowRange, columns: readonly number[], options: ReadOptions): AsyncGenerator<RecordBatch> {
    await this.#load(columns, options);
    const fields = columns.map((at) => this.schema.fields[at]);
    const schema = new Schema(fields);
    for await (const batch of this.#engineBatches(range, columns, options)) {
      const children = batch.data.children.map((child, i) =>
        conformColumn(child, fields[i].type, getTopColumnLocation(columns[i], fields[i].name), (place) =>
          this.#categoriesAt(place),
        ),
      );
      yield recordBatch(schema, batch.numRows, children);
    }
  }

  async empty(columns: readonly number[], options: ReadOptions): Promise<RecordBatch> {
    await this.#load(columns, options);
    const fields = columns.map((at) => this.schema.fields[at]);
    const children = fields.map(({ name, type }, i) =>
      conformColumn(emptyData(type), type, getTopColumnLocation(columns[i], name), (place) =>
        this.#categoriesAt(place),
      ),
    );
    return recordBatch(new Schema(fields), 0, children);
  }

  /** Reads rows of a row group with the engine, in several ranges if they exceed its memory limit. */
  async *#engineBatches(
    { block, start, end }: ChunkRowRange,
    columns: readonly number[],
    options: ReadOptions,
  ): AsyncGenerator<RecordBatch> {
    const fields = columns.map((at) => this.schema.fields[at]);
    const rows = this.blocks[block];
    if (columns.length === 0) {
      yield recordBatch(new Schema([]), end - start, []);
      return;
    }
    const partOf = (some: readonly number[], types: readonly Field[]) =>
      createPartFile(
        this.#file,
        this.#footer,
        { group: block, columns: some.map((at) => this.#footer.columns[at]), arrowSchema: encodeEngineSchema(types) },
        options,
      );
    const isInt96 = (at: number) => hasInt96(this.#footer.columns[at]);
    const given = fields.map((field, i) => (isInt96(columns[i]) ? replaceInt96Types(field) : field));
    const part = await partOf(columns, given);
    const far = columns.filter(isInt96);
    const inDoubt = far.map((at) => toMillisecondField(this.schema.fields[at]));
    const checked = far.length === 0 ? null : await partOf(far, inDoubt);
    const fixed = fields.reduce((sum, field) => sum + fixedBytes(field.type), 0);
    const rowBytes = Math.max(fixed, part.plainBytes / Math.max(1, rows));
    const most = Math.max(1, Math.floor(this.#decodedBytes / Math.max(1, rowBytes)));
    for (let at = start; at < end; ) {
      options.signal?.throwIfAborted();
      const count = Math.min(most, end - at);
      const window = count === rows ? {} : { offset: at, limit: count };
      const { batches } = await decoded(part.bytes, { ...window, batchSize: count });
      const found = batches.reduce((sum, batch) => sum + batch.numRows, 0);
      if (found !== count) throw new InvalidDataError(`${found} rows were read, expected ${count}`);
      if (checked !== null) {
        const { batches: right } = await decoded(checked.bytes, { ...window, batchSize: count });
        checkAll(
          batches,
          right,
          far.map((column) => columns.indexOf(column)),
        );
      }
      yield* batches;
      at += count;
    }
  }

  #categoriesAt({ path, key }: ColumnLocation): Categories {
    const found = this.#categories.get(key);
    if (found === undefined) throw new TypeError(`the categories of ${path} were not loaded`);
    return found;
  }

  /** Loads the dictionaries of `columns`: the given categories, or the distinct values of all row groups. */
  async #load(columns: readonly number[], options: ReadOptions): Promise<void> {
    for (const at of columns) {
      const { name, type } = this.schema.fields[at];
      const missing = new Map<string, CollectedValues>();
      const coded = codedColumns(type, getTopColumnLocation(at, name));
      for (const { path, key, values } of coded) {
        if (this.#categories.has(key)) continue;
        const given = await this.#given(path, options);
        if (given === null) {
          missing.set(key, new CollectedValues());
          continue;
        }
        if (!util.compareTypes(given.values.type, values)) {
          throw new InvalidDataError(
            `the categories of ${path} are of the type ${given.values.type}, expected ${values}`,
          );
        }
        this.#categories.set(key, given);
      }
      if (missing.size === 0) continue;
      for (const [block, end] of this.blocks.entries()) {
        for await (const batch of this.#engineBatches({ block, start: 0, end }, [at], options)) {
          collect(batch.data.children[0], type, getTopColumnLocation(at, name), missing);
        }
      }
      for (const { key, values } of coded) {
        const found = missing.get(key);
        if (found !== undefined) this.#categories.set(key, found.categories(values));
      }
    }
  }
}

/**
 * Checks the INT96 columns of `batches` against `right`, which contains their values in milliseconds.
 * @param places positions in `batches` of the columns of `right`. Corresponding batches have the same rows.
 */
function checkAll(batches: readonly RecordBatch[], right: readonly RecordBatch[], places: readonly number[]): void {
  for (const [i, { data, schema }] of batches.entries()) {
    for (const [k, place] of places.entries()) {
      checkInt96(data.children[place], right[i].data.children[k], schema.fields[place].name);
    }
  }
}

interface CodedColumn extends ColumnLocation {
  readonly values: DataType;
}

/** Returns the dictionary-encoded columns at `place` and below it. */
function codedColumns(type: DataType, place: ColumnLocation): CodedColumn[] {
  if (DataType.isDictionary(type)) return [{ ...place, values: type.dictionary }];
  return (type.children ?? []).flatMap((child, i) =>
    codedColumns(child.type, getChildColumnLocation(place, i, child.name)),
  );
}

function collect(
  data: RecordBatch["data"]["children"][number],
  type: DataType,
  place: ColumnLocation,
  found: ReadonlyMap<string, CollectedValues>,
): void {
  if (!DataType.isDictionary(type)) {
    (type.children ?? []).forEach((child, i) => {
      collect(data.children[i], child.type, getChildColumnLocation(place, i, child.name), found);
    });
    return;
  }
  const parts = data.dictionary?.data ?? [data];
  for (const part of parts) found.get(place.key)?.add(part);
}

/** Returns the bytes per value of a fixed-width type; 0 for other types. */
function fixedBytes(type: DataType): number {
  if (DataType.isFixedSizeList(type)) return type.listSize * fixedBytes(type.children[0].type);
  if (DataType.isStruct(type)) return type.children.reduce((sum, child) => sum + fixedBytes(child.type), 0);
  if (DataType.isFixedSizeBinary(type)) return type.byteWidth;
  if (DataType.isDictionary(type)) return 4;
  if (DataType.isInt(type)) return type.bitWidth / 8;
  return DataType.isFloat(type) ? type.ArrayType.BYTES_PER_ELEMENT : 8;
}
