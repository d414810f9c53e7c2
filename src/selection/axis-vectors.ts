/** Reads rows or columns of a matrix as plain typed arrays, dense whatever the matrix is. */

import type { Column } from "../arrow/column.js";
import { float16ToNumber } from "../kernels/values/number-bits.js";
import { InvalidInputError } from "../model/errors.js";
import { type NumberArray, zerosLike } from "../model/stored.js";
import type { ReadOptions } from "../sources/source.js";
import type { StoredTable } from "../tables/stored-table.js";

/** The row or the column of a matrix at one position, of the type of its values; float16 as Float32, bool as bytes. */
export type MatrixVector = NumberArray;

/** The vectors to read, along an axis of the matrix. */
export interface VectorsWanted {
  /** The axis that the positions lie on. */
  readonly axis: "row" | "col";
  readonly positions: Int32Array;
  /** Number of values of a vector. */
  readonly length: number;
}

/**
 * Reads the vectors at `positions`. Entries of a sparse matrix that are stored twice are added up, as scipy does.
 * @throws {InvalidInputError} where the matrix has no numbers.
 */
export async function vectorsAt(
  matrix: StoredTable,
  { axis, positions, length }: VectorsWanted,
  options: ReadOptions,
): Promise<readonly MatrixVector[]> {
  const entries = (await matrix.layout("coordinate")).select({ [axis]: positions });
  const places = new Map<number, number>(Array.from(positions, (position, i) => [position, i]));
  const vectors: MatrixVector[] = [];
  for await (const part of entries.parts({ kind: "batches", batchBytes: entries.batchBytes }, options)) {
    if (part.kind !== "batches") throw new TypeError("batches were asked for");
    for (const { length: count, columns } of part.batches) {
      const values = numbersOf(columns[2], matrix.name);
      if (vectors.length === 0) for (const _ of positions) vectors.push(zerosLike(values, length));
      const [own, other] = axis === "row" ? [columns[0], columns[1]] : [columns[1], columns[0]];
      const [at, along] = [numbersOf(own, matrix.name), numbersOf(other, matrix.name)];
      for (let i = 0; i < count; i++) add(vectors[places.get(Number(at[i])) ?? 0], Number(along[i]), values[i]);
    }
  }
  return vectors;
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
    if (type.id === "Float") return Float32Array.from({ length }, (_, i) => float16ToNumber(Number(values[i])));
    if (type.id === "Bool") return Uint8Array.from({ length }, (_, i) => (Number(values[i >> 3]) >> (i & 7)) & 1);
  }
  throw new InvalidInputError("a matrix without numbers has no such vectors", { element });
}
