/** Entries in order -> `data`, `indices` and `indptr`; the pointers alone stay in memory. */

import type { Column } from "../../arrow/column.js";
import type { ArrowField } from "../../arrow/type.js";
import { storedTypeOf, type WrittenForm } from "../../arrow/written-type.js";
import type { GroupWriter } from "../../containers/container-writer.js";
import { InvalidInputError, UnsupportedError } from "../../errors.js";
import { convertIndices, integersOf, largest } from "../../kernels/convert-indices.js";
import { countPositions, pointersOfCounts } from "../../kernels/count-positions.js";
import { firstOutside, loadIndexKernels } from "../../kernels/indices.js";
import type { IntArray, IntType } from "../../stored.js";
import { ArraySink, openGroup, type Place, pathOf } from "./array.js";
import { shapeAttribute } from "./attributes.js";
import type { Context } from "./context.js";
import { encodingAttributes } from "./registry.js";

export interface SparseForm {
  readonly shape: readonly [number, number];
  /** "row": CSR. */
  readonly order: "row" | "column";
  /** numpy's names of the stored types, where the element has been stored. */
  readonly indices: unknown;
  readonly indptr: unknown;
  /** What rows and columns are, for messages. */
  readonly axes: readonly [string | null, string | null];
}

const INT32: IntType = { kind: "int", bits: 32, signed: true };
const INT64: IntType = { kind: "int", bits: 64, signed: true };
const POINTERS_AT_ONCE = 2 ** 18;

export class Compressor {
  readonly #group: GroupWriter;
  readonly #form: SparseForm;
  readonly #data: ArraySink;
  readonly #indices: ArraySink;
  readonly #indexType: IntType;
  readonly #element: string;
  readonly #cx: Context;
  readonly #counts: Float64Array;
  /** Lists so far, or the last position along the compressed axis. */
  #major = 0;
  #entries = 0;

  private constructor(
    group: GroupWriter,
    form: SparseForm,
    data: ArraySink,
    indices: ArraySink,
    indexType: IntType,
    element: string,
    cx: Context,
  ) {
    this.#group = group;
    this.#form = form;
    this.#data = data;
    this.#indices = indices;
    this.#indexType = indexType;
    this.#element = element;
    this.#cx = cx;
    this.#counts = new Float64Array(form.shape[form.order === "row" ? 0 : 1]);
  }

  /** @param entries how many there are, where that is known. */
  static async open(
    place: Omit<Place, "rows">,
    form: SparseForm,
    value: ArrowField,
    entries: number | null,
    cx: Context,
  ): Promise<Compressor> {
    const element = pathOf(place);
    const values = valueForm(value, element);
    const kind = form.order === "row" ? "csr_matrix" : "csc_matrix";
    const parent = await openGroup(place, encodingAttributes(kind, { shape: shapeAttribute(form.shape) }));
    const minor = form.shape[form.order === "row" ? 1 : 0];
    const type = integerType(form.indices, minor - 1);
    await loadIndexKernels(entries ?? Number.POSITIVE_INFINITY);
    const data = await ArraySink.open({ parent, name: "data", rows: entries }, values, { extendable: true }, cx);
    const indices = await openIntegers({ parent, name: "indices", rows: entries }, type, cx);
    return new Compressor(parent, form, data, indices, type, element, cx);
  }

