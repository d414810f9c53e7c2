/**
 * Encodes messages of Arrow's IPC format, as defined in its Message.fbs. Slots are the positions of fields in the
 * tables defined there. A message consists of a marker, the length of its metadata, the metadata as a flatbuffer, and a
 * body with the columns' buffers.
 */

import { Builder } from "flatbuffers";
import type { Column } from "../../arrow/column.js";
import type { AcquireMemory, EncodedTableChunk, ReservedMemory } from "../../arrow/encoder.js";
import type { SchemaField } from "../../arrow/type.js";
import { getBitmapByteLength } from "../../kernels/values/bitmap.js";
import type { NumberArray } from "../../model/stored.js";
import { CONTINUATION, HEADER, METADATA_VERSION } from "../flatbuffers/format.js";
import type { FieldNode } from "../read/message.js";
import { addSchema } from "./schema.js";

// Lists the nodes and buffers of columns for a record batch: one node per column, with children after their parents,
// and the buffers in the same order.

interface ColumnBuffers {
  readonly nodes: readonly FieldNode[];
  /** Views of the columns' own memory, trimmed to the length of the values. */
  readonly buffers: readonly Uint8Array[];
}

const NOTHING = new Uint8Array(0);

/** Returns the nodes and buffers of `columns`. A dictionary column contributes its indices. */
function getColumnBuffers(columns: readonly Column[]): ColumnBuffers {
  const found = { nodes: [], buffers: [] };
  for (const column of columns) add(column, found);
  return found;
}

function add(column: Column, out: { nodes: FieldNode[]; buffers: Uint8Array[] }): void {
  const { length, layout } = column;
  const { nodes, buffers } = out;
  const validity = column.validity !== null && column.validity.nullCount > 0 ? column.validity : null;
  nodes.push({ length, nullCount: layout === "null" ? length : (validity?.nullCount ?? 0) });
  // A column of nulls has no buffer, and in a union the children mark missing values.
  if (layout !== "null" && layout !== "union") {
    buffers.push(validity === null ? NOTHING : first(validity.bitmap, getBitmapByteLength(length)));
  }
  switch (layout) {
    case "null":
      return;
    case "primitive":
      buffers.push(first(column.values, valueBytes(column.type, length)));
      return;
    case "variable": {
      const offsets = column.offsets.subarray(0, length + 1);
      const [start, end] = [offsets[0], offsets[length]];
      buffers.push(first(start === 0 ? offsets : offsets.map((offset) => offset - start), 4 * (length + 1)));
      buffers.push(first(column.bytes.subarray(start), end - start));
      return;
    }
    case "list":
      buffers.push(first(column.offsets, 4 * (length + 1)));
      add(column.child, out);
      return;
    case "fixed-size-list":
      add(column.child, out);
      return;
    case "struct":
      for (const child of column.children) add(child, out);
      return;
    case "dictionary":
      buffers.push(first(column.indices, length * column.indices.BYTES_PER_ELEMENT));
      return;
    case "union":
      buffers.push(first(column.typeIds, length), first(column.offsets, 4 * length));
      for (const child of column.children) add(child, out);
      return;
    default:
      column satisfies never;
  }
}

type PrimitiveType = Extract<Column, { layout: "primitive" }>["type"];

function valueBytes(type: PrimitiveType, length: number): number {
  switch (type.id) {
    case "Bool":
      return getBitmapByteLength(length);
    case "Int":
    case "Float":
      return (length * type.bits) / 8;
    case "FixedSizeBinary":
      return length * type.width;
    case "Date32":
      return length * 4;
    case "Timestamp":
    case "Duration":
      return length * 8;
    default:
      return type satisfies never;
  }
}

/** Returns the first `bytes` bytes of an array that may be longer. */
function first({ buffer, byteOffset, byteLength }: NumberArray, bytes: number): Uint8Array {
  if (byteLength < bytes) throw new TypeError(`a buffer has ${byteLength} bytes, its column needs ${bytes}`);
  return new Uint8Array(buffer, byteOffset, bytes);
}

