/** Writes numbers and logicals of any size. Vectors are written directly, and matrices are transposed band by band. */

import type { ArrayWriter } from "../../containers/tree/container-writer.js";
import { transposeRows } from "../../kernels/dense/transpose-rows.js";
import { InvalidInputError, runWithLocation } from "../../model/errors.js";
import { countElements, getDecodedSize, type NumberArray, type StoredType } from "../../model/stored.js";
import { createMatlabAttributes, createPythonArray, type ValueAttributes, writeEmptyValue } from "./attributes.js";
import {
  allocateNumbers,
  countElementsPerValue,
  createIntDecode,
  findNumericClass,
  selectValueRows,
  toStoredNumbers,
  toWrittenType,
} from "./classes.js";
import { type MatlabWriterContext, openArray, type ValueDestination } from "./context.js";
import type { MatlabMetadata } from "./metadata.js";

export interface NumericLayout {
  readonly type: StoredType;
  /** Length of the first dimension; null if it is known only at the end. Required for matrices. */
  readonly rows: number | null;
  /** Shape of a row; `[]` for vectors. */
  readonly rowShape: readonly number[];
  readonly isRow: boolean;
  readonly metadata: MatlabMetadata;
}

/** A sink that receives whole rows of values in C order. */
export interface NumericSink {
  write(values: NumberArray, rows: number): Promise<void>;
  close(): Promise<void>;
}

/** Maximum size in bytes of a matrix that is transposed at once. */
const WHOLE_BYTES = 2 ** 20;

/** Maximum bytes of a larger matrix in memory. Also limits the columns and the bytes of each of its chunks. */
const BAND_BYTES = 2 ** 25;
const MAX_WIDTH = 2 ** 12;
const CHUNK_BYTES = 2 ** 18;

/**
 * Opens the sink for numbers.
 * @throws {InvalidInputError} for values that are not numbers.
 */
export function createNumericSink(place: ValueDestination, form: NumericLayout): NumericSink {
  const { rows, rowShape } = form;
  if (rowShape.length === 0) return new VectorSink(place, form);
  if (rows === null) throw new TypeError("a matrix of unknown height");
  return new MatrixSink(place, form, rows);
}

function numbersValue(
  { type, metadata }: NumericLayout,
  shape: readonly number[],
  cx: MatlabWriterContext,
): ValueAttributes {
  const name = findNumericClass(type, metadata);
  if (name === null) throw new InvalidInputError(`values of type ${type.kind} are no numbers`);
  return { class: name, ...createIntDecode(name), ...createPythonArray(cx, type, shape) };
}

class VectorSink implements NumericSink {
  readonly #place: ValueDestination;
  readonly #form: NumericLayout;
  /** Created with the first value, because an empty vector is written in a different form. */
  #array: ArrayWriter | null = null;

  constructor(place: ValueDestination, form: NumericLayout) {
    this.#place = place;
    this.#form = form;
  }

