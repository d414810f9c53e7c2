/** Checks the coordinates and values of batches, and copies them into blocks. */

import type { Column, ColumnBatch } from "../../arrow/column.js";
import { describeArrowType } from "../../arrow/type.js";
import { getColumnWords } from "../../arrow/value-words.js";
import { narrowWithin } from "../../kernels/sparse/indices.js";
import type { EntryWords } from "../../kernels/sparse/scatter.js";
import { InvalidInputError, UnsupportedError } from "../../model/errors.js";
import type { IntArray } from "../../model/stored.js";
import type { EntryBuffer } from "./workspace.js";

/** Columns of one batch. The major coordinate is compared first. */
export interface BatchParts {
  readonly length: number;
  readonly major: Coordinates;
  readonly minor: Coordinates;
  readonly value: Column;
}

export interface Coordinates {
  readonly name: "row" | "col";
  readonly size: number;
  readonly values: IntArray;
}

/**
 * Splits a batch with the columns `row`, `col`, `value`.
 * @param start number of the batch's first entry, for messages.
 * @throws {InvalidInputError} if the batch has other columns or contains null coordinates.
 */
export function splitCoordinateBatch(
  batch: ColumnBatch,
  order: "row" | "column",
  shape: readonly [number, number],
  start: number,
): BatchParts {
  const { columns, length } = batch;
  if (columns.length !== 3) {
    throw new InvalidInputError(`row, col and value expected, but the batch has ${columns.length} columns`);
  }
  for (const column of columns) {
    if (column.length !== length) throw new InvalidInputError(`a column of ${column.length} in a batch of ${length}`);
  }
  const row = coordinates("row", columns[0], shape[0], start);
  const col = coordinates("col", columns[1], shape[1], start);
  const [major, minor] = order === "row" ? [row, col] : [col, row];
  return { length, major, minor, value: columns[2] };
}

function coordinates(name: "row" | "col", column: Column, size: number, start: number): Coordinates {
  if (column.layout !== "primitive" || column.type.id !== "Int") {
    throw new InvalidInputError(`${name} is of type ${describeArrowType(column.type)}, not of integers`);
  }
  if (column.validity !== null && column.validity.nullCount > 0) {
    throw new InvalidInputError(
      `${name} has ${column.validity.nullCount} nulls among the entries ${start} … ${start + column.length - 1}`,
    );
  }
  const { values } = column;
  if (values instanceof Float32Array || values instanceof Float64Array || values.length < column.length) {
    throw new InvalidInputError(`${name} has ${values.length} integers in a column of ${column.length}`);
  }
  return { name, size, values: values.subarray(0, column.length) };
}

/** Copies the entries of a batch into blocks, part by part. */
export class BatchCursor {
  readonly length: number;
  readonly #parts: BatchParts;
  readonly #words: readonly EntryWords[];
  readonly #start: number;
  #at = 0;

  /** @param start number of the batch's first entry, for messages. */
  constructor(parts: BatchParts, start: number) {
    this.length = parts.length;
    this.#parts = parts;
    this.#words = getColumnWords(parts.value);
    this.#start = start;
  }

  get left(): number {
    return this.length - this.#at;
  }

  /**
   * Copies the next `count` entries to the positions starting at `to`.
   * @throws {InvalidInputError} if a coordinate is out of range.
   */
  copy(count: number, block: EntryBuffer, to: number): void {
    const [from, end] = [this.#at, this.#at + count];
    this.#copyCoordinates(this.#parts.major, from, end, block.major.subarray(to, to + count));
    this.#copyCoordinates(this.#parts.minor, from, end, block.minor.subarray(to, to + count));
    this.#words.forEach((words, i) => {
      const { step } = block.shape.value[i];
      block.values[i].set(words.subarray(from * step, end * step), to * step);
    });
    this.#at = end;
  }

  #copyCoordinates({ name, size, values }: Coordinates, from: number, end: number, target: Int32Array): void {
    const wrong = narrowWithin(values.subarray(from, end), size, target);
    if (wrong < 0) return;
    const entry = this.#start + from + wrong;
    throw new InvalidInputError(`${name} of entry ${entry} is ${values[from + wrong]}, outside 0 … ${size - 1}`);
  }
}

/**
 * Checks the type of a batch's values.
 * @throws {InvalidInputError} if the type differs from the first batch's type.
 */
export function checkSameType(first: Column, column: Column, start: number): void {
  const [expected, found] = [describeArrowType(first.type), describeArrowType(column.type)];
  if (expected === found) return;
  throw new InvalidInputError(`the values are ${expected} up to entry ${start - 1}, and ${found} from there on`);
}

/**
 * Checks the lengths of both axes.
 * @throws {UnsupportedError} if the positions on an axis take more than 31 bits.
 */
export function checkShape(shape: readonly [number, number]): void {
  for (const size of shape) {
    if (!(Number.isInteger(size) && size >= 0)) throw new InvalidInputError(`${size} is no length of an axis`);
    if (size > 2 ** 31) throw new UnsupportedError(`an axis of length ${size}: at most ${2 ** 31} can be sorted`);
  }
}
