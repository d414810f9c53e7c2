import { swapBytes } from "../../../kernels/values/byte-order.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { StoredField, StoredType } from "../../../model/stored.js";

/**
 * A Zarr data type: the type of the values, and the layout of one item in a decoded chunk. Both notations (numpy's in
 * v2, names in v3) are converted to this form.
 */
export interface DataType {
  readonly stored: StoredType;
  readonly layout: ItemLayout;
}

/**
 * The layout of an item. `createFixedType`: every item has `size` bytes, divided into words of `word` bytes (a complex
 * number has two). `big` is true if numpy's type string declares big-endian; in v3 the `bytes` codec determines the
 * byte order of all words instead.
 *
 * `record`: the fields one after another, without padding; `depth` is the nesting depth of records.
 *
 * `variable`: items are created by an object codec and have no fixed size.
 *
 * `createUnsupportedType`: a type that has a name but cannot be read.
 */
export type ItemLayout =
  | { readonly kind: "fixed"; readonly size: number; readonly word: number; readonly big: boolean }
  | { readonly kind: "record"; readonly size: number; readonly fields: readonly RecordField[]; readonly depth: number }
  | { readonly kind: "variable" }
  | { readonly kind: "unsupported" };

export interface RecordField {
  readonly name: string;
  readonly type: DataType;
  /** The shape of the subarray; `[]` for a single value. */
  readonly shape: readonly number[];
  /** Bytes from the start of the record. */
  readonly offset: number;
}

/** A range of words in an item, whose bytes must be reversed word by word. */
export interface WordRange {
  readonly offset: number;
  readonly size: number;
  readonly count: number;
}

/** Creates a data type whose items have `size` bytes, divided into words of `word` bytes. */
export function createFixedType(stored: StoredType, size: number, word: number, big = false): DataType {
  return { stored, layout: { kind: "fixed", size, word, big: big && word > 1 } };
}

export const VARIABLE_TEXT: DataType = {
  stored: { kind: "text", storage: { form: "variable", encoding: "utf-8" } },
  layout: { kind: "variable" },
};

export const VARIABLE_BYTES: DataType = { stored: { kind: "bytes", width: null }, layout: { kind: "variable" } };

export function createUnsupportedType(name: string): DataType {
  return { stored: { kind: "unsupported", name }, layout: { kind: "unsupported" } };
}

/** Maximum number of dimensions in an array or field, the same as in numpy. */
const MAX_DIMENSIONS = 64;
/** Maximum nesting depth of records, the same as in HDF5. The limit bounds the recursion. */
const MAX_DEPTH = 32;

/** @throws {UnsupportedError} for more dimensions than numpy has. */
export function checkDimensions(shape: readonly number[]): void {
  if (shape.length <= MAX_DIMENSIONS) return;
  throw new UnsupportedError(`${shape.length} dimensions; at most ${MAX_DIMENSIONS} are read, as many as numpy has`);
}

/**
 * Creates a structured type from these fields, one after another. The type is unsupported if one of the fields is.
 * @throws {InvalidDataError} if there are no fields.
 * @throws {UnsupportedError} if the records or the shapes of fields are nested too deeply.
 */
export function record(fields: readonly { name: string; type: DataType; shape: readonly number[] }[]): DataType {
  const placed: RecordField[] = [];
  const stored: StoredField[] = [];
  if (fields.length === 0) throw new InvalidDataError("a record type has no fields");
  let offset = 0;
  let depth = 1;
  for (const field of fields) {
    checkDimensions(field.shape);
    if (field.type.layout.kind === "record") depth = Math.max(depth, field.type.layout.depth + 1);
    if (depth > MAX_DEPTH) throw new UnsupportedError(`a record type is nested more than ${MAX_DEPTH} deep`);
    const size = getItemSize(field.type.layout);
    if (size === null)
      return createUnsupportedType(`record with field ${JSON.stringify(field.name)} of ${nameOf(field.type)}`);
    placed.push({ ...field, offset });
    stored.push({ name: field.name, type: field.type.stored, shape: field.shape });
    offset += field.shape.reduce((a, b) => a * b, size);
  }
  return {
    stored: { kind: "record", fields: stored },
    layout: { kind: "record", size: offset, fields: placed, depth },
  };
}

/** Returns the size of a decoded item in bytes; null if items have no fixed size. */
export function getItemSize(layout: ItemLayout): number | null {
  return layout.kind === "fixed" || layout.kind === "record" ? layout.size : null;
}

/** Returns the words in one item. With `bigOnly`, returns only words that the type itself declares big-endian. */
export function listItemWords(layout: ItemLayout, bigOnly: boolean): WordRange[] {
  switch (layout.kind) {
    case "fixed":
      if (layout.word === 1 || layout.size === 0 || (bigOnly && !layout.big)) return [];
      return [{ offset: 0, size: layout.word, count: layout.size / layout.word }];
    case "record":
      return layout.fields.flatMap((field) => {
        const count = field.shape.reduce((a, b) => a * b, 1);
        const size = getItemSize(field.type.layout) ?? 0;
        return listItemWords(field.type.layout, bigOnly).flatMap((words) =>
          // A field with one kind of word is a single range, whatever its subarray.
          words.offset === 0 && words.size * words.count === size
            ? [{ offset: field.offset, size: words.size, count: words.count * count }]
            : Array.from({ length: count }, (_, i) => ({ ...words, offset: field.offset + i * size + words.offset })),
        );
      });
    case "variable":
    case "unsupported":
      return [];
    default:
      return layout satisfies never;
  }
}

function nameOf(type: DataType): string {
  return type.stored.kind === "unsupported" ? `type ${type.stored.name}` : `type ${type.stored.kind}`;
}

/** Reverses the bytes of these words in every item of `size` bytes, in place. */
export function swapWords(bytes: Uint8Array, size: number, words: readonly WordRange[]): void {
  for (const run of words) {
    const length = run.size * run.count;
    if (length === size) {
      swapBytes(bytes, run.size);
      continue;
    }
    for (let item = run.offset; item < bytes.length; item += size) {
      swapBytes(bytes.subarray(item, item + length), run.size);
    }
  }
}
