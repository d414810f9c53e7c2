/** Encodes values as element bytes. */

import { InvalidInputError } from "../../../../model/errors.js";
import {
  countElements,
  type RecordValues,
  type StoredField,
  type StoredType,
  type StoredValues,
  type VariableValues,
  viewAsBytes,
} from "../../../../model/stored.js";

import type { GlobalHeapWriter, HeapValues } from "../space/global-heap.js";
import { countElementBytes, countFieldBytes, POINTER_BYTES } from "./element-bytes.js";

/**
 * Encodes the elements [from, to). The result may be a view of the values' own memory.
 * @param values values that `checkValues` has checked; `heap` receives the variable-length values.
 * @throws {InvalidInputError} for text that its type cannot hold.
 */
export function encodeElements(
  type: StoredType,
  values: StoredValues,
  from: number,
  to: number,
  heap: GlobalHeapWriter,
): Uint8Array {
  switch (values.kind) {
    case "fixed": {
      const bytes = countElementBytes(type);
      return viewAsBytes(values.values).subarray(from * bytes, to * bytes);
    }
    case "variable":
      return encodeVariable(type, values, from, to, heap);
    case "record":
      return encodeRecords(type.kind === "record" ? type.fields : [], values, from, to, heap);
    case "sequence": {
      const { offsets } = values;
      if (type.kind !== "sequence") throw new TypeError("sequence values have a sequence type");
      const { item, shape = [] } = type;
      const unit = countElementBytes(item) * countElements(shape);
      // Only the items of these sequences are encoded, so the offsets must be counted from the first item.
      const bytes = encodeElements(
        item,
        values.values,
        offsets[from] * countElements(shape),
        offsets[to] * countElements(shape),
        heap,
      );
      const moved = offsets.subarray(from, to + 1).map((offset) => offset - offsets[from]);
      return pointers({ offsets: moved, bytes, unit, emptyObjects: false }, 0, to - from, heap);
    }
    default:
      return values satisfies never;
  }
}

function encodeVariable(
  type: StoredType,
  { offsets, bytes }: VariableValues,
  from: number,
  to: number,
  heap: GlobalHeapWriter,
): Uint8Array {
  if (type.kind === "text" && type.storage.form === "fixed") {
    return fixedText(offsets, bytes, from, to, type.storage.width, type.storage.padding);
  }
  const isText = type.kind === "text";
  if (isText) {
    const nul = bytes.subarray(0, offsets[to]).indexOf(0, offsets[from]);
    if (nul >= 0) throw new InvalidInputError("text with a NUL, at which HDF5's text of variable length ends");
  }
  return pointers({ offsets, bytes, unit: 1, emptyObjects: isText }, from, to, heap);
}

function pointers(values: HeapValues, from: number, to: number, heap: GlobalHeapWriter): Uint8Array {
  const elements = new Uint32Array(((to - from) * POINTER_BYTES) / 4);
  heap.put(values, from, to, elements);
  return viewAsBytes(elements);
}

/** Encodes consecutive fields without gaps. */
function encodeRecords(
  fields: readonly StoredField[],
  values: RecordValues,
  from: number,
  to: number,
  heap: GlobalHeapWriter,
): Uint8Array {
  const step = fields.reduce((sum, field) => sum + countFieldBytes(field), 0);
  const out = new Uint8Array((to - from) * step);
  let offset = 0;
  fields.forEach((field, f) => {
    const size = countFieldBytes(field);
    const items = countElements(field.shape);
    const column = encodeElements(field.type, values.fields[f], from * items, to * items, heap);
    for (let i = 0, at = offset, start = 0; i < to - from; i++, at += step) {
      for (const end = start + size; start < end; start++) out[at + start - i * size] = column[start];
    }
    offset += size;
  });
  return out;
}

type Padding = "nullterm" | "nullpad" | "spacepad";

const SPACE = 0x20;

/**
 * Encodes the values [from, to), each padded to `width` bytes.
 * @throws {InvalidInputError} for a value that is longer, or that readers would cut off at its padding.
 */
function fixedText(
  offsets: Int32Array,
  bytes: Uint8Array,
  from: number,
  to: number,
  width: number,
  padding: Padding,
): Uint8Array {
  const out = new Uint8Array((to - from) * width);
  if (padding === "spacepad") out.fill(SPACE);
  for (let i = from, at = 0; i < to; i++, at += width) {
    const [start, end] = [offsets[i], offsets[i + 1]];
    if (end - start > width) {
      throw new InvalidInputError(`text of ${end - start} bytes where the type has ${width}`);
    }
    for (let k = start; k < end; k++) out[at + k - start] = bytes[k];
    checkEnd(bytes, start, end, padding);
  }
  return out;
}

/** Rejects text that readers would end too early, because it contains the terminating NUL or ends like the padding. */
function checkEnd(bytes: Uint8Array, start: number, end: number, padding: Padding): void {
  if (end === start) return;
  switch (padding) {
    case "nullterm":
      for (let k = start; k < end; k++)
        if (bytes[k] === 0) throw new InvalidInputError("text with a NUL, at which it ends");
      return;
    case "nullpad":
      if (bytes[end - 1] === 0) throw new InvalidInputError("text that ends in a NUL, which would pass for padding");
      return;
    case "spacepad":
      if (bytes[end - 1] === SPACE || bytes[end - 1] === 0) {
        throw new InvalidInputError("text that ends in a space or NUL, which would pass for padding");
      }
      return;
    default:
      padding satisfies never;
  }
}
