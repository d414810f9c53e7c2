/**
 * Runs apache-arrow's IPC writers without their queue, so that the chunks of a batch are returned at once. The queue
 * joins adjacent chunks of the same ArrayBuffer (`joinUint8Arrays`), but it does so incorrectly if the chunks overlap
 * or are out of order. This bug corrupts streams whose columns share a buffer.
 */

import { type RecordBatch, RecordBatchFileWriter, RecordBatchStreamWriter, type Schema, util } from "apache-arrow";
import { InvalidInputError } from "../../model/errors.js";

/** A writer that returns the bytes of each record batch. */
export interface IpcWriter {
  /**
   * Returns the bytes of a batch and its dictionaries, as views of the batch's buffers. The first batch is preceded by
   * the file's head.
   */
  batch(batch: RecordBatch): Uint8Array[];
  /** Returns the bytes that close the stream or file. */
  end(): Uint8Array[];
}

export function streamWriter(schema: Schema): IpcWriter {
  return handedOver(new StreamWriter(), schema);
}

export function createIpcFileWriter(schema: Schema): IpcWriter {
  return handedOver(new FileWriter(), schema);
}

export function streamBytes(schema: Schema, batches: Iterable<RecordBatch>): Uint8Array<ArrayBuffer> {
  const writer = streamWriter(schema);
  const chunks: Uint8Array[] = [];
  for (const batch of batches) chunks.push(...writer.batch(batch));
  chunks.push(...writer.end());
  return joinByteChunks(chunks);
}

/** Returns a schema message: continuation marker, metadata length, and metadata. A schema has no body. */
export function encodeApacheSchema(schema: Schema): Uint8Array {
  const stream = streamBytes(schema, []);
  return stream.subarray(0, 8 + new DataView(stream.buffer).getInt32(4, true));
}

interface Engine {
  chunks: Uint8Array[];
  write(batch: RecordBatch): void;
  reset(sink: undefined, schema: Schema): unknown;
  finish(): unknown;
}

function handedOver(engine: Engine, schema: Schema): IpcWriter {
  engine.reset(undefined, schema);
  const take = () => compact(engine.chunks.splice(0));
  return {
    batch(batch) {
      // apache-arrow would silently end its stream at a batch with a different schema.
      if (!util.compareSchemas(schema, batch.schema)) {
        throw new InvalidInputError(`a batch has the schema ${batch.schema}, its stream ${schema}`);
      }
      engine.write(batch);
      return take();
    },
    end() {
      engine.finish();
      return take();
    },
  };
}

class StreamWriter extends RecordBatchStreamWriter {
  chunks: Uint8Array[] = [];

  protected override _write(chunk: ArrayBufferView): this {
    if (this._started) this._position += keep(this.chunks, chunk);
    return this;
  }
}

class FileWriter extends RecordBatchFileWriter {
  chunks: Uint8Array[] = [];

  protected override _write(chunk: ArrayBufferView): this {
    if (this._started) this._position += keep(this.chunks, chunk);
    return this;
  }

  /**
   * Writes the schema message after the magic, as the format requires. apache-arrow writes the schema only in the
   * footer.
   */
  protected override _writeSchema(schema: Schema): this {
    super._writeSchema(schema);
    const stream = new StreamWriter();
    stream.reset(undefined, schema);
    for (const chunk of stream.chunks) this._write(chunk);
    return this;
  }

  protected override _writeDictionaryBatch(...[dictionary, id, isDelta]: DictionaryBatch): this {
    if (!isDelta && this._seenDictionaries.has(id)) {
      throw new InvalidInputError("the batches do not share one dictionary, as an Arrow file needs");
    }
    return super._writeDictionaryBatch(dictionary, id, isDelta);
  }
}

type DictionaryBatch = Parameters<RecordBatchFileWriter["_writeDictionaryBatch"]>;

function keep(chunks: Uint8Array[], chunk: ArrayBufferView): number {
  if (chunk.byteLength > 0) chunks.push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  return chunk.byteLength;
}

const SMALL = 65536;

/** Joins small adjacent chunks. A batch has many headers and paddings of a few bytes. */
function compact(chunks: readonly Uint8Array[]): Uint8Array[] {
  const out: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  let bytes = 0;
  const flush = () => {
    if (small.length > 0) out.push(joinByteChunks(small));
    small = [];
    bytes = 0;
  };
  for (const chunk of chunks) {
    if (bytes + chunk.byteLength > SMALL) flush();
    if (chunk.byteLength > SMALL) out.push(chunk);
    else {
      small.push(chunk);
      bytes += chunk.byteLength;
    }
  }
  flush();
  return out;
}

export function joinByteChunks(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.byteLength;
  }
  return out;
}
