/**
 * Messages in Arrow's IPC format, whose declared sizes are checked against their actual bytes, and the buffers in their
 * bodies. Slots are numbered as in Message.fbs and File.fbs, which define the format.
 */

import { decodeLz4Frame } from "../../kernels/codecs/lz4/frame.js";
import { decodeZstd } from "../../kernels/codecs/zstd/zstd.js";
import { InvalidDataError, UnsupportedError } from "../../model/errors.js";
import { CONTINUATION, HEADER, METADATA_VERSION } from "../flatbuffers/format.js";
import { FlatBuffer, type FlatTable } from "../flatbuffers/reader.js";
import { type FileSchema, parseKeyValues, readSchema } from "./schema.js";

export type BodyCompression = "lz4" | "zstd" | null;

/** The length and null count of a column or child column. */
export interface FieldNode {
  readonly length: number;
  readonly nullCount: number;
}

export interface Region {
  readonly start: number;
  readonly end: number;
}

export interface BatchHeader {
  readonly rows: number;
  readonly nodes: readonly FieldNode[];
  readonly buffers: readonly Region[];
  readonly compression: BodyCompression;
  /** Number of data buffers for each column of views. */
  readonly viewBuffers: readonly number[];
  /** Whether unions have a validity bitmap, as they had before version 1.0 of the format. */
  readonly unionBitmaps: boolean;
}

export type Header =
  | { readonly kind: "schema"; readonly schema: FileSchema }
  | { readonly kind: "dictionary"; readonly id: bigint; readonly delta: boolean; readonly batch: BatchHeader }
  | { readonly kind: "batch"; readonly batch: BatchHeader };

export interface Message {
  readonly header: Header;
  readonly bodyLength: number;
}

