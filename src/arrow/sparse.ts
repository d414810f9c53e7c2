/** Converts CSR and CSC (pointers, indices, data) to a coordinate table, lists of entries, or dense rows. */

import { findOutOfRangeIndex, narrowWithin, widenToInt64 } from "../kernels/sparse/indices.js";
import { expandPointers } from "../kernels/sparse/indptr.js";
import { InvalidDataError } from "../model/errors.js";
import type { IntArray, NumberArray } from "../model/stored.js";
import type { Column, ListColumn, PrimitiveColumn } from "./column.js";
import { type ArrowField, type ArrowType, createField, getCoordinateType } from "./type.js";

/**
 * Makes a coordinate column of stored minor indices.
 * @param first position of indices[0] in the whole array, for messages.
 * @param take allocates memory for the column's bytes at a multiple of 8; called only if memory is needed.
 * @throws {InvalidDataError} for an index outside [0, size).
 */
export function createMinorColumn(indices: IntArray, size: number, first: number, take = fresh): PrimitiveColumn {
  const type = getCoordinateType(size);
  const values = type.bits === 64 ? widenToInt64(indices) : int32For(indices, take);
  const narrow = values instanceof Int32Array && values.buffer !== indices.buffer;
  const wrong = narrow ? narrowWithin(indices, size, values) : findOutOfRangeIndex(indices, size);
  if (wrong >= 0) {
    throw new InvalidDataError(`indices[${first + wrong}] is ${indices[wrong]}, outside 0 … ${size - 1}`);
  }
  return { layout: "primitive", type, length: indices.length, validity: null, values };
}

/** Makes a coordinate column of minor indices that have already been checked. */
export function createCheckedMinorColumn(indices: IntArray, size: number): PrimitiveColumn {
  if (!(indices instanceof Uint32Array || indices instanceof Int32Array)) return createMinorColumn(indices, size, 0);
  const type = getCoordinateType(size);
  const values = type.bits === 64 ? widenToInt64(indices) : int32For(indices, fresh);
  return { layout: "primitive", type, length: indices.length, validity: null, values };
}

/** Returns 32-bit indices as Int32 in the same memory, and other indices in newly allocated memory. */
function int32For(indices: IntArray, take: (bytes: number) => Uint8Array): Int32Array {
  if (indices instanceof Uint32Array) return new Int32Array(indices.buffer, indices.byteOffset, indices.length);
  if (indices instanceof Int32Array) return indices;
  const { buffer, byteOffset } = take(4 * indices.length);
  return new Int32Array(buffer, byteOffset, indices.length);
}

export const fresh = (bytes: number): Uint8Array => new Uint8Array(bytes);

/** Pointers of the major positions `first`, `first` + 1, … */
export interface MajorPointers {
  readonly pointers: Float64Array;
  readonly first: number;
}

/**
 * Makes a column with the major coordinates of the entries [start, end), which `pointers` cover.
 * @param size length of the major axis.
 * @param take allocates memory for the column's bytes, at a multiple of 8.
 */
export function createMajorColumn(
  { pointers, first }: MajorPointers,
  [start, end]: readonly [start: number, end: number],
  size: number,
  take = fresh,
): PrimitiveColumn {
  const type = getCoordinateType(size);
  const { buffer, byteOffset } = take((end - start) * (type.bits / 8));
  const values =
    type.bits === 64
      ? new BigInt64Array(buffer, byteOffset, end - start)
      : new Int32Array(buffer, byteOffset, end - start);
  expandPointers(pointers, first, start, end, values);
  return { layout: "primitive", type, length: end - start, validity: null, values };
}

/** The only field of the list layout: `entries: List<Struct<index, value>>`. */
export function createEntriesField(minorSize: number, value: ArrowType): ArrowField {
  const item: ArrowType = {
    id: "Struct",
    fields: [createField("index", getCoordinateType(minorSize), false), createField("value", value, false)],
  };
  return createField("entries", { id: "List", item: createField("item", item, false) }, false);
}

/** Makes a list for each whole row (or column) that holds its entries; the stored arrays are not copied. */
export function createEntriesColumn(pointers: Float64Array, index: PrimitiveColumn, value: Column): ListColumn {
  const { type } = createEntriesField(index.type.id === "Int" && index.type.bits === 64 ? 2 ** 32 : 0, value.type);
  if (type.id !== "List" || type.item.type.id !== "Struct") throw new TypeError("a list of structs expected");
  const offsets = Int32Array.from(pointers, (pointer) => pointer - pointers[0]);
  return {
    layout: "list",
    type,
    length: pointers.length - 1,
    validity: null,
    offsets,
    child: { layout: "struct", type: type.item.type, length: index.length, validity: null, children: [index, value] },
  };
}

/** Entries of a sparse matrix: the row, the column and the value of each. */
export interface MatrixEntries {
  /** Rows relative to the first row of the batch. */
  readonly rows: Int32Array;
  readonly cols: Int32Array;
  readonly values: NumberArray;
}

/**
 * Adds entries to a block of dense row-major rows, as scipy's `toarray` does: entries at the same position are summed,
 * and booleans are combined with OR. Entries outside the block's rows are left out.
 */
export function scatterEntries(
  block: NumberArray,
  width: number,
  { rows, cols, values }: MatrixEntries,
  boolean: boolean,
): void {
  const height = width === 0 ? 0 : block.length / width;
  for (let i = 0; i < values.length; i++) {
    if (rows[i] < 0 || rows[i] >= height) continue;
    const at = rows[i] * width + cols[i];
    if (boolean) block[at] = block[at] || values[i] ? 1 : 0;
    else addTo(block, at, values[i]);
  }
}

function addTo(block: NumberArray, at: number, value: number | bigint): void {
  const old = block[at];
  if (typeof old === "bigint" && typeof value === "bigint") block[at] = old + value;
  else if (typeof old === "number" && typeof value === "number") block[at] = old + value;
}