  /** Entries whose positions along the compressed axis never decrease. */
  async coordinates(major: IntArray, minor: IntArray, values: Column): Promise<void> {
    const counts = this.#counts;
    const wrong = countPositions(major, this.#major, counts);
    if (wrong >= 0) this.#refuse(major, wrong);
    this.#major = major.length === 0 ? this.#major : Number(major[major.length - 1]);
    await this.#add(minor, values);
  }

  /** The entries of the next positions along the compressed axis, each from one offset to the next. */
  async lists(offsets: Int32Array, minor: IntArray, values: Column): Promise<void> {
    const lists = offsets.length - 1;
    const counts = this.#counts;
    if (this.#major + lists > counts.length) {
      const { shape, order } = this.#form;
      throw new InvalidInputError(
        `${this.#major + lists} ${order === "row" ? "rows" : "columns"} of entries, the shape is ${JSON.stringify(shape)}`,
        { element: this.#element },
      );
    }
    for (let i = 0; i < lists; i++) counts[this.#major + i] = offsets[i + 1] - offsets[i];
    this.#major += lists;
    await this.#add(minor, values);
  }

  /** Writes the pointers. @returns the number of entries. */
  async close(): Promise<number> {
    await this.#data.close();
    await this.#indices.close();
    const entries = this.#entries;
    const pointers = pointersOfCounts(this.#counts);
    const type = integerType(this.#form.indptr, entries);
    const place = { parent: this.#group, name: "indptr", rows: pointers.length };
    const sink = await openIntegers(place, type, this.#cx);
    for (let start = 0; start < pointers.length; start += POINTERS_AT_ONCE) {
      const values = integersOf(pointers.subarray(start, start + POINTERS_AT_ONCE), type);
      await sink.writeValues({ kind: "fixed", values }, values.length);
    }
    await sink.close();
    return entries;
  }

  async #add(minor: IntArray, values: Column): Promise<void> {
    const { shape, order } = this.#form;
    const wrong = firstOutside(minor, shape[order === "row" ? 1 : 0]);
    if (wrong >= 0) this.#outside(order === "row" ? 1 : 0, minor[wrong], wrong);
    await this.#data.write(values);
    const indices = convertIndices(minor, this.#indexType);
    await this.#indices.writeValues({ kind: "fixed", values: indices }, indices.length);
    this.#entries += minor.length;
  }

  #refuse(major: IntArray, wrong: number): never {
    const { shape, order } = this.#form;
    const dimension = order === "row" ? 0 : 1;
    const position = Number(major[wrong]);
    if (!(position >= 0 && position < shape[dimension])) this.#outside(dimension, major[wrong], wrong);
    const name = dimension === 0 ? "row" : "col";
    const before = wrong === 0 ? this.#major : major[wrong - 1];
    throw new InvalidInputError(
      `${name} of entry ${this.#entries + wrong} is ${position} after ${before}, and the table says that its entries are in ${order} order; take "order" out of its metadata to have them sorted`,
      { element: this.#element },
    );
  }

  #outside(dimension: 0 | 1, position: number | bigint, at: number): never {
    throw outside(this.#form, dimension, position, this.#entries + at, this.#element);
  }
}

/** What is wrong with a coordinate that the shape does not have. */
export function outside(
  { shape, axes }: SparseForm,
  dimension: 0 | 1,
  position: number | bigint,
  entry: number,
  element: string,
): InvalidInputError {
  const axis = axes[dimension];
  const size = shape[dimension];
  const limit = axis === null ? `the shape is ${JSON.stringify(shape)}` : `${axis} has ${size} rows`;
  const name = dimension === 0 ? "row" : "col";
  return new InvalidInputError(`${name} of entry ${entry} is ${position}, outside 0 … ${size - 1}; ${limit}`, {
    element,
  });
}

/** @throws {UnsupportedError} for values that are no numbers. */
function valueForm(field: ArrowField, element: string): WrittenForm {
  const form = storedTypeOf(field);
  const { kind } = form.type;
  if (form.shape.length === 0 && (kind === "bool" || kind === "int" || kind === "float" || kind === "complex"))
    return form;
  throw new UnsupportedError(`values of type ${kind} in a sparse matrix, which holds numbers`, { element });
}

function openIntegers(place: Place, type: IntType, cx: Context): Promise<ArraySink> {
  return ArraySink.open(place, { type, shape: [] }, { extendable: true }, cx);
}

/** The type of integers up to `most`: the stored one, by its numpy name, where it holds them, else int32 or int64. */
export function integerType(name: unknown, most: number): IntType {
  const match = /^(u?)int(8|16|32|64)$/.exec(typeof name === "string" ? name : "");
  const bits = ([8, 16, 32, 64] as const).find((one) => String(one) === match?.[2]);
  const stored: IntType = bits === undefined ? INT32 : { kind: "int", bits, signed: match?.[1] === "" };
  return most <= largest(stored) ? stored : most <= largest(INT32) ? INT32 : INT64;
}
