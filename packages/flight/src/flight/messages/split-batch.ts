/** Splits record batches that exceed the largest message size. */

import type { ArrowField, ArrowType, Column } from "annarrow/core/arrow";
import { emptyColumn, emptyNumbers, takeColumn } from "annarrow/core/arrow";
import type { BatchHeader } from "annarrow/core/ipc";
import { type EncodedBatch, encodeBatchMessage } from "annarrow/core/ipc";
import { viewAsBytes, viewLike } from "annarrow/core/model";

/**
 * Splits the rows of `message` into messages of at most `maxBytes`, in order. A small message is returned unchanged,
 * and a single row is sent alone, whatever its size.
 * @param fields fields of the message's columns; the message was made by this library's encoder.
 */
export async function* splitBatch(
  message: EncodedBatch,
  fields: readonly ArrowField[],
  maxBytes: number,
): AsyncGenerator<EncodedBatch> {
  if (message.bytes.length <= maxBytes || message.rows <= 1) return yield message;
  yield* pieces(await decodeBatchColumns(message, fields), [0, message.rows], message.bytes.length, maxBytes);
}

/** @param bytes approximate size of the rows in bytes. */
function* pieces(
  columns: readonly Column[],
  [start, end]: readonly [number, number],
  bytes: number,
  maxBytes: number,
): Generator<EncodedBatch> {
  const rows = end - start;
  // Rows differ in size, so some spare room is needed.
  const count = Math.max(2, Math.ceil((1.1 * bytes) / maxBytes));
  const step = Math.max(1, Math.ceil(rows / count));
  for (let at = start; at < end; at += step) {
    const to = Math.min(end, at + step);
    const places = Int32Array.from({ length: to - at }, (_, i) => at + i);
    const message = encodeBatchMessage(
      columns.map((column) => takeColumn(column, places)),
      to - at,
    );
    if (message.bytes.length <= maxBytes || message.rows === 1) yield message;
    else yield* pieces(columns, [at, to], message.bytes.length, maxBytes);
  }
}

/** @param fields fields of the columns of `message`, which this library's encoder has made, without dictionaries. */
async function decodeBatchColumns(message: EncodedBatch, fields: readonly ArrowField[]): Promise<readonly Column[]> {
  const { readMessage, removeMessagePrefix } = await import("annarrow/core/ipc");
  const { header } = readMessage(removeMessagePrefix(message.bytes.subarray(0, message.metadataLength)));
  if (header.kind !== "batch") throw new TypeError(`a ${header.kind} where a record batch should be`);
  const parts = new Parts(header.batch, message.bytes.subarray(message.metadataLength));
  return fields.map(({ type }) => parts.column(type));
}

/** Reads nodes and buffers in the order in which `columnBuffers` writes them. */
class Parts {
  readonly #header: BatchHeader;
  readonly #body: Uint8Array;
  #node = 0;
  #buffer = 0;

  constructor(header: BatchHeader, body: Uint8Array) {
    this.#header = header;
    this.#body = body;
  }

  column(type: ArrowType): Column {
    const { length, nullCount } = this.#header.nodes[this.#node++];
    if (type.id === "Null") return { layout: "null", type, length, validity: null };
    if (type.id === "DenseUnion") {
      const typeIds = viewLike(new Int8Array(), this.#bytes());
      const offsets = viewLike(new Int32Array(), this.#bytes());
      if (!(typeIds instanceof Int8Array) || !(offsets instanceof Int32Array))
        throw new TypeError("views of another kind");
      const children = type.fields.map((field) => this.column(field.type));
      return { layout: "union", type, length, validity: null, typeIds, offsets, children };
    }
    const bitmap = this.#bytes();
    const validity = nullCount === 0 ? null : { bitmap, nullCount };
    switch (type.id) {
      case "Bool":
      case "FixedSizeBinary":
        return { layout: "primitive", type, length, validity, values: this.#bytes() };
      case "Int":
      case "Float":
      case "Date32":
      case "Timestamp":
      case "Duration":
        return { layout: "primitive", type, length, validity, values: viewLike(emptyNumbers(type), this.#bytes()) };
      case "Utf8":
      case "Binary":
        return { layout: "variable", type, length, validity, offsets: this.#offsets(), bytes: this.#bytes() };
      case "List":
        return { layout: "list", type, length, validity, offsets: this.#offsets(), child: this.column(type.item.type) };
      case "FixedSizeList":
        return { layout: "fixed-size-list", type, length, validity, child: this.column(type.item.type) };
      case "Struct":
        return {
          layout: "struct",
          type,
          length,
          validity,
          children: type.fields.map((field) => this.column(field.type)),
        };
      case "Dictionary": {
        const indices = viewLike(emptyNumbers(type.index), this.#bytes());
        return { layout: "dictionary", type, length, validity, indices, dictionary: emptyColumn(type.value) };
      }
      default:
        return type satisfies never;
    }
  }

  #bytes(): Uint8Array {
    const { start, end } = this.#header.buffers[this.#buffer++];
    return this.#body.subarray(start, end);
  }

  #offsets(): Int32Array {
    const bytes = viewAsBytes(this.#bytes());
    return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  }
}
