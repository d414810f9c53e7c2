/** Gathers rows of a column in any order, including repeated rows. */

import { type Data, DataType } from "apache-arrow";
import { createRawData } from "../../arrow/apache/raw-data.js";
import { getBitmapByteLength } from "../../kernels/values/bitmap.js";
import { UnsupportedError } from "../../model/errors.js";
import { viewAsBytes } from "../../model/stored.js";

/** Maximum size of a gathered column in bytes. A few bytes in a file may represent any number of rows. */
const MAX_BYTES = 2 ** 28;

/** The number of bytes in memory that a column may still take. */
export class GatherBudget {
  #left = MAX_BYTES;

  constructor(readonly column: string) {}

  /**
   * Takes `bytes` bytes from the budget.
   * @throws {UnsupportedError} if more than 256 MiB have been taken in total.
   */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left >= 0) return;
    throw new UnsupportedError(
      `${this.column} unfolds to more than ${MAX_BYTES} bytes in one record batch; write it in smaller batches`,
    );
  }
}

/**
 * Gathers rows from `data`, which was loaded from a file and is not a slice of another column.
 * @throws {UnsupportedError} if the rows need more memory than `budget` has left.
 */
export function gather(data: Data, rows: Int32Array, budget: GatherBudget): Data {
  const { type, children } = data;
  const { length } = rows;
  if (DataType.isNull(type)) return createRawData(type, length, length, {});
  if (DataType.isUnion(type)) return gatherUnion(data, rows, budget);
  const { bitmap, nullCount } = gatherValidity(data, rows, budget);
  if (DataType.isStruct(type)) {
    const taken = children.map((child) => gather(child, rows, budget));
    return createRawData(type, length, nullCount, { bitmap }, taken);
  }
  if (DataType.isFixedSizeList(type)) {
    const { listSize } = type;
    budget.take(4 * length * listSize);
    const items = new Int32Array(length * listSize);
    for (let i = 0, at = 0; i < length; i++) {
      for (let k = 0; k < listSize; k++) items[at++] = rows[i] * listSize + k;
    }
    return createRawData(type, length, nullCount, { bitmap }, [gather(children[0], items, budget)]);
  }
  if (DataType.isBool(type)) {
    budget.take(length / 8);
    return createRawData(type, length, nullCount, { values: gatherBits(data.values, rows), bitmap });
  }
  if (data.valueOffsets !== undefined) {
    const offsets = gatherOffsets(data.valueOffsets, rows, budget);
    if (children.length === 0) {
      const values = gatherBytes(data, rows, Number(offsets[length]), budget);
      return createRawData(type, length, nullCount, { offsets, values, bitmap });
    }
    const items = gatherItems(data.valueOffsets, rows, Number(offsets[length]), budget);
    return createRawData(type, length, nullCount, { offsets, bitmap }, [gather(children[0], items, budget)]);
  }
  const values = gatherValues(data, rows, budget);
  return createRawData(type, length, nullCount, { values, bitmap }, [], data.dictionary);
}

/** Gathers rows from a union. For a dense union, all values in the children are kept, and only the offsets change. */
function gatherUnion({ type, typeIds, valueOffsets, children }: Data, rows: Int32Array, budget: GatherBudget): Data {
  const { length } = rows;
  budget.take(5 * length);
  const ids = Int8Array.from(rows, (row) => typeIds[row]);
  if (DataType.isDenseUnion(type)) {
    const offsets = Int32Array.from(rows, (row) => valueOffsets[row]);
    return createRawData(type, length, 0, { offsets, typeIds: ids }, children);
  }
  const taken = children.map((child) => gather(child, rows, budget));
  return createRawData(type, length, 0, { typeIds: ids }, taken);
}

function gatherValidity({ nullCount, nullBitmap }: Data, rows: Int32Array, budget: GatherBudget) {
  if (nullCount === 0) return { bitmap: undefined, nullCount: 0 };
  budget.take(rows.length / 8);
  const bitmap = gatherBits(nullBitmap, rows);
  let valid = 0;
  for (let i = 0; i < rows.length; i++) valid += (bitmap[i >> 3] >> (i & 7)) & 1;
  return { bitmap, nullCount: rows.length - valid };
}

function gatherBits(bits: Uint8Array, rows: Int32Array): Uint8Array {
  const out = new Uint8Array(getBitmapByteLength(rows.length));
  for (let i = 0; i < rows.length; i++) out[i >> 3] |= ((bits[rows[i] >> 3] >> (rows[i] & 7)) & 1) << (i & 7);
  return out;
}

type Offsets = Int32Array | BigInt64Array;

/**
 * Adds up the lengths of the gathered rows.
 * @throws {UnsupportedError} if the budget is exceeded or 32-bit offsets overflow.
 */
function gatherOffsets(given: Offsets, rows: Int32Array, budget: GatherBudget): Offsets {
  budget.take(given.BYTES_PER_ELEMENT * (rows.length + 1));
  const wide = given instanceof BigInt64Array;
  const offsets = wide ? new BigInt64Array(rows.length + 1) : new Int32Array(rows.length + 1);
  let total = 0;
  for (const [i, row] of rows.entries()) {
    total += Number(given[row + 1]) - Number(given[row]);
    if (total > MAX_BYTES) budget.take(total);
    offsets[i + 1] = wide ? BigInt(total) : total;
  }
  return offsets;
}

function gatherBytes({ values, valueOffsets }: Data, rows: Int32Array, total: number, budget: GatherBudget) {
  budget.take(total);
  const out = new Uint8Array(total);
  let at = 0;
  for (const row of rows) {
    const value = values.subarray(Number(valueOffsets[row]), Number(valueOffsets[row + 1]));
    out.set(value, at);
    at += value.length;
  }
  return out;
}

function gatherItems(offsets: Offsets, rows: Int32Array, total: number, budget: GatherBudget): Int32Array {
  budget.take(4 * total);
  const items = new Int32Array(total);
  let at = 0;
  for (const row of rows) {
    for (let item = Number(offsets[row]); item < Number(offsets[row + 1]); item++) items[at++] = item;
  }
  return items;
}

/** Gathers values of fixed width, regardless of their type. */
function gatherValues({ values, stride }: Data, rows: Int32Array, budget: GatherBudget) {
  const count = stride * rows.length;
  budget.take(values.BYTES_PER_ELEMENT * count);
  const out = new values.constructor(count);
  const [from, to] = [viewAsBytes(values), viewAsBytes(out)];
  const width = stride * values.BYTES_PER_ELEMENT;
  if (stride === 1) for (let i = 0; i < count; i++) out[i] = values[rows[i]];
  else for (const [i, row] of rows.entries()) to.set(from.subarray(row * width, (row + 1) * width), i * width);
  return out;
}
