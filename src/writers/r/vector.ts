/** Converts columns to R vectors of numbers, logicals, text and times; for factors see `factor.ts`. */

import type { Column } from "../../arrow/column.js";
import { type ArrowField, describeArrowType } from "../../arrow/type.js";
import {
  NA_INTEGER,
  NA_REAL_BITS,
  NO_ATTRIBUTES,
  type RAttributes,
  type RValue,
} from "../../containers/rds/model/value.js";
import type { SpooledVector } from "../../containers/rds/write/document.js";
import type { Section } from "../../containers/rds/write/spooled.js";
import { isBitSet, unpackBits } from "../../kernels/values/bitmap.js";
import { decodeFloat16 } from "../../kernels/values/number-bits.js";
import { UnsupportedElementError } from "../../model/errors.js";
import { type NumberArray, viewAsBytes } from "../../model/stored.js";
import type { ColumnSink } from "../column-sink.js";
import type { RWriterContext } from "./context.js";

/** Largest integer up to which doubles represent all integers. */
const EXACT = 2 ** 53;
/** Largest integer of R. */
const LARGEST = 2 ** 31 - 1;

/** Returns `values` with R's NA for nulls. */
export function withMissing(values: Int32Array, { validity, length }: Column): Int32Array {
  if (validity === null || validity.nullCount === 0) return values;
  for (let i = 0; i < length; i++) if (!isBitSet(validity.bitmap, i)) values[i] = NA_INTEGER;
  return values;
}

/** Returns `values` with R's NA for nulls. */
export function withMissingReals(values: Float64Array, { validity, length }: Column): Float64Array {
  if (validity === null || validity.nullCount === 0) return values;
  // NA is copied as bits, because copying it as a number could produce another NaN.
  const words = new BigUint64Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < length; i++) if (!isBitSet(validity.bitmap, i)) words[i] = NA_REAL_BITS;
  return values;
}

/** Returns the values of a column of booleans or numbers, one per row. */
export function toNumberArray(column: Column): NumberArray {
  if (column.layout !== "primitive") throw new TypeError(`${describeArrowType(column.type)} are no numbers`);
  if (column.type.id === "Bool") return unpackBits(viewAsBytes(column.values), column.length);
  return column.values.subarray(0, column.length);
}

/**
 * Converts numbers to doubles.
 * @throws {UnsupportedElementError} for an integer that a double cannot represent exactly.
 */
export function toReals(column: Column): Float64Array {
  const values = toNumberArray(column);
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) return exactReals(values, column);
  if (column.type.id === "Float" && column.type.bits === 16)
    return Float64Array.from(values, (one) => decodeFloat16(Number(one)));
  if (values instanceof Float64Array) return values.slice();
  const reals = new Float64Array(values.length);
  reals.set(values);
  return reals;
}

function exactReals(values: BigInt64Array | BigUint64Array, { validity }: Column): Float64Array {
  const reals = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    if (validity !== null && !isBitSet(validity.bitmap, i)) continue;
    const real = Number(values[i]);
    if (Math.abs(real) > EXACT || BigInt(real) !== values[i]) {
      throw new UnsupportedElementError(
        `${values[i]} lies beyond 2^53, up to which R's numbers are exact: make it text`,
      );
    }
    reals[i] = real;
  }
  return reals;
}

/** Conversion of columns to vector elements. */
interface VectorForm {
  readonly kind: SpooledVector["kind"];
  /** Bytes per number; 1 for raw bytes. */
  readonly wordBytes: 1 | 4 | 8;
  readonly elements: (column: Column) => Uint8Array | NumberArray;
  /** Attributes of the vector's class. */
  readonly attributes?: RAttributes;
}

/** Creates a vector from columns whose elements can be converted batch by batch. */
export class ElementSink implements ColumnSink<RValue> {
  readonly #cx: RWriterContext;
  readonly #form: VectorForm;
  readonly #section: Section;
  #length = 0;

  constructor(cx: RWriterContext, form: VectorForm) {
    this.#cx = cx;
    this.#form = form;
    this.#section = cx.document.section(form.wordBytes);
  }

