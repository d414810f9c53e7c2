/**
 * Converts cells-by-features matrices to R's features-by-cells matrices. Entries in row order are the columns of the
 * transposed matrix, so their order does not change.
 */

import { UnsupportedError } from "annarrow";
import type { Column } from "annarrow/core/arrow";
import { type ArrowField, describeArrowType } from "annarrow/core/arrow";
import { convertIndices, loadIndexKernels } from "annarrow/core/kernels";
import type { IntArray } from "annarrow/core/model";
import { runWithLocation, UnsupportedElementError } from "annarrow/core/model";
import type { ColumnTable } from "annarrow/core/tables";
import {
  checkNoMissing,
  createSparseEntries,
  type EntryBatch,
  findCoordinateColumns,
  findEntriesValue,
  ListCounts,
  listOrder,
  type MatrixLayout,
} from "annarrow/core/tables";
import type { RValue } from "../../containers/rds/model/value.js";
import { toLogicals, toReals } from "../r-values.js";
import {
  createCharacterVector,
  createIntegerVector,
  createRList,
  createS4Object,
  type RWriterContext,
  type WrittenValue,
} from "./context.js";
import { createRDenseMatrix } from "./dense.js";

/** Maximum number of entries in a sparse matrix, since the pointers are R integers. */
const MAX_ENTRIES = 2 ** 31 - 1;

/** Axes of a matrix: the rows and the columns of the table. */
export interface NamedAxes {
  readonly sizes: readonly [rows: number, columns: number];
  /** Row names and column names; null if there are none. */
  readonly names: readonly [readonly string[] | null, readonly string[] | null];
  /** Names of the tables that describe the axes, for error messages. */
  readonly tables: readonly [string | null, string | null];
}

/** Returns the row and column names of an R matrix, with NULL for an axis without names. */
export function createDimnames([rows, columns]: NamedAxes["names"]): RValue {
  const named = (names: readonly string[] | null): RValue =>
    names === null || names.length === 0 ? { kind: "null" } : createCharacterVector(names);
  return createRList([named(rows), named(columns)]);
}

export function isSparse({ fields }: Pick<ColumnTable, "fields">): boolean {
  return findCoordinateColumns(fields) !== null || findEntriesValue({ fields }) !== null;
}

/**
 * Returns the transpose of a table's matrix.
 * @throws {InvalidInputError} for entries outside the axes.
 * @throws {UnsupportedElementError} for two entries at the same position, and for values that are not numbers.
 */
export function createTransposedMatrix(table: ColumnTable, axes: NamedAxes, cx: RWriterContext): Promise<WrittenValue> {
  const { sizes, names } = axes;
  if (isSparse(table)) return createRSparseMatrix(table, axes, "row", cx);
  // R has no `createDimnames` attribute for axes without names, but the slot exists.
  const named = names[0] === null && names[1] === null ? null : createDimnames([names[1], names[0]]);
  return createRDenseMatrix(table, { sizes, dimnames: named, isTransposed: true }, cx);
}

/**
 * Returns an R sparse matrix. Entries in row order give the transposed matrix, and entries in column order give the
 * same matrix.
 */
export async function createRSparseMatrix(
  table: ColumnTable,
  { sizes, names, tables }: NamedAxes,
  order: "row" | "column",
  cx: RWriterContext,
  make: (slots: SparseSlots) => RValue = plainSparse,
): Promise<WrittenValue> {
  const form: MatrixLayout = { shape: sizes, order, axes: tables };
  const listed = listOrder(table);
  const source = await createSparseEntries(table, listed === null || listed === order, cx);
  const entries = new Entries(form, source.value, table.name, cx);
  await loadIndexKernels(source.entries ?? Number.POSITIVE_INFINITY);
  for await (const batch of source.batches(form))
    await runWithLocation({ element: table.name }, () => entries.add(batch));
  const isTransposed = order === "row";
  const value = make({
    ...entries.finish(),
    Dim: createIntegerVector(...(isTransposed ? [sizes[1], sizes[0]] : sizes)),
    Dimnames: createDimnames(isTransposed ? [names[1], names[0]] : names),
  });
  return { value, rows: entries.count };
}

/** The slots of a sparse matrix that is stored by columns. */
export interface SparseSlots {
  readonly isLogical: boolean;
  readonly i: RValue;
  readonly p: RValue;
  readonly Dim: RValue;
  readonly Dimnames: RValue;
  readonly x: RValue;
}

function plainSparse({ isLogical, ...slots }: SparseSlots): RValue {
  return createS4Object(isLogical ? "lgCMatrix" : "dgCMatrix", "Matrix", { ...slots, factors: createRList([]) });
}

const INT32 = { kind: "int", bits: 32, signed: true } as const;

