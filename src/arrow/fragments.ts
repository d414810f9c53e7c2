/** Converts fragments to columns (`chr, start, end, cell_id`, and optionally `count`; docs/mapping.md), and back. */

import type { FragmentPositions, FragmentRows } from "../kernels/fragments/rows.js";
import { findOutOfRangeIndex } from "../kernels/sparse/indices.js";
import { toUint32 } from "../kernels/sparse/whole-numbers.js";
import { InvalidInputError, isAnnarrowError } from "../model/errors.js";
import type { IntArray } from "../model/stored.js";
import type { Column, ColumnBatch, DictionaryColumn, PrimitiveColumn } from "./column.js";
import { checkNoNulls, type NameIds, nameIds } from "./name-ids.js";
import { type ArrowField, type ArrowType, createField, describeArrowType, INT32, UTF8 } from "./type.js";

const UINT32: ArrowType & { id: "Int" } = { id: "Int", bits: 32, signed: false };
const NAME: ArrowType = { id: "Dictionary", index: INT32, value: UTF8, ordered: false };

/** Indices of the fields. */
export const CHR = 0;
export const START = 1;
export const END = 2;
export const CELL = 3;
export const COUNT = 4;

/**
 * Returns the fields of a table of fragments.
 * @param counted whether the fragments have read counts.
 */
export function getFragmentFields(counted: boolean): readonly ArrowField[] {
  const fields = [
    createField("chr", NAME, false),
    createField("start", UINT32, false),
    createField("end", UINT32, false),
    createField("cell_id", NAME, false),
  ];
  return counted ? [...fields, createField("count", UINT32, false)] : fields;
}

/**
 * Makes a dictionary column of chromosomes or cells from indices into their names. The indices must be in range, and
 * their memory is not copied.
 */
export function nameColumn(indices: Int32Array, names: Column): DictionaryColumn {
  const type = { id: "Dictionary", index: INT32, value: names.type, ordered: false } as const;
  return { layout: "dictionary", type, length: indices.length, validity: null, indices, dictionary: names };
}

/** Makes a column of starts, ends or counts; the memory is not copied. */
export function createUint32Column(values: Uint32Array): PrimitiveColumn {
  return { layout: "primitive", type: UINT32, length: values.length, validity: null, values };
}

/**
 * Converts a column of integers to unsigned 32-bit integers, reusing the column's memory if possible.
 * @throws {InvalidInputError} for other types, a null, and a number that does not fit.
 */
function toUnsignedValues(column: Column): Uint32Array {
  if (column.layout !== "primitive" || column.type.id !== "Int") {
    throw new InvalidInputError(`is ${describeArrowType(column.type)}, not of integers`);
  }
  checkNoNulls(column);
  const { values, length } = column;
  if (values instanceof Float32Array || values instanceof Float64Array || values.length < length) {
    throw new InvalidInputError(`has ${values.length} integers in ${length} rows`);
  }
  const given = values.subarray(0, length);
  const { wide, wrong } = widened(given);
  if (wrong >= 0) throw new InvalidInputError(`is ${given[wrong]} at ${wrong}, outside 0 … ${2 ** 32 - 1}`);
  return wide;
}

/**
 * Converts integers to unsigned 32-bit ones. @returns `wrong`: the position of the first number that does not fit, or
 * -1.
 */
function widened(values: IntArray): { readonly wide: Uint32Array; readonly wrong: number } {
  if (values instanceof Uint32Array) return { wide: values, wrong: -1 };
  if (values instanceof Int32Array) {
    const wide = new Uint32Array(values.buffer, values.byteOffset, values.length);
    return { wide, wrong: findOutOfRangeIndex(values, 2 ** 31) };
  }
  const wide = new Uint32Array(values.length);
  return { wide, wrong: toUint32(values, wide) };
}

const FRAGMENT_COLUMNS = ["chr", "start", "end", "cell_id"] as const;

/** Name of an extra column with the number of reads, which fragments from text files have. */
const COUNT_COLUMN = "count";

