import { convertFixedText } from "../../../kernels/text/fixed-text.js";
import { convertUtf32Text } from "../../../kernels/text/utf32.js";
import { InvalidDataError } from "../../../model/errors.js";
import { allocate, type NumberArray, type StoredValues, viewAsBytes } from "../../../model/stored.js";
import type { ZarrChunk } from "../codecs/codec.js";
import { type DataType, getItemSize, type RecordField } from "../metadata/data-type.js";

/** Memory for `count` items, which are converted to values after all of them have been written. */
export interface ValueTarget {
  /** The memory for items of fixed size; undefined for items of variable size. */
  readonly bytes: Uint8Array | undefined;
  finish(chunk: ZarrChunk): StoredValues;
}

/** True if decoded items are already the final values. */
export function isStoredAsValues({ stored, layout }: DataType): boolean {
  return layout.kind === "fixed" && stored.kind !== "text" && stored.kind !== "unsupported";
}

/**
 * Allocates memory for `count` items of `type`. If items are the final values, the memory is the resulting typed array.
 */
export function createValueTarget(type: DataType, count: number): ValueTarget {
  if (type.layout.kind === "variable") return { bytes: undefined, finish: variable };
  const size = getItemSize(type.layout) ?? 0;
  if (type.stored.kind === "record" || type.stored.kind === "text") {
    const bytes = new Uint8Array(size * count);
    return { bytes, finish: () => convert(type, bytes, count) };
  }
  const values: NumberArray = allocate(type.stored, count);
  const bytes = viewAsBytes(values);
  return { bytes, finish: () => ({ kind: "fixed", values }) };
}

function variable(chunk: ZarrChunk): StoredValues {
  if (chunk.kind !== "variable") throw new TypeError("fixed items where variable ones are expected");
  return chunk;
}

function convert(type: DataType, bytes: Uint8Array, count: number): StoredValues {
  const { stored, layout } = type;
  if (layout.kind === "record") {
    return {
      kind: "record",
      length: count,
      fields: layout.fields.map((field) => column(field, bytes, layout.size, count)),
    };
  }
  if (stored.kind === "text" && stored.storage.form === "fixed") {
    const { width, encoding, padding } = stored.storage;
    if (width * count > 2 ** 31 - 1) {
      throw new InvalidDataError(`${count} texts of ${width} bytes, at most ${2 ** 31 - 1} bytes at once`);
    }
    const text =
      encoding === "utf-32" ? convertUtf32Text(bytes, width, count) : convertFixedText(bytes, width, count, padding);
    return { kind: "variable", ...text };
  }
  const values = allocate(stored, count);
  viewAsBytes(values).set(bytes);
  return { kind: "fixed", values };
}

/** Collects one field of every record. */
function column(field: RecordField, records: Uint8Array, recordSize: number, count: number): StoredValues {
  const each = field.shape.reduce((a, b) => a * b, 1);
  const size = each * (getItemSize(field.type.layout) ?? 0);
  const bytes = new Uint8Array(size * count);
  for (let i = 0, from = field.offset, to = 0; i < count; i++, from += recordSize, to += size) {
    for (let byte = 0; byte < size; byte++) bytes[to + byte] = records[from + byte];
  }
  return convert(field.type, bytes, each * count);
}