class Entries {
  readonly #cx: RWriterContext;
  readonly #counts: ListCounts;
  readonly #order: EntryOrder;
  readonly #element: string;
  readonly #isLogical: boolean;
  readonly #i;
  readonly #x;

  constructor(form: MatrixLayout, { type }: ArrowField, element: string, cx: RWriterContext) {
    if (type.id !== "Bool" && type.id !== "Int" && type.id !== "Float") {
      throw new UnsupportedError(
        `values of type ${describeArrowType(type)} in a sparse matrix of R, which holds numbers`,
        {
          element,
        },
      );
    }
    this.#cx = cx;
    this.#counts = new ListCounts(form, element);
    this.#order = new EntryOrder(element);
    this.#element = element;
    this.#isLogical = type.id === "Bool";
    this.#i = cx.document.section(4);
    this.#x = cx.document.section(this.#isLogical ? 4 : 8);
  }

  get count(): number {
    return this.#counts.entries;
  }

  async add(batch: EntryBatch): Promise<void> {
    const minor = asInt32(batch.minor);
    if (batch.kind === "lists") this.#counts.lists(batch.offsets, batch.minor);
    else this.#counts.coordinates(batch.major, batch.minor);
    if (this.count > MAX_ENTRIES) {
      throw new UnsupportedElementError(
        `more than ${MAX_ENTRIES} entries, which no sparse matrix of R holds: write a part of the cells`,
        { element: this.#element, table: this.#element },
      );
    }
    const values = this.#valuesOf(batch.values);
    const sorted = batch.kind === "lists" ? this.#order.ofLists(batch.offsets, minor, values) : { minor, values };
    if (batch.kind === "coordinates") this.#order.check(batch.major, minor);
    await this.#i.add(sorted.minor);
    await this.#x.add(sorted.values);
  }

  #valuesOf(values: Column): Float64Array | Int32Array {
    checkNoMissing(values, "value", this.#element);
    return this.#isLogical ? toLogicals(values) : toReals(values);
  }

  finish(): Pick<SparseSlots, "isLogical" | "i" | "p" | "x"> {
    const { document } = this.#cx;
    const count = this.count;
    const p = new Int32Array(this.#counts.pointerCount);
    let at = 0;
    for (const pointers of this.#counts.pointers()) {
      p.set(pointers, at);
      at += pointers.length;
    }
    return {
      isLogical: this.#isLogical,
      i: document.vector("integer", count, [this.#i]),
      p: { kind: "integer", values: p, attributes: new Map() },
      x: document.vector(this.#isLogical ? "logical" : "real", count, [this.#x]),
    };
  }
}

function asInt32(values: IntArray): Int32Array {
  const converted = convertIndices(values, INT32);
  if (converted instanceof Int32Array) return converted;
  throw new TypeError("32-bit positions expected");
}

/** Checks whether each column's entries are in ascending order, as R requires. If a column is complete, sorts it. */
class EntryOrder {
  readonly #element: string;
  #last: readonly [major: number, minor: number] = [-1, -1];

  constructor(element: string) {
    this.#element = element;
  }

  /** Returns the entries of complete lists, sorted within each list. */
  ofLists(
    offsets: Int32Array,
    minor: Int32Array,
    values: Float64Array | Int32Array,
  ): { readonly minor: Int32Array; readonly values: Float64Array | Int32Array } {
    const [base] = offsets;
    let sorted = minor;
    let moved = values;
    for (let list = 0; list + 1 < offsets.length; list++) {
      const [start, end] = [offsets[list] - base, offsets[list + 1] - base];
      if (increases(minor, start, end)) continue;
      if (sorted === minor) {
        sorted = minor.slice();
        moved = values.slice();
      }
      const places = Array.from({ length: end - start }, (_, i) => start + i).sort((a, b) => minor[a] - minor[b]);
      for (const [i, place] of places.entries()) {
        sorted[start + i] = minor[place];
        moved[start + i] = values[place];
      }
      if (!increases(sorted, start, end)) this.#refuse();
    }
    return { minor: sorted, values: moved };
  }

  check(major: IntArray, minor: Int32Array): void {
    let [before, last] = this.#last;
    for (let i = 0; i < minor.length; i++) {
      const own = Number(major[i]);
      if (own === before && minor[i] <= last) this.#refuse();
      [before, last] = [own, minor[i]];
    }
    this.#last = [before, last];
  }

  #refuse(): never {
    throw new UnsupportedElementError(
      "two entries at one place, or entries out of order, which no sparse matrix of R has: sum duplicates, and sort (scipy's sum_duplicates)",
      { element: this.#element, table: this.#element },
    );
  }
}

function increases(minor: Int32Array, start: number, end: number): boolean {
  for (let i = start + 1; i < end; i++) if (minor[i] <= minor[i - 1]) return false;
  return true;
}
