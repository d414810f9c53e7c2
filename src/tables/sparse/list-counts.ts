/** Counts and checks the entries in each row (or column) of a sparse matrix as they are read. */

import { convertCountsToPointers, countPositions } from "../../kernels/sparse/count-positions.js";
import { findOutOfRangeIndex, surveyIndices } from "../../kernels/sparse/indices.js";
import { InvalidInputError, UnsupportedError } from "../../model/errors.js";
import type { IntArray } from "../../model/stored.js";

/**
 * Maximum number of positions along the compressed axis. Each position has a count of 8 bytes while entries are read.
 * Memory is allocated only for positions with entries, so a declared shape costs nothing.
 */
const MAX_POSITIONS = 2 ** 29;

export interface MatrixLayout {
  readonly shape: readonly [number, number];
  /** "row": entries are stored row by row. */
  readonly order: "row" | "column";
  /** Names of the row axis and the column axis, for messages. */
  readonly axes: readonly [string | null, string | null];
  /** Whether each dimension grows to include entries outside the shape. */
  readonly grows?: readonly [boolean, boolean];
}

/** Maximum length to which entries outside the shape may extend an axis. A count is stored for each position. */
export const MAX_GROWN = 2 ** 26;

/**
 * Returns the smallest size, at least `size`, that includes all `positions`; `size` itself if that would exceed
 * `MAX_GROWN`.
 */
export function computeGrownSize(size: number, positions: IntArray): number {
  if (findOutOfRangeIndex(positions, size) < 0) return size;
  let grown = size;
  for (let i = 0; i < positions.length; i++) grown = Math.max(grown, Number(positions[i]) + 1);
  return grown > MAX_GROWN ? size : grown;
}

export class ListCounts {
  #form: MatrixLayout;
  readonly #element: string;
  #counts: Float64Array;
  /** Number of lists so far, or the last position along the compressed axis. */
  #major = 0;
  #entries = 0;

  /**
   * @param element the matrix's name in errors.
   * @throws {UnsupportedError} for a shape with more than `MAX_POSITIONS` positions along the compressed axis.
   */
  constructor(form: MatrixLayout, element: string) {
    this.#form = form;
    this.#element = element;
    const positions = form.shape[form.order === "row" ? 0 : 1];
    if (positions > MAX_POSITIONS) {
      throw new UnsupportedError(
        `a sparse matrix of ${positions} ${form.order === "row" ? "rows" : "columns"}, which are counted in memory: at most ${MAX_POSITIONS}`,
        { element },
      );
    }
    this.#counts = new Float64Array(positions);
  }

  get shape(): readonly [number, number] {
    return this.#form.shape;
  }

  get entries(): number {
    return this.#entries;
  }

  /**
   * Counts entries whose positions along the compressed axis never decrease.
   * @throws {InvalidInputError} if the positions decrease, or if a position is outside the shape.
   */
  coordinates(major: IntArray, minor: IntArray): void {
    this.#growTo(this.#majorDimension, major);
    const wrong = countPositions(major, this.#major, this.#counts);
    if (wrong >= 0) this.#refuse(major, wrong);
    this.#major = major.length === 0 ? this.#major : Number(major[major.length - 1]);
    this.#add(minor);
  }

  /**
   * Counts the entries at the next positions along the compressed axis. Two adjacent offsets delimit the entries of a
   * position.
   * @throws {InvalidInputError} if there are more lists than the shape allows, or if a position is outside the shape.
   */
  lists(offsets: Int32Array, minor: IntArray): void {
    this.#countLists(offsets);
    this.#add(minor);
  }

  /**
   * Counts the entries at the next positions, and checks whether the lists are in order.
   * @param look counts the positions that are less than their predecessor; returns -1 if a position is not below
   * `limit`. Callers pass this function if they have a faster way to count.
   * @returns whether the positions in each list never decrease.
   */
  listsInOrder(offsets: Int32Array, minor: IntArray, look?: (limit: number) => number): boolean {
    this.#countLists(offsets);
    const dimension = this.#majorDimension === 0 ? 1 : 0;
    if (look === undefined) this.#growTo(dimension, minor);
    const { shape } = this.#form;
    const decreases = look?.(shape[dimension]) ?? -1;
    const found = decreases < 0 ? surveyIndices(minor, shape[dimension]) : { outside: -1, decreases };
    if (found.outside >= 0) this.#outside(dimension, minor[found.outside], found.outside);
    this.#entries += minor.length;
    return found.decreases === decreasesAtBorders(offsets, minor);
  }

  #countLists(offsets: Int32Array): void {
    const lists = offsets.length - 1;
    this.#grow(this.#majorDimension, this.#major + lists);
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
  }