/** Converts batches to fragments in which numbers stand for names, and collects the names. */
export class FragmentColumns {
  readonly chr: NameIds;
  readonly cell: NameIds;
  readonly hasCount: boolean;
  /** Names of columns that are not part of fragments. */
  readonly others: readonly string[];
  readonly #fields: readonly ArrowField[];
  #rows = 0;

  /** @throws {InvalidInputError} if a column is missing or repeated, or has another type. */
  constructor(fields: readonly ArrowField[]) {
    this.#fields = fields;
    const known: readonly string[] = [...FRAGMENT_COLUMNS, COUNT_COLUMN];
    for (const name of known) {
      const found = fields.filter((field) => field.name === name).length;
      if (found === 1 || (found === 0 && name === COUNT_COLUMN)) continue;
      const problem = found === 0 ? `no column ${name}` : `${found} columns of the name ${name}`;
      throw new InvalidInputError(`${problem}; fragments are ${FRAGMENT_COLUMNS.join(", ")}`);
    }
    this.chr = inColumn("chr", 0, () => nameIds(fields[this.#place("chr")].type));
    this.cell = inColumn("cell_id", 0, () => nameIds(fields[this.#place("cell_id")].type));
    this.hasCount = this.#place(COUNT_COLUMN) >= 0;
    this.others = fields.map(({ name }) => name).filter((name) => !known.includes(name));
  }

  /**
   * Converts the next rows, reusing the batch's memory if possible.
   * @throws {InvalidInputError} for a null, and for a position that is negative or exceeds 32 bits.
   */
  next({ columns, length }: ColumnBatch): FragmentRows {
    const numbers = (name: string) => inColumn(name, this.#rows, () => toUnsignedValues(columns[this.#place(name)]));
    const ids = (name: "chr" | "cell_id", names: NameIds) =>
      inColumn(name, this.#rows, () => names.ids(columns[this.#place(name)]));
    const rows: FragmentRows = {
      length,
      chr: ids("chr", this.chr),
      start: numbers("start"),
      end: numbers("end"),
      cell: ids("cell_id", this.cell),
      count: this.hasCount ? numbers(COUNT_COLUMN) : null,
    };
    this.#rows += length;
    return rows;
  }

  #place(name: string): number {
    return this.#fields.findIndex((field) => field.name === name);
  }
}

/** Returns the indices of the two columns that determine whether fragments are sorted. */
export function findPositionColumns(fields: readonly ArrowField[]): readonly [chr: number, start: number] {
  const place = (wanted: string) => fields.findIndex(({ name }) => name === wanted);
  return [place("chr"), place("start")];
}

/**
 * Converts only the columns `chr` and `start`, which are less than half of the data and suffice to check the order of
 * the fragments.
 */
export class FragmentPositionColumns {
  readonly #places: readonly [chr: number, start: number];
  readonly #chr: NameIds;
  #rows = 0;

  /** @param fields the table's fields, which include both columns. */
  constructor(fields: readonly ArrowField[]) {
    this.#places = findPositionColumns(fields);
    this.#chr = inColumn("chr", 0, () => nameIds(fields[this.#places[0]].type));
  }

  /** Converts the next rows. @throws {InvalidInputError} for the same reasons as `FragmentColumns`. */
  next({ columns, length }: ColumnBatch): FragmentPositions {
    const [chr, start] = this.#places.map((place) => columns[place]);
    const places = {
      length,
      chr: inColumn("chr", this.#rows, () => this.#chr.ids(chr)),
      start: inColumn("start", this.#rows, () => toUnsignedValues(start)),
    };
    this.#rows += length;
    return places;
  }
}

/**
 * Adds the column's name and the number of the batch's first row to an error, which counts rows from that first row.
 */
function inColumn<T>(name: string, row: number, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!isAnnarrowError(error, "InvalidInputError")) throw error;
    const where = row === 0 ? "" : ` (counted from row ${row})`;
    throw new InvalidInputError(`column ${name} ${error.problem}${where}`);
  }
}
