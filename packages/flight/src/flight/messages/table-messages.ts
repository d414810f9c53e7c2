/** Converts apache-arrow batches of every supported type to messages of limited size. */

import { createRawData } from "annarrow/core/arrow";
import { encodeApacheSchema, FlatBuffer, joinByteChunks, streamWriter } from "annarrow/core/ipc";
import { recordBatch, sliceBatch } from "annarrow/core/tables";
import { type Data, DataType, type RecordBatch, type Schema } from "apache-arrow";
import { parseSchemaMessage, type TableMessage } from "./message-data.js";

export interface BatchSource {
  readonly schema: Schema;
  readonly batches: Iterable<RecordBatch> | AsyncIterable<RecordBatch>;
}

const PREFIX = 8;
const BATCH = 3;

/**
 * Encodes batches with one schema: yields the schema, dictionaries and record batches, each in its own memory. A
 * single row of more than `maxBytes` is sent alone, and dictionaries are sent whole.
 * @throws {InvalidInputError} for a batch with another schema.
 */
export async function* encodeTableMessages(
  { schema, batches }: BatchSource,
  maxBytes: number,
): AsyncGenerator<TableMessage> {
  yield parseSchemaMessage(Uint8Array.from(encodeApacheSchema(schema)));
  const encoder = new BatchEncoder(schema, maxBytes);
  let some = false;
  for await (const batch of batches) {
    // A batch without rows is sent only for its dictionaries, or if it is the only batch.
    for (const message of encoder.messages(batch)) {
      if (message.rows === 0 && some) continue;
      some ||= message.rows !== null;
      yield message;
    }
  }
}

class BatchEncoder {
  readonly #writer: ReturnType<typeof streamWriter>;
  readonly #maxBytes: number;
  /** True if the next batch is the first one. The writer writes the schema before the first batch. */
  #first = true;

  constructor(schema: Schema, maxBytes: number) {
    this.#writer = streamWriter(schema);
    this.#maxBytes = maxBytes;
  }

  *messages(batch: RecordBatch): Generator<TableMessage> {
    const found = [...viewsOf(this.#writer.batch(batch))].slice(this.#first ? 1 : 0);
    this.#first = false;
    for (const { isBatch, pieces, bytes, metadataLength } of found) {
      if (!isBatch || bytes <= this.#maxBytes || batch.numRows <= 1) {
        const message = { bytes: joinByteChunks(pieces), metadataLength, bodyLength: bytes - metadataLength };
        yield { ...message, rows: isBatch ? batch.numRows : null };
        continue;
      }
      // Rows differ in size, so some spare room is needed.
      const count = Math.max(2, Math.ceil((1.1 * bytes) / this.#maxBytes));
      const step = Math.max(1, Math.ceil(batch.numRows / count));
      for (let at = 0; at < batch.numRows; at += step) {
        yield* this.messages(compactUnions(sliceBatch(batch, at, Math.min(batch.numRows, at + step))));
      }
    }
  }
}

interface Views {
  readonly isBatch: boolean;
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  readonly metadataLength: number;
}

/** Yields the messages contained in a stream's chunks. Message boundaries coincide with chunk boundaries. */
function* viewsOf(chunks: readonly Uint8Array[]): Generator<Views> {
  const source = new Chunks(chunks);
  while (!source.isEmpty) {
    const prefix = joinByteChunks(source.take(PREFIX));
    const length = new DataView(prefix.buffer).getInt32(4, true);
    // End-of-stream marker.
    if (length === 0) return;
    const header = joinByteChunks(source.take(length));
    const message = new FlatBuffer(header).root();
    const body = message.length(3);
    const metadataLength = PREFIX + length;
    yield {
      isBatch: message.uint8(1) === BATCH,
      pieces: [prefix, header, ...source.take(body)],
      bytes: metadataLength + body,
      metadataLength,
    };
  }
}

/** A queue of byte chunks that returns views from its front. */
class Chunks {
  readonly #rest: Uint8Array[];

  constructor(chunks: readonly Uint8Array[]) {
    this.#rest = chunks.filter(({ length }) => length > 0).reverse();
  }

  get isEmpty(): boolean {
    return this.#rest.length === 0;
  }

  take(count: number): Uint8Array[] {
    const taken: Uint8Array[] = [];
    for (let missing = count; missing > 0; ) {
      const chunk = this.#rest.pop();
      if (chunk === undefined) throw new TypeError(`${missing} bytes of a message are missing`);
      taken.push(chunk.subarray(0, missing));
      if (chunk.length > missing) this.#rest.push(chunk.subarray(missing));
      missing -= Math.min(missing, chunk.length);
    }
    return taken;
  }
}

/** Removes unused union values from a batch. Unions in lists keep all values. */
function compactUnions(batch: RecordBatch): RecordBatch {
  if (!batch.schema.fields.some(({ type }) => hasUnion(type))) return batch;
  return recordBatch(batch.schema, batch.numRows, batch.data.children.map(compact));
}

function hasUnion(type: DataType): boolean {
  if (DataType.isDenseUnion(type)) return true;
  return DataType.isStruct(type) && type.children.some((field) => hasUnion(field.type));
}

function compact(data: Data): Data {
  const { type, length } = data;
  if (!hasUnion(type)) return data;
  if (!DataType.isDenseUnion(type)) {
    return data.clone(type, data.offset, length, data.nullCount, data.buffers, data.children.map(compact));
  }
  const typeIds = data.typeIds.slice(0, length);
  const offsets = Int32Array.from(data.valueOffsets.subarray(0, length));
  const children = data.children.map((child, i) => {
    const rows = [...typeIds.keys()].filter((row) => typeIds[row] === type.typeIds[i]);
    const first = rows.reduce((least, row) => Math.min(least, offsets[row]), child.length);
    const end = rows.reduce((most, row) => Math.max(most, offsets[row] + 1), first);
    for (const row of rows) offsets[row] -= first;
    return compact(child.slice(first, end - first));
  });
  return createRawData(type, length, 0, { typeIds, offsets }, children);
}