  /** Number of pointers, which is one more than the number of rows (or columns). */
  get pointerCount(): number {
    return this.#counts.length + 1;
  }

  /** Yields `indptr` in parts, from 0 to the number of entries. */
  pointers(): Generator<Float64Array> {
    return convertCountsToPointers(this.#counts);
  }

  get #majorDimension(): 0 | 1 {
    return this.#form.order === "row" ? 0 : 1;
  }

  #growTo(dimension: 0 | 1, positions: IntArray): void {
    const { shape, grows } = this.#form;
    if (grows?.[dimension] === true) this.#grow(dimension, computeGrownSize(shape[dimension], positions));
  }

  /** Extends a dimension to `size` if it may grow; both dimensions if they share an axis. */
  #grow(dimension: 0 | 1, size: number): void {
    const { shape, grows, axes } = this.#form;
    if (grows?.[dimension] !== true || size <= shape[dimension] || size > MAX_GROWN) return;
    const isSquare = axes[0] !== null && axes[0] === axes[1];
    const grown: [number, number] = [shape[0], shape[1]];
    for (const one of isSquare ? [0, 1] : [dimension]) grown[one] = Math.max(grown[one], size);
    this.#form = { ...this.#form, shape: grown };
    const length = grown[this.#majorDimension];
    if (length <= this.#counts.length) return;
    const counts = new Float64Array(length);
    counts.set(this.#counts);
    this.#counts = counts;
  }

  #add(minor: IntArray): void {
    const dimension = this.#majorDimension === 0 ? 1 : 0;
    this.#growTo(dimension, minor);
    const { shape } = this.#form;
    const wrong = findOutOfRangeIndex(minor, shape[dimension]);
    if (wrong >= 0) this.#outside(dimension, minor[wrong], wrong);
    this.#entries += minor.length;
  }

  #refuse(major: IntArray, wrong: number): never {
    const { shape, order } = this.#form;
    const dimension = order === "row" ? 0 : 1;
    const position = Number(major[wrong]);
    if (!(position >= 0 && position < shape[dimension])) this.#outside(dimension, major[wrong], wrong);
    const name = dimension === 0 ? "row" : "col";
    const before = wrong === 0 ? this.#major : major[wrong - 1];
    if (position === 0) throw createOrderError(order, before, this.#entries + wrong, this.#element);
    throw new InvalidInputError(
      `${name} of entry ${this.#entries + wrong} is ${position} after ${before}, and the table says that its entries are in ${order} order; take "order" out of its metadata to have them sorted`,
      { element: this.#element },
    );
  }

  #outside(dimension: 0 | 1, position: number | bigint, at: number): never {
    throw createCoordinateError(this.#form, { dimension, position, entry: this.#entries + at }, this.#element);
  }
}

/** Returns the number of lists whose first position is less than the previous list's last position. */
function decreasesAtBorders(offsets: Int32Array, minor: IntArray): number {
  const [base] = offsets;
  let decreases = 0;
  for (let i = 1; i + 1 < offsets.length; i++) {
    const at = offsets[i] - base;
    // Consecutive empty lists have the same offset. Only the list that follows them is compared.
    if (at > 0 && offsets[i + 1] > offsets[i] && minor[at] < minor[at - 1]) decreases++;
  }
  return decreases;
}

/** Creates the error for ordered entries that start again at the first row (or column). */
export function createOrderError(
  order: MatrixLayout["order"],
  before: number | bigint,
  entry: number,
  element: string,
): InvalidInputError {
  const [name, what] = order === "row" ? ["row", "rows"] : ["col", "columns"];
  return new InvalidInputError(
    `${name} of entry ${entry} is 0 after ${before}: the ${what} begin again, as where one matrix follows another, and matrices are not joined; add the number of ${what} before to the positions of each, and give the frames, or the shape, of all`,
    { element },
  );
}

export interface EntryCoordinate {
  readonly dimension: 0 | 1;
  readonly position: number | bigint;
  readonly entry: number;
}

export function createCoordinateError(
  { shape, axes }: MatrixLayout,
  { dimension, position, entry }: EntryCoordinate,
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
