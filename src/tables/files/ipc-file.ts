/** Reads an Arrow IPC file or stream. Only the buffers of the requested columns are read from each batch. */

import { type Data, type RecordBatch, Schema, Vector } from "apache-arrow";
import { createRawData, emptyData } from "../../arrow/apache/raw-data.js";
import type { SeekableFile } from "../../io/sources/file-bytes.js";
import type { ReadOptions } from "../../io/sources/source.js";
import { type ColumnParts, getColumnParts, getValueType } from "../../ipc/read/column-parts.js";
import { type Dictionaries, loadColumn } from "../../ipc/read/load-column.js";
import { decodeBodyBuffer } from "../../ipc/read/message.js";
import {
  type BatchLocation,
  type DictionaryVersion,
  type IpcMessages,
  type IpcOptions,
  readFileMessages,
  readStreamMessages,
} from "../../ipc/read/messages-of.js";
import type { FileField } from "../../ipc/read/schema.js";
import { InvalidDataError } from "../../model/errors.js";
import { recordBatch, sliceBatch } from "../record-batch.js";
import type { ChunkedFile, ChunkRowRange } from "./file-table.js";

/**
 * Opens a file in the IPC file format or, if its size is given as `streamSize`, in the streaming format.
 * @throws {InvalidDataError} for an invalid file.
 */
export async function openIpc(file: SeekableFile, options: IpcOptions, streamSize?: number): Promise<ChunkedFile> {
  return new IpcFile(
    file,
    streamSize === undefined
      ? await readFileMessages(file, options)
      : await readStreamMessages(file, streamSize, options),
  );
}

class IpcFile implements ChunkedFile {
  readonly kind = "arrow";
  readonly name: string;
  readonly schema: Schema;
  readonly blocks: readonly number[];
  readonly #file: SeekableFile;
  readonly #messages: IpcMessages;
  /** The dictionaries that have been read, each only once. */
  readonly #dictionaries = new Map<DictionaryVersion, Vector>();
  /** Empty dictionaries for columns whose dictionaries are missing from the file. */
  readonly #missing = new Map<bigint, Vector>();

  constructor(file: SeekableFile, messages: IpcMessages) {
    this.name = file.name;
    this.#file = file;
    this.#messages = messages;
    this.schema = messages.schema.schema;
    this.blocks = messages.batches.map(({ header }) => header.rows);
  }

  async *read({ block, start, end }: ChunkRowRange, columns: readonly number[], options: ReadOptions) {
    const { batches, schema } = this.#messages;
    const { header, body } = batches[block];
    const parts = getColumnParts(header, schema.fields);
    const fields = columns.map((at) => schema.fields[at]);
    const dictionaries = await this.#load(fields, block, options);
    const loaded = await this.#columns(
      columns.map((at) => parts[at]),
      { header, body },
      options,
    );
    const children = fields.map((field, i) => loadColumn(field, loaded[i], header.rows, { dictionaries }));
    const batch = this.#batch(fields, children, header.rows);
    yield start === 0 && end === header.rows ? batch : sliceBatch(batch, start, end);
  }

  async empty(columns: readonly number[], options: ReadOptions): Promise<RecordBatch> {
    const fields = columns.map((at) => this.#messages.schema.fields[at]);
    const dictionaries = await this.#load(fields, this.blocks.length, options);
    return this.#batch(
      fields,
      fields.map((field) => noRows(field, dictionaries)),
      0,
    );
  }

  #batch(fields: readonly FileField[], children: Data[], length: number): RecordBatch {
    return recordBatch(new Schema(fields.map(({ field }) => field)), length, children);
  }

  /** Loads the dictionaries of `fields` and of their children, in the version that applies to a block. */
  async #load(fields: readonly FileField[], block: number, options: ReadOptions): Promise<Dictionaries> {
    const wanted = new Map<bigint, FileField>();
    for (const field of fields) codedFields(field, wanted);
    const found = new Map<bigint, Vector>();
    for (const [id, field] of wanted) found.set(id, await this.#dictionary([id, field], block, found, options));
    return found;
  }

  async #dictionary(
    [id, field]: readonly [bigint, FileField],
    block: number,
    within: Dictionaries,
    options: ReadOptions,
  ): Promise<Vector> {
    const versions = this.#messages.dictionaries.get(id);
    // Before the first version of a dictionary, all values are missing.
    const version = versions?.findLast(({ from }) => from <= block) ?? versions?.[0];
    const known = version === undefined ? this.#missing.get(id) : this.#dictionaries.get(version);
    if (known !== undefined) return known;
    if (version === undefined) {
      // An empty table may have no dictionaries.
      if (this.blocks.some((rows) => rows > 0)) {
        throw new InvalidDataError(`the dictionary ${id} of ${field.field.name} is not there`);
      }
      const none = new Vector([emptyData(getValueType(field))]);
      this.#missing.set(id, none);
      return none;
    }
    const values: Data[] = [];
    for (const piece of version.pieces) {
      const [parts] = getColumnParts(piece.header, [field], true);
      const [loaded] = await this.#columns([parts], piece, options);
      values.push(loadColumn(field, loaded, piece.header.rows, { dictionaries: within, values: true }));
    }
    const vector = new Vector(values);
    this.#dictionaries.set(version, vector);
    return vector;
  }

  async #columns(columns: readonly ColumnParts[], { header, body }: BatchLocation, options: ReadOptions) {
    const ranges = columns.flatMap(({ buffers }) =>
      buffers.map(({ start, end }) => ({ start: body + start, end: body + end })),
    );
    const bytes = (await this.#file.read(ranges, options))[Symbol.iterator]();
    const { bigEndian } = this.#messages.schema;
    const layout = { bigEndian, unionBitmaps: header.unionBitmaps };
    const loaded = [];
    for (const { nodes, buffers, viewBuffers } of columns) {
      const own: Uint8Array[] = [];
      for (const _ of buffers)
        own.push(await decodeBodyBuffer(bytes.next().value ?? new Uint8Array(0), header.compression));
      loaded.push({ nodes, buffers: own, viewBuffers, layout });
    }
    return loaded;
  }
}

/** Collects the fields that have a dictionary; children come before their parents. */
function codedFields(field: FileField, found: Map<bigint, FileField>): void {
  for (const child of field.children) codedFields(child, found);
  if (field.dictionary !== null) found.set(field.dictionary.id, field);
}

function noRows({ field, dictionary }: FileField, dictionaries: Dictionaries): Data {
  const dictionaryOf = dictionary === null ? undefined : dictionaries.get(dictionary.id);
  if (dictionaryOf === undefined) return emptyData(field.type);
  return createRawData(field.type, 0, 0, { values: new field.type.ArrayType(0) }, [], dictionaryOf);
}
