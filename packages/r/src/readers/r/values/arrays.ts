/** Makes stored arrays from values in memory, because an R file is always read completely. */

import { InvalidDataError, InvalidInputError } from "annarrow";
import { NA_INTEGER, sliceRows } from "annarrow/core/kernels";
import {
  countElements,
  createZeros,
  type NumberArray,
  type StoredType,
  type StoredValues,
  type VariableValues,
  viewAsBytes,
} from "annarrow/core/model";
import type { StoredArray } from "annarrow/format";

export const INT32: StoredType = { kind: "int", bits: 32, signed: true };
export const FLOAT64: StoredType = { kind: "float", bits: 64 };
export const TEXT: StoredType = { kind: "text", storage: { form: "variable", encoding: "utf-8" } };

/** Converts logicals to bytes. NA becomes 0, and a mask marks it as missing. */
export function toBooleanBytes(values: Int32Array): Uint8Array {
  return Uint8Array.from(values, (one) => (one === 0 || one === NA_INTEGER ? 0 : 1));
}

/** Values with their type. `width` numbers form one value. */
export interface TypedNumbers {
  readonly type: StoredType;
  readonly values: NumberArray;
  readonly width: number;
}

/** Makes an array of values in C order. Numbers are copied when they are read, since the caller may move them. */
export function createRArray(
  path: string,
  type: StoredType,
  shape: readonly number[],
  values: StoredValues,
): StoredArray {
  const rows = shape[0] ?? 1;
  const per = countElements(shape.slice(1));
  const node = { kind: "array", path, id: path, attributes: new Map(), type, shape, chunks: null } as const;
  const part = (start: number, end: number): StoredValues => {
    if (start < 0 || start > end || end > rows) throw new InvalidInputError(`rows ${start} to ${end} of ${rows}`);
    return sliceRows(type, values, per, [start, end]);
  };
  return {
    ...node,
    async read(start, end) {
      const read = part(start, end);
      return read.kind === "fixed" ? { kind: "fixed", values: read.values.slice() } : read;
    },
    ...(values.kind !== "fixed"
      ? {}
      : {
          async readInto(start: number, end: number, target: Uint8Array) {
            const read = part(start, end);
            if (read.kind === "fixed") target.set(viewAsBytes(read.values));
          },
        }),
  };
}

export function createRNumberVector(path: string, type: StoredType, values: NumberArray): StoredArray {
  return createRArray(path, type, [values.length], { kind: "fixed", values });
}

/**
 * Makes an array in C order from R values, in which the first dimension changes fastest.
 * @throws {InvalidDataError} if the dimensions do not match the number of values.
 */
export function createArrayFromRNumbers(
  path: string,
  { type, values, width }: TypedNumbers,
  shape: readonly number[],
): StoredArray {
  if (countElements(shape) * width !== values.length) {
    throw new InvalidDataError(`${values.length / width} values, the dimensions are ${shape.join(" x ")}`);
  }
  // An array without values may have dimensions of any length.
  if (shape.length === 1 || values.length === 0) return createRArray(path, type, shape, { kind: "fixed", values });
  const [rows] = shape;
  const per = countElements(shape.slice(1));
  const order = rowMajorOffsets(shape.slice(1));
  return {
    ...{ kind: "array", path, id: path, attributes: new Map(), type, shape, chunks: null },
    async read(start, end) {
      if (start < 0 || start > end || end > rows) throw new InvalidInputError(`rows ${start} to ${end} of ${rows}`);
      const to = createZeros(values, (end - start) * per * width);
      for (let column = 0; column < per; column++)
        gather(values, to, { start, end, rows, per, column, from: order[column], width });
      return { kind: "fixed", values: to };
    },
  };
}

interface Column {
  readonly start: number;
  readonly end: number;
  readonly rows: number;
  readonly per: number;
  readonly column: number;
  readonly from: number;
  readonly width: number;
}

/** Makes an array in C order from R strings. */
export function createArrayFromRTexts(path: string, values: VariableValues, shape: readonly number[]): StoredArray {
  if (shape.length === 1) return createRArray(path, TEXT, shape, values);
  const [rows] = shape;
  const order = rowMajorOffsets(shape.slice(1));
  const { offsets, bytes } = values;
  const to = {
    kind: "variable",
    offsets: new Int32Array(offsets.length),
    bytes: new Uint8Array(bytes.length),
  } as const;
  for (let place = 0; place + 1 < offsets.length; place++) {
    const from = order[place % order.length] * rows + Math.floor(place / order.length);
    to.bytes.set(bytes.subarray(offsets[from], offsets[from + 1]), to.offsets[place]);
    to.offsets[place + 1] = to.offsets[place] + offsets[from + 1] - offsets[from];
  }
  return createRArray(path, TEXT, shape, to);
}

/** Copies one of R's columns to its place in each row. */
function gather(values: NumberArray, to: NumberArray, { start, end, rows, per, column, from, width }: Column): void {
  for (let row = start; row < end; row++) {
    for (let part = 0; part < width; part++) {
      to[((row - start) * per + column) * width + part] = values[(from * rows + row) * width + part];
    }
  }
}

/** Returns the position in R's order for each position in C order, for the dimensions after the first. */
function rowMajorOffsets(dims: readonly number[]): Int32Array {
  const count = countElements(dims);
  const strides = dims.map((_, i) => countElements(dims.slice(0, i)));
  return Int32Array.from({ length: count }, (_, place) => {
    let [left, offset] = [place, 0];
    for (let i = dims.length - 1; i >= 0; i--) {
      offset += (left % dims[i]) * strides[i];
      left = Math.floor(left / dims[i]);
    }
    return offset;
  });
}
