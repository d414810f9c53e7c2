/** Converts columns to R vectors of numbers, logicals, text and times. For factors, see `factor.ts`. */

import type { Column } from "annarrow/core/arrow";
import { type ArrowField, describeArrowType } from "annarrow/core/arrow";
import { isBitSet } from "annarrow/core/kernels";
import type { NumberArray } from "annarrow/core/model";
import { UnsupportedElementError } from "annarrow/core/model";
import type { ColumnSink } from "annarrow/core/writers";
import { NA_REAL_BITS, NO_ATTRIBUTES, type RAttributes, type RValue } from "../../containers/rds/model/value.js";
import type { SpooledVector } from "../../containers/rds/write/document.js";
import type { Section } from "../../containers/rds/write/spooled.js";
import { toIntegers, toLogicals, toReals, withMissing, withMissingReals } from "../r-values.js";
import type { RWriterContext } from "./context.js";

/** Largest integer of R. */
const LARGEST = 2 ** 31 - 1;

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

/** Returns a sink for booleans and nulls that creates a logical vector. */
export function createLogicalSink(cx: RWriterContext): ColumnSink<RValue> {
  return new ElementSink(cx, { kind: "logical", wordBytes: 4, elements: (column) => toLogicals(column) });
}

/**
 * Opens a sink for doubles.
 * @param values returns a column's values as doubles. Missing values are set afterwards.
 */
export function createRealSink(
  cx: RWriterContext,
  values: (column: Column) => Float64Array = (column) => toReals(column),
  attributes: RAttributes = NO_ATTRIBUTES,
): ColumnSink<RValue> {
  const elements = (column: Column) => withMissingReals(values(column), column);
  return new ElementSink(cx, { kind: "real", wordBytes: 8, elements, attributes });
}

/** Creates a vector of integers, or of doubles if a value does not fit R's integers. This is known only at the end. */
export class IntegerSink implements ColumnSink<RValue> {
  readonly #cx: RWriterContext;
  #integers: Section | null;
  readonly #reals: Section | null;
  #length = 0;

  /** @param fits whether R's integers can represent every value that the type allows. */
  constructor(cx: RWriterContext, fits: boolean) {
    this.#cx = cx;
    this.#integers = cx.document.section(4);
    this.#reals = fits ? null : cx.document.section(8);
  }

  async write(column: Column): Promise<void> {
    this.#length += column.length;
    if (this.#reals === null) {
      await this.#integers?.add(toIntegers(column));
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

/** @throws {UnsupportedElementError} for a type for which R has no vector. */
export function refuseType(field: ArrowField): never {
  throw new UnsupportedElementError(`${describeArrowType(field.type)}, for which R has no vector`);
}