/** A message as stored in a file or stream. It can be sent to another thread by transferring `bytes.buffer`. */
export interface EncodedMessage {
  /** The whole message. Its buffer may be larger but contains no other data. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Number of bytes before the body. */
  readonly metadataLength: number;
  readonly bodyLength: number;
}

export interface EncodedBatch extends EncodedMessage, EncodedTableChunk {
  /** Number of unused bytes at the end of the metadata. */
  readonly spare: number;
}

/** Whether the rows are encoded as a message. */
export function isEncodedBatch(encoded: EncodedTableChunk): encoded is EncodedBatch {
  return "metadataLength" in encoded;
}

const PREFIX = 8;

/** Alignment in bytes of every buffer and message in a file or stream. The format recommends 64 and requires 8. */
const ALIGNMENT = 64;

/** Bytes left free before a batch's body. Flight writes its tag and length there, which avoids copying the batch. */
const SPARE = 8;

export const END_OF_STREAM: Uint8Array = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

/**
 * Encodes the schema of `fields`.
 * @param before number of bytes in front of the message, which is needed to align the next message.
 */
export function encodeSchemaMessage(
  fields: readonly SchemaField[],
  metadata: ReadonlyMap<string, string>,
  before = 0,
): EncodedMessage {
  const builder = new Builder(1024);
  const schema = addSchema(builder, fields, metadata);
  return assembled(finished(builder, HEADER.schema, schema, 0), [], { before });
}

/**
 * Encodes `rows` rows of `columns`, without their dictionaries.
 * @param take memory for the message; new memory by default.
 */
export function encodeBatchMessage(
  columns: readonly Column[],
  rows: number,
  take: AcquireMemory = allocate,
): EncodedBatch {
  const content = getColumnBuffers(columns);
  const builder = new Builder(1024);
  const batch = recordBatch(builder, content, rows);
  const header = finished(builder, HEADER.batch, batch, bodyLength(content));
  return { ...assembled(header, content.buffers, { spare: SPARE, take }), rows, spare: SPARE };
}

/** Encodes the values of the dictionary `id`. Dictionaries within these values have separate messages. */
export function encodeDictionaryMessage(id: number, values: Column): EncodedMessage {
  const content = getColumnBuffers([values]);
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

/** Adds a struct of two Int64. Flatbuffers are written from the end, so the second value comes first. */
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
  /** Number of bytes before the message. */
  readonly before?: number;
  /** Bytes left free at the end of the metadata. */
  readonly spare?: number;
  readonly take?: AcquireMemory;
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
  // The memory may hold bytes of an earlier message.
  bytes.fill(0, PREFIX + flatbuffer.length, metadataLength);
  let at = metadataLength;
  for (const buffer of buffers) {
    const end = at + aligned(buffer.byteLength);
    // A buffer that was already decoded at its final position is not copied.
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

/** Rounds up without bit operations, because lengths may exceed 2^31. */
function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

/** Bytes reserved before the columns. A matrix has few columns, so its metadata needs fewer bytes. */
const HEAD = 1024;

/**
 * Acquires memory for a message with room for columns of `lengths` bytes, so that values can be decoded in place. The
 * message ends with the last column.
 */
export function reserveMessage(lengths: readonly number[], take: AcquireMemory): ReservedMemory {
  const end = lengths.reduce((at, length) => at + aligned(length), HEAD);
  const memory = take(end);
  let at = HEAD;
  const reserved = lengths.map((length) => {
    const column = memory.subarray(at, at + length);
    at += aligned(length);
    return column;
  });
  // A column must not be stored in another column's memory.
  const isInPlace = (column: Column, i: number) => {
    if (column.layout !== "primitive" || column.validity !== null) return false;
    const { buffer, byteOffset, byteLength } = column.values;
    const own = reserved[i];
    return byteLength === own.length && (buffer !== own.buffer || byteOffset === own.byteOffset);
  };
  return {
    columns: reserved,
    take(bytes, columns) {
      if (!columns.every(isInPlace)) return null;
      return bytes > end ? new Uint8Array(bytes) : memory.subarray(end - bytes, end);
    },
  };
}
