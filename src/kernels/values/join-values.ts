/** Joins the decoded values of successive ranges. */

import { InvalidInputError } from "../../model/errors.js";
import {
  createZeros,
  type FixedValues,
  type NumberArray,
  type RecordValues,
  type SequenceValues,
  type StoredValues,
  type VariableValues,
  viewAsBytes,
} from "../../model/stored.js";

/** Maximum number of text bytes that Arrow's 32-bit offsets can address. */
const MAX_TEXT_BYTES = 2 ** 31 - 1;

/** @throws {InvalidInputError} if `bytes` bytes of text are too many for one read. */
export function checkTextBytes(bytes: number): void {
  if (bytes > MAX_TEXT_BYTES) {
    throw new InvalidInputError(`${bytes} bytes of text in one read; at most ${MAX_TEXT_BYTES}: read fewer rows`);
  }
}

/** Joins the parts in order. There must be at least one part, and all must have the same type. */
export function joinValues(parts: readonly StoredValues[]): StoredValues {
  const [first] = parts;
  if (parts.length === 1) return first;
  switch (first.kind) {
    case "fixed":
      return joinFixed(parts.filter((part) => part.kind === "fixed"));
    case "variable":
      return joinVariable(parts.filter((part) => part.kind === "variable"));
    case "record":
      return joinRecords(parts.filter((part) => part.kind === "record"));
    case "sequence":
      return joinSequences(parts.filter((part) => part.kind === "sequence"));
    default:
      return first satisfies never;
  }
}

function joinFixed(parts: readonly FixedValues[]): FixedValues {
  const arrays = parts.map((part) => part.values);
  const values = createZeros(
    arrays[0],
    arrays.reduce((sum, array) => sum + array.length, 0),
  );
  const out = viewAsBytes(values);
  let at = 0;
  for (const array of arrays) {
    if (array.length <= FEW) copyFew(array, values, at / array.BYTES_PER_ELEMENT);
    else out.set(viewAsBytes(array), at);
    at += array.byteLength;
  }
  return { kind: "fixed", values };
}

/**
 * Up to this number, values are copied one by one. Reading `buffer` of a short array moves its values to separate
 * memory, which costs more than the copy.
 */
const FEW = 8;

/** Copies a few numbers. Both arrays must have the same type. */
function copyFew(from: NumberArray, to: NumberArray, at: number): void {
  // Copying floats as numbers would change the bits of a signalling NaN.
  if (from instanceof Float64Array && to instanceof Float64Array) to.set(from, at);
  else if (from instanceof Float32Array && to instanceof Float32Array) to.set(from, at);
  else for (let i = 0; i < from.length; i++) to[at + i] = from[i];
}

function joinVariable(parts: readonly VariableValues[]): VariableValues {
  const count = parts.reduce((sum, part) => sum + part.offsets.length - 1, 0);
  const total = parts.reduce((sum, part) => sum + part.bytes.length, 0);
  checkTextBytes(total);
  const offsets = new Int32Array(count + 1);
  const bytes = new Uint8Array(total);
  let at = 0;
  let base = 0;
  for (const part of parts) {
    shift(part.offsets, base, offsets, at);
    bytes.set(part.bytes, base);
    at += part.offsets.length - 1;
    base += part.bytes.length;
  }
  return { kind: "variable", offsets, bytes };
}

/** Writes offsets, each increased by `by`, starting at `at`. */
function shift(offsets: Int32Array, by: number, out: Int32Array, at: number): void {
  if (by === 0) out.set(offsets, at);
  else for (let i = 0; i < offsets.length; i++) out[at + i] = offsets[i] + by;
}

function joinSequences(parts: readonly SequenceValues[]): SequenceValues {
  const count = parts.reduce((sum, part) => sum + part.offsets.length - 1, 0);
  const offsets = new Int32Array(count + 1);
  let at = 0;
  let base = 0;
  for (const part of parts) {
    shift(part.offsets, base, offsets, at);
    at += part.offsets.length - 1;
    base += part.offsets[part.offsets.length - 1];
    if (base > MAX_TEXT_BYTES)
      throw new InvalidInputError(`${base} items in one read; at most ${MAX_TEXT_BYTES}: read fewer rows`);
  }
  return { kind: "sequence", offsets, values: joinValues(parts.map((part) => part.values)) };
}

function joinRecords(parts: readonly RecordValues[]): RecordValues {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const fields = parts[0].fields.map((_, i) => joinValues(parts.map((part) => part.fields[i])));
  return { kind: "record", length, fields };
}