  async write(column: Column): Promise<void> {
    this.#length += column.length;
    await this.#section.add(this.#form.elements(column));
  }

  async close(): Promise<RValue> {
    const { kind, attributes } = this.#form;
    return this.#cx.document.vector(kind, this.#length, [this.#section], attributes);
  }
}

/** Returns a sink of booleans and nulls that creates a logical vector. */
export function createLogicalSink(cx: RWriterContext): ColumnSink<RValue> {
  const elements = (column: Column) =>
    column.layout === "null" ? new Int32Array(column.length).fill(NA_INTEGER) : toLogicals(column);
  return new ElementSink(cx, { kind: "logical", wordBytes: 4, elements });
}

/** 0, 1 and NA. */
export function toLogicals(column: Column): Int32Array {
  return withMissing(Int32Array.from(toNumberArray(column), Number), column);
}

/**
 * Opens a sink for doubles.
 * @param values returns the doubles of a column; missing values are set afterwards.
 */
export function createRealSink(
  cx: RWriterContext,
  values: (column: Column) => Float64Array = toReals,
  attributes: RAttributes = NO_ATTRIBUTES,
): ColumnSink<RValue> {
  const elements = (column: Column) => withMissingReals(values(column), column);
  return new ElementSink(cx, { kind: "real", wordBytes: 8, elements, attributes });
}

/** Creates an integer vector, or doubles if a value exceeds R's integers, which is known only at the end. */
export class IntegerSink implements ColumnSink<RValue> {
  readonly #cx: RWriterContext;
  #integers: Section | null;
  readonly #reals: Section | null;
  #length = 0;

  /** @param fits whether R's integers can represent every value of the type. */
  constructor(cx: RWriterContext, fits: boolean) {
    this.#cx = cx;
    this.#integers = cx.document.section(4);
    this.#reals = fits ? null : cx.document.section(8);
  }

  async write(column: Column): Promise<void> {
    this.#length += column.length;
    if (this.#reals === null) {
      await this.#integers?.add(withMissing(Int32Array.from(toNumberArray(column), Number), column));
      return;
    }
    const reals = toReals(column);
    if (this.#integers !== null && areIntegers(reals, column)) {
      await this.#integers.add(withMissing(Int32Array.from(reals), column));
    } else this.#integers = null;
    await this.#reals.add(withMissingReals(reals, column));
  }

  async close(): Promise<RValue> {
    const { document } = this.#cx;
    if (this.#integers !== null) return document.vector("integer", this.#length, [this.#integers]);
    return document.vector("real", this.#length, this.#reals === null ? [] : [this.#reals]);
  }
}

/** Whether R's integers can represent all non-null values. */
function areIntegers(values: Float64Array, { validity }: Column): boolean {
  return values.every((one, i) => Math.abs(one) <= LARGEST || (validity !== null && !isBitSet(validity.bitmap, i)));
}

export function createComplexSink(cx: RWriterContext): ColumnSink<RValue> {
  return new ElementSink(cx, { kind: "complex", wordBytes: 8, elements: complexOf });
}

function complexOf(column: Column): Float64Array {
  if (column.layout !== "struct") throw new TypeError("complex numbers expected");
  const [real, imaginary] = column.children.map((child) => withMissingReals(toReals(child), child));
  const values = new Float64Array(2 * column.length);
  const words = new BigUint64Array(values.buffer);
  const [from, beside] = [real, imaginary].map((part) => new BigUint64Array(part.buffer, part.byteOffset, part.length));
  for (let i = 0; i < column.length; i++) {
    const isThere = column.validity === null || isBitSet(column.validity.bitmap, i);
    words[2 * i] = isThere ? from[i] : NA_REAL_BITS;
    words[2 * i + 1] = isThere ? beside[i] : NA_REAL_BITS;
  }
  return values;
}

/** @throws {UnsupportedElementError} for a type that no vector of R has. */
export function refuseType(field: ArrowField): never {
  throw new UnsupportedElementError(`${describeArrowType(field.type)}, for which R has no vector`);
}
