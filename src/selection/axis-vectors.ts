/** Reads rows or columns of a matrix as dense typed arrays, whether the matrix is dense or sparse. */

import type { Column } from "../arrow/column.js";
import type { ReadOptions } from "../io/sources/source.js";
import { decodeFloat16 } from "../kernels/values/number-bits.js";
import { InvalidInputError } from "../model/errors.js";
import { createZeros, type NumberArray } from "../model/stored.js";
import type { ColumnTable } from "../tables/column-table.js";
import { toNonZeroTable } from "../tables/reshaped-tables.js";
import { convertListsToCoordinates, findCoordinateColumns, findEntriesValue } from "../tables/sparse/sparse-entries.js";
import type { StoredTable } from "../tables/stored-table.js";

/**
 * A row or a column of a matrix, in the type of the matrix's values. float16 becomes Float32, and bool becomes bytes.
 */
export type MatrixVector = NumberArray;

export interface VectorSelection {
  readonly axis: "row" | "col";
  readonly positions: Int32Array;
  /** Number of values of a vector. */
  readonly length: number;
}

/**
 * Reads the vectors at `positions`. Duplicate entries in a sparse matrix are added up, as scipy does.
 * @throws {InvalidInputError} if the matrix is not numeric.
 */
export async function readVectorsAt(
  matrix: StoredTable,
  wanted: VectorSelection,
  options: ReadOptions,
): Promise<readonly MatrixVector[]> {
  const coordinates = await matrix.layout("coordinate");
  const entries = await coordinates.at({ [wanted.axis]: wanted.positions }, options);
  const vectors = new Vectors(wanted, matrix.name);
  for await (const part of entries.parts({ kind: "batches", batchBytes: entries.batchBytes }, options)) {
    if (part.kind !== "batches") throw new TypeError("batches were asked for");
    for (const { columns } of part.batches) vectors.add(columns);
  }
  return vectors.all;
}

/**
 * Reads the vectors at `positions` from a matrix that is read from start to end, as a table of entries, lists or rows.
 * @throws {InvalidInputError} if the matrix is not numeric.
 */
export async function readVectorsInStream(
  matrix: ColumnTable,
  wanted: VectorSelection,
  options: ReadOptions,
): Promise<readonly MatrixVector[]> {
  const isEntries = findCoordinateColumns(matrix.fields) !== null || findEntriesValue(matrix) !== null;
  const entries = isEntries ? await convertListsToCoordinates(matrix) : toNonZeroTable(matrix);
  const places = findCoordinateColumns(entries.fields) ?? [0, 1, 2];
  const vectors = new Vectors(wanted, matrix.name);
  for await (const { columns } of entries.batches(options)) vectors.add(places.map((place) => columns[place]));
  return vectors.all;
}

class Vectors {
  readonly #wanted: VectorSelection;
  readonly #element: string;
  readonly #places: ReadonlyMap<number, number>;
  readonly all: MatrixVector[] = [];

  constructor(wanted: VectorSelection, element: string) {
    this.#wanted = wanted;
    this.#element = element;
    this.#places = new Map(Array.from(wanted.positions, (position, i) => [position, i]));
  }

  /** @param columns the entries' rows, columns and values. */
  add([row, col, value]: readonly Column[]): void {
    const { axis, positions, length } = this.#wanted;
    const values = numbersOf(value, this.#element);
    if (this.all.length === 0) for (const _ of positions) this.all.push(createZeros(values, length));
    const [own, other] = axis === "row" ? [row, col] : [col, row];
    const [at, along] = [numbersOf(own, this.#element), numbersOf(other, this.#element)];
    for (let i = 0; i < value.length; i++) {
      const place = this.#places.get(Number(at[i]));
      if (place !== undefined) add(this.all[place], Number(along[i]), values[i]);
    }
  }
}

function add(vector: MatrixVector, at: number, value: number | bigint): void {
  const before = vector[at];
  if (typeof before === "bigint" && typeof value === "bigint") vector[at] = before + value;
  else if (typeof before === "number" && typeof value === "number") vector[at] = before + value;
}

function numbersOf(column: Column, element: string): NumberArray {
  if (column.layout === "primitive" && column.validity === null) {
    const { type, values, length } = column;
    if (type.id === "Int" || (type.id === "Float" && type.bits > 16)) return values;
    if (type.id === "Float") return Float32Array.from({ length }, (_, i) => decodeFloat16(Number(values[i])));
    if (type.id === "Bool") return Uint8Array.from({ length }, (_, i) => (Number(values[i >> 3]) >> (i & 7)) & 1);
  }
  throw new InvalidInputError("a matrix without numbers has no such vectors", { element });
}