/** Returns a message's metadata without the prefix, which is a length, preceded by a marker since version 0.15. */
export function removeMessagePrefix(bytes: Uint8Array): Uint8Array {
  if (bytes.length < 8) throw new InvalidDataError(`a message has ${bytes.length} bytes of metadata`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = view.getUint32(0, true) === CONTINUATION ? 8 : 4;
  const length = view.getInt32(start - 4, true);
  if (length < 0 || start + length > bytes.length) {
    throw new InvalidDataError(`a message says ${length} bytes of metadata, there are ${bytes.length - start}`);
  }
  return bytes.subarray(start, start + length);
}

/**
 * Reads the metadata of a message.
 * @param metadata the flatbuffer `Message`.
 * @param maxColumns maximum number of columns in a schema.
 * @throws {InvalidDataError} if it violates the format, {UnsupportedError} for versions other than V4 and V5.
 */
export function readMessage(metadata: Uint8Array, maxColumns?: number): Message {
  const message = new FlatBuffer(metadata).root();
  const version = checkedVersion(message);
  const bodyLength = message.length(3);
  const header = message.table(2);
  const type = message.uint8(1);
  if (header === null) throw new InvalidDataError("a message has no header");
  switch (type) {
    case HEADER.schema:
      return { bodyLength, header: { kind: "schema", schema: readSchema(header, maxColumns) } };
    case HEADER.dictionary: {
      const batch = header.table(1);
      if (batch === null) throw new InvalidDataError("a dictionary has no values");
      const delta = header.bool(2);
      return {
        bodyLength,
        header: { kind: "dictionary", id: header.int64(0), delta, batch: batchHeader(message, batch, version) },
      };
    }
    case HEADER.batch:
      return { bodyLength, header: { kind: "batch", batch: batchHeader(message, header, version) } };
    default:
      throw new UnsupportedError(`a message of the kind ${type}; schemas, dictionaries and record batches are read`);
  }
}

function checkedVersion(table: FlatTable): number {
  const version = table.int16(0);
  if (version === METADATA_VERSION.V4 || version === METADATA_VERSION.V5) return version;
  throw new UnsupportedError(`the metadata have the version V${version + 1}; V4 and V5 are read`);
}

function batchHeader(message: FlatTable, table: FlatTable, version: number): BatchHeader {
  const { buffer } = table;
  const bodyLength = message.length(3);
  const nodes = table.list(1, 16).map((at) => ({ length: buffer.size(at), nullCount: buffer.size(at + 8) }));
  const buffers = table.list(2, 16).map((at) => {
    const start = buffer.size(at);
    const end = start + buffer.size(at + 8);
    if (end > bodyLength) {
      throw new InvalidDataError(`a buffer ends at byte ${end} of a message's body of ${bodyLength} bytes`);
    }
    return { start, end };
  });
  const viewBuffers = table.list(4, 8).map((at) => buffer.size(at));
  const compression = compressionOf(table.table(3)) ?? earlyCompression(message);
  return {
    rows: table.length(0),
    nodes,
    buffers,
    viewBuffers,
    compression,
    unionBitmaps: version === METADATA_VERSION.V4,
  };
}

function compressionOf(table: FlatTable | null): BodyCompression {
  if (table === null) return null;
  const codec = table.uint8(0);
  if (codec > 1) throw new UnsupportedError(`buffers are compressed by codec ${codec}; 0 (LZ4) and 1 (zstd) are read`);
  return codec === 0 ? "lz4" : "zstd";
}

/**
 * Reads the codec from Arrow 0.17, which compressed buffers before the format had a field for the codec, and stored it
 * under a key in the custom metadata.
 */
function earlyCompression(message: FlatTable): BodyCompression {
  const said = parseKeyValues(message, 4).get("ARROW:experimental_compression");
  if (said === undefined) return null;
  const codec = said.toLowerCase();
  if (codec === "lz4" || codec === "zstd") return codec;
  throw new UnsupportedError(`buffers are compressed by ${said}, as Arrow 0.17 could; lz4 and zstd are read`);
}

export interface FileBlock {
  readonly offset: number;
  readonly metadataLength: number;
  readonly bodyLength: number;
}

export interface Footer {
  readonly schema: FileSchema;
  readonly dictionaries: readonly FileBlock[];
  readonly batches: readonly FileBlock[];
}

export function readFooter(bytes: Uint8Array, maxColumns?: number): Footer {
  const footer = new FlatBuffer(bytes).root();
  // Java's writers before 1.0 omit the version in the footer, but the messages contain their own version.
  if (footer.int16(0) !== 0) checkedVersion(footer);
  const schema = footer.table(1);
  if (schema === null) throw new InvalidDataError("the footer has no schema");
  return { schema: readSchema(schema, maxColumns), dictionaries: blocks(footer, 2), batches: blocks(footer, 3) };
}

function blocks(footer: FlatTable, slot: number): FileBlock[] {
  const { buffer } = footer;
  return footer.list(slot, 24).map((at) => {
    const block = { offset: buffer.size(at), metadataLength: buffer.int32(at + 8), bodyLength: buffer.size(at + 16) };
    if (block.metadataLength < 8) {
      throw new InvalidDataError(`a message at byte ${block.offset} has ${block.metadataLength} bytes of metadata`);
    }
    return block;
  });
}

/** Maximum size of a buffer in bytes. Some engines do not support larger typed arrays. */
const MAX_BYTES = 2 ** 31 - 1;

/**
 * Copies and decompresses a buffer. The copy is needed because values must be aligned, and because apache-arrow writes
 * corrupt streams if columns share memory in a different order.
 */
export async function decodeBodyBuffer(bytes: Uint8Array, compression: BodyCompression): Promise<Uint8Array> {
  if (compression === null || bytes.length === 0) return bytes.slice();
  if (bytes.length < 8) throw new InvalidDataError(`a compressed buffer has ${bytes.length} bytes`);
  const declared = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigInt64(0, true);
  const packed = bytes.subarray(8);
  // -1 marks an uncompressed buffer. Compression would not have made it smaller.
  if (declared === -1n) return packed.slice();
  if (declared < 0n || declared > BigInt(MAX_BYTES)) {
    throw new InvalidDataError(`a compressed buffer says that it has ${declared} bytes`);
  }
  const size = Number(declared);
  if (size === 0) return new Uint8Array(0);
  const plain =
    compression === "lz4" ? decodeLz4Frame(packed, size) : await decodeZstd(packed, { bytes: size, exact: true });
  return plain.byteOffset === 0 && plain.buffer.byteLength === plain.length ? plain : plain.slice();
}
