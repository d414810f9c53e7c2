/**
 * Messages of Arrow's IPC format (its Message.fbs; slots are the positions of fields in these tables). A message is a
 * marker, the length of its metadata, the metadata as a flatbuffer, and a body of the columns' buffers.
 */

import { Builder } from "flatbuffers";
import type { Column } from "../../arrow/column.js";
import type { SchemaField } from "../../arrow/type.js";
import { CONTINUATION, HEADER, METADATA_VERSION } from "../flatbuffers/format.js";
import { type ColumnBuffers, columnBuffers } from "./column-buffers.js";
import { addSchema } from "./schema.js";

/** A message as it stands in a file or stream; can be sent to another thread, `bytes.buffer` transferred. */
export interface EncodedMessage {
  /** All of it; nothing else lies in its buffer, which may be larger. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes in front of the body. */
  readonly metadataLength: number;
  readonly bodyLength: number;
}

/** The message of a record batch. */
export interface EncodedBatch extends EncodedMessage {
  readonly rows: number;
  /** Of the metadata's last bytes, how many mean nothing. */
  readonly spare: number;
}

/** Memory for a message, whatever it holds. */
export type TakeMemory = (bytes: number) => Uint8Array<ArrayBuffer>;

const PREFIX = 8;

/** Of every buffer and every message, within its file or stream: what the format recommends; it asks for 8. */
const ALIGNMENT = 64;

/** Left free in front of a batch's body: Flight has its tag and length there, and need not copy the batch. */
const SPARE = 8;

/** Stands after the last message. */
export const END_OF_STREAM: Uint8Array = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

/**
 * The schema of `fields`.
 * @param before bytes that stand in front of it, so that the next message is aligned.
 */
export function schemaMessage(
  fields: readonly SchemaField[],
  metadata: ReadonlyMap<string, string>,
  before = 0,
): EncodedMessage {
  const builder = new Builder(1024);
  const schema = addSchema(builder, fields, metadata);
  return assembled(finished(builder, HEADER.schema, schema, 0), [], { before });
}

/**
 * `rows` rows of `columns`, their dictionaries aside.
 * @param take where the message is put; memory of its own by default.
 */
export function batchMessage(columns: readonly Column[], rows: number, take: TakeMemory = allocate): EncodedBatch {
  const content = columnBuffers(columns);
  const builder = new Builder(1024);
  const batch = recordBatch(builder, content, rows);
  const header = finished(builder, HEADER.batch, batch, bodyLength(content));
  return { ...assembled(header, content.buffers, { spare: SPARE, take }), rows, spare: SPARE };
}

/** The values of the dictionary `id`; dictionaries within them have messages of their own. */
export function dictionaryMessage(id: number, values: Column): EncodedMessage {
  const content = columnBuffers([values]);
  const builder = new Builder(256);
  const batch = recordBatch(builder, content, values.length);
  builder.startObject(3);
  builder.addFieldInt64(0, BigInt(id), 0n);
  builder.addFieldOffset(1, batch, 0);
  const dictionary = builder.endObject();
  return assembled(finished(builder, HEADER.dictionary, dictionary, bodyLength(content)), content.buffers);
}

function recordBatch(builder: Builder, { nodes, buffers }: ColumnBuffers, rows: number): number {
  let at = bodyLength({ buffers });
  builder.startVector(16, buffers.length, 8);
  for (const { byteLength } of buffers.toReversed()) {
    at -= aligned(byteLength);
    addPair(builder, at, byteLength);
  }
  const bufferList = builder.endVector();
  builder.startVector(16, nodes.length, 8);
  for (const { length, nullCount } of nodes.toReversed()) addPair(builder, length, nullCount);
  const nodeList = builder.endVector();
  builder.startObject(5);
  builder.addFieldInt64(0, BigInt(rows), 0n);
  builder.addFieldOffset(1, nodeList, 0);
  builder.addFieldOffset(2, bufferList, 0);
  return builder.endObject();
}

/** A struct of two Int64; flatbuffers are written from behind. */
function addPair(builder: Builder, first: number, second: number): void {
  builder.prep(8, 16);
  builder.writeInt64(BigInt(second));
  builder.writeInt64(BigInt(first));
}

function finished(builder: Builder, type: number, header: number, bodyLength: number): Uint8Array {
  builder.startObject(5);
  builder.addFieldInt16(0, METADATA_VERSION.V5, 0);
  builder.addFieldInt8(1, type, 0);
  builder.addFieldOffset(2, header, 0);
  builder.addFieldInt64(3, BigInt(bodyLength), 0n);
  builder.finish(builder.endObject());
  return builder.asUint8Array();
}

interface Assembly {
  /** Bytes in front of the message. */
  readonly before?: number;
  /** Bytes left free at the end of the metadata. */
  readonly spare?: number;
  readonly take?: TakeMemory;
}

function assembled(
  flatbuffer: Uint8Array,
  buffers: readonly Uint8Array[],
  { before = 0, spare = 0, take = allocate }: Assembly = {},
): EncodedMessage {
  const metadataLength = aligned(before + PREFIX + flatbuffer.length + spare) - before;
  const body = bodyLength({ buffers });
  const bytes = take(metadataLength + body);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setUint32(0, CONTINUATION, true);
  view.setInt32(4, metadataLength - PREFIX, true);
  bytes.set(flatbuffer, PREFIX);
  // The memory may have held something else.
  bytes.fill(0, PREFIX + flatbuffer.length, metadataLength);
  let at = metadataLength;
  for (const buffer of buffers) {
    const end = at + aligned(buffer.byteLength);
    // What was decoded to its place is there.
    if (buffer.buffer !== bytes.buffer || buffer.byteOffset !== bytes.byteOffset + at) bytes.set(buffer, at);
    bytes.fill(0, at + buffer.byteLength, end);
    at = end;
  }
  return { bytes, metadataLength, bodyLength: body };
}

function allocate(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

function bodyLength({ buffers }: Pick<ColumnBuffers, "buffers">): number {
  return buffers.reduce((sum, { byteLength }) => sum + aligned(byteLength), 0);
}

/** Not by bits: lengths may pass 2^31. */
function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}