  async write(values: NumberArray, rows: number): Promise<void> {
    if (rows === 0) return;
    const array = this.#array ?? (await this.#open(rows));
    this.#array = array;
    await runWithLocation({ element: this.#place.element }, () =>
      array.write(toStoredNumbers(this.#form.type, values), rows),
    );
  }

  async close(): Promise<void> {
    const array = this.#array;
    if (array !== null) {
      await runWithLocation({ element: this.#place.element }, () => array.close());
      return;
    }
    const { isRow, metadata } = this.#form;
    const size = isRow ? [1, 0] : [0, 1];
    await writeEmptyValue(this.#place, size, metadata, numbersValue(this.#form, [0], this.#place.cx));
  }

  #open(first: number): Promise<ArrayWriter> {
    const { type, rows, isRow, metadata } = this.#form;
    const attributes = createMatlabAttributes(
      this.#place,
      metadata,
      numbersValue(this.#form, [rows ?? first], this.#place.cx),
    );
    const own = { type: toWrittenType(type), attributes };
    return openArray(this.#place, isRow ? { ...own, shape: [rows, 1] } : { ...own, shape: [rows], leadingOne: true });
  }
}

class MatrixSink implements NumericSink {
  readonly #place: ValueDestination;
  readonly #form: NumericLayout;
  readonly #rows: number;
  readonly #rowLength: number;
  readonly #lines: Int32Array | null;
  /** Number of rows in a band; a small matrix is a single band. */
  readonly #width: number;
  #array: ArrayWriter | null = null;
  #band: NumberArray;
  #bandRows: number;
  #filled = 0;
  #done = 0;

  constructor(place: ValueDestination, form: NumericLayout, rows: number) {
    const { type, rowShape } = form;
    this.#place = place;
    this.#form = form;
    this.#rows = rows;
    this.#rowLength = countElements(rowShape);
    this.#lines = reversedOrder(rowShape);
    this.#width = this.#isWhole() ? rows : bandWidth(rows, this.#rowLength, rowShape, valueBytes(type));
    this.#bandRows = Math.min(this.#width, rows);
    this.#band = allocateNumbers(type, this.#bandRows * this.#rowLength);
  }

  async write(values: NumberArray, rows: number): Promise<void> {
    const { type } = this.#form;
    if (this.#done + this.#filled + rows > this.#rows) throw this.#wrongRows(this.#done + this.#filled + rows);
    for (let row = 0; row < rows; ) {
      const taken = Math.min(rows - row, this.#bandRows - this.#filled);
      const block = {
        rowLength: this.#rowLength,
        lineLength: this.#bandRows,
        lines: this.#lines,
        per: countElementsPerValue(type),
      };
      transposeRows(values, row, taken, this.#band, this.#filled, block);
      this.#filled += taken;
      row += taken;
      if (this.#filled === this.#bandRows) await this.#flush();
    }
  }

  async close(): Promise<void> {
    const { rowShape, metadata } = this.#form;
    const size = [this.#rows, ...rowShape];
    if (countElements(size) === 0) {
      await writeEmptyValue(this.#place, size, metadata, numbersValue(this.#form, size, this.#place.cx));
      return;
    }
    if (this.#done < this.#rows) throw this.#wrongRows(this.#done + this.#filled);
    const array = this.#array;
    if (array !== null) await runWithLocation({ element: this.#place.element }, () => array.close());
  }

  async #flush(): Promise<void> {
    if (this.#rowLength === 0) {
      this.#done += this.#filled;
      this.#filled = 0;
      return;
    }
    const array = this.#array ?? (await this.#open());
    this.#array = array;
    const [band, count] = [this.#band, this.#isWhole() ? this.#fileShape()[0] : this.#filled];
    await runWithLocation({ element: this.#place.element }, () =>
      array.write(toStoredNumbers(this.#form.type, band), count),
    );
    this.#done += this.#filled;
    this.#filled = 0;
    this.#bandRows = Math.min(this.#width, this.#rows - this.#done);
    const { type } = this.#form;
    this.#band = selectValueRows(this.#band, type, this.#rowLength, 0, this.#bandRows);
  }

  #open(): Promise<ArrayWriter> {
    const { type, rowShape, metadata } = this.#form;
    const shape = this.#fileShape();
    const value = numbersValue(this.#form, [this.#rows, ...rowShape], this.#place.cx);
    const own = { type: toWrittenType(type), shape, attributes: createMatlabAttributes(this.#place, metadata, value) };
    if (this.#isWhole()) return openArray(this.#place, own);
    const [, ...between] = shape.slice(0, -1);
    const lineBytes = countElements(between) * this.#width * valueBytes(type);
    const first = Math.max(1, Math.min(shape[0], Math.floor(CHUNK_BYTES / lineBytes)));
    const chunks = [first, ...between, this.#width];
    return openArray(this.#place, { ...own, chunks, along: shape.length - 1 });
  }

  /** Returns the shape in the file, with the dimensions in reverse order. */
  #fileShape(): readonly [number, ...number[]] {
    const [first, ...rest] = [...this.#form.rowShape].reverse();
    return [first, ...rest, this.#rows];
  }

  #isWhole(): boolean {
    return this.#rows * this.#rowLength * valueBytes(this.#form.type) <= WHOLE_BYTES;
  }

  #wrongRows(rows: number): InvalidInputError {
    return new InvalidInputError(`${rows} rows, the table says ${this.#rows}`, { element: this.#place.element });
  }
}

function valueBytes(type: StoredType): number {
  return getDecodedSize(type) ?? 1;
}

function bandWidth(rows: number, rowLength: number, rowShape: readonly number[], bytes: number): number {
  const between = countElements(rowShape) / rowShape[rowShape.length - 1];
  const most = Math.min(BAND_BYTES / (rowLength * bytes), CHUNK_BYTES / Math.min(CHUNK_BYTES, between * bytes));
  return Math.max(1, Math.min(rows, MAX_WIDTH, Math.floor(most)));
}

/** Returns the new index of each position in a row after the dimensions are reversed; null if no index changes. */
function reversedOrder(rowShape: readonly number[]): Int32Array | null {
  if (rowShape.length < 2) return null;
  const lines = new Int32Array(countElements(rowShape));
  for (let at = 0; at < lines.length; at++) {
    let rest = at;
    let place = 0;
    let step = lines.length;
    for (let d = rowShape.length - 1; d >= 0; d--) {
      step /= rowShape[d];
      place += (rest % rowShape[d]) * step;
      rest = Math.floor(rest / rowShape[d]);
    }
    lines[at] = place;
  }
  return lines;
}
