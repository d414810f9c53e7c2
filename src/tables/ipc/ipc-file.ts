/** An Arrow IPC file or stream, of which the buffers of a batch are read that are asked for. */

import { type Data, type RecordBatch, Schema, Vector } from "apache-arrow";
import { InvalidDataError } from "../../errors.js";
import type { FileBytes } from "../../sources/file-bytes.js";
import type { ReadOptions } from "../../sources/source.js";
import { emptyData } from "../empty-data.js";
import { rawData } from "../raw-data.js";
import { recordBatch, sliceBatch } from "../record-batch.js";
import type { BlockRange, TableFile } from "../table-file.js";
import { ownBuffer } from "./body.js";
import { type ColumnParts, columnParts, valueType } from "./column-parts.js";
import { type Dictionaries, loadColumn } from "./load-column.js";
import { type BatchBlock, type IpcMessages, messagesOfFile, messagesOfStream } from "./messages-of.js";
import type { FileField } from "./schema.js";

/**
 * Opens a file of the IPC file format, or of the streaming format where `streamSize`, its size, is given.
 * @throws {InvalidDataError} where it breaks the format.
 */
export async function openIpc(file: FileBytes, options: ReadOptions, streamSize?: number): Promise<TableFile> {
  return new IpcFile(
    file,
    streamSize === undefined ? await messagesOfFile(file, options) : await messagesOfStream(file, streamSize, options),
  );
}

class IpcFile implements TableFile {
  readonly kind = "arrow";
  readonly name: string;
  readonly schema: Schema;
  readonly blocks: readonly number[];
  readonly #file: FileBytes;
  readonly #messages: IpcMessages;
  /** By their numbers, each read once. */
  readonly #dictionaries = new Map<bigint, Vector>();

  constructor(file: FileBytes, messages: IpcMessages) {
    this.name = file.name;
    this.#file = file;
    this.#messages = messages;
    this.schema = messages.schema.schema;
    this.blocks = messages.batches.map(({ header }) => header.rows);
  }

  async *read({ block, start, end }: BlockRange, columns: readonly number[], options: ReadOptions) {
    const { batches, schema } = this.#messages;
    const { header, body } = batches[block];
    const parts = columnParts(header, schema.fields);
    const fields = columns.map((at) => schema.fields[at]);
    const dictionaries = await this.#load(fields, options);
    const loaded = await this.#columns(
      columns.map((at) => parts[at]),
      { header, body },
      options,
    );
    const children = fields.map((field, i) => loadColumn(field, loaded[i], header.rows, dictionaries));
    const batch = this.#batch(fields, children, header.rows);
    yield start === 0 && end === header.rows ? batch : sliceBatch(batch, start, end);
  }

  async empty(columns: readonly number[], options: ReadOptions): Promise<RecordBatch> {
    const fields = columns.map((at) => this.#messages.schema.fields[at]);
    const dictionaries = await this.#load(fields, options);
    return this.#batch(
      fields,
      fields.map((field) => noRows(field, dictionaries)),
      0,
    );
  }

  #batch(fields: readonly FileField[], children: Data[], length: number): RecordBatch {
    return recordBatch(new Schema(fields.map(({ field }) => field)), length, children);
  }

  /** The dictionaries of `fields`, and of what is within them. */
  async #load(fields: readonly FileField[], options: ReadOptions): Promise<Dictionaries> {
    const wanted = new Map<bigint, FileField>();
    for (const field of fields) codedFields(field, wanted);
    for (const [id, field] of wanted) {
      if (this.#dictionaries.has(id)) continue;
      const blocks = this.#messages.dictionaries.get(id);
      // An empty table may come without its dictionaries.
      if (blocks === undefined && this.blocks.every((rows) => rows === 0)) {
        this.#dictionaries.set(id, new Vector([emptyData(valueType(field))]));
        continue;
      }
      if (blocks === undefined) throw new InvalidDataError(`the dictionary ${id} of ${field.field.name} is not there`);
      const values: Data[] = [];
      for (const block of blocks) {
        const [parts] = columnParts(block.header, [field], true);
        const [loaded] = await this.#columns([parts], block, options);
        values.push(loadColumn(field, loaded, block.header.rows, this.#dictionaries, true));
      }
      this.#dictionaries.set(id, new Vector(values));
    }
    return this.#dictionaries;
  }

  async #columns(columns: readonly ColumnParts[], { header, body }: BatchBlock, options: ReadOptions) {
    const ranges = columns.flatMap(({ buffers }) =>
      buffers.map(({ start, end }) => ({ start: body + start, end: body + end })),
    );
    const bytes = (await this.#file.read(ranges, options))[Symbol.iterator]();
    const { bigEndian } = this.#messages.schema;
    const layout = { bigEndian, unionBitmaps: header.unionBitmaps };
    const loaded = [];
    for (const { nodes, buffers, viewBuffers } of columns) {
      const own: Uint8Array[] = [];
      for (const _ of buffers) own.push(await ownBuffer(bytes.next().value ?? new Uint8Array(0), header.compression));
      loaded.push({ nodes, buffers: own, viewBuffers, layout });
    }
    return loaded;
  }
}

/** The fields with a dictionary, those within others first. */
function codedFields(field: FileField, found: Map<bigint, FileField>): void {
  for (const child of field.children) codedFields(child, found);
  if (field.dictionary !== null) found.set(field.dictionary.id, field);
}

function noRows({ field, dictionary }: FileField, dictionaries: Dictionaries): Data {
  const dictionaryOf = dictionary === null ? undefined : dictionaries.get(dictionary.id);
  if (dictionaryOf === undefined) return emptyData(field.type);
  return rawData(field.type, 0, 0, { values: new field.type.ArrayType(0) }, [], dictionaryOf);
}
