/** Checks that all elements along the matrix's axes agree on the lengths of these axes. */

import { InvalidInputError } from "../../model/errors.js";
import { type AxisName, getElementAxes } from "../../tables/axes.js";

/** Whether an element must be a matrix, with two dimensions along axes. */
export function isMatrix(name: string): boolean {
  return getElementAxes(name)[1] !== null;
}

/** Lengths along the first two axes; null if the element has no such axis, or if its length is unknown. */
export type AxisSizes = readonly [rows: number | null, columns: number | null];

/** Lengths of the axes, each with the table that it was learned from. */
export class KnownAxes {
  readonly #known = new Map<AxisName, { readonly length: number; readonly by: string }>();
  readonly #remembered = new Map<AxisName, number>();

  length(axis: AxisName): number | null {
    return this.#known.get(axis)?.length ?? null;
  }

  /**
   * Records an element's sizes, or the shape that the caller gives for it, and compares them with the sizes of others.
   * @throws {InvalidInputError} if two elements disagree; the message names both elements and both numbers.
   */
  note(name: string, sizes: AxisSizes, isGiven = false): void {
    for (const [dimension, axis] of getElementAxes(name).entries()) {
      const size = sizes[dimension];
      if (axis === null || size === null) continue;
      const known = this.#known.get(axis);
      if (known === undefined) this.#known.set(axis, { length: size, by: name });
      else if (known.length !== size) {
        const what = dimension === 0 ? "rows" : "columns";
        const theirs = known.by === axis ? "rows" : axis === getElementAxes(known.by)[0] ? "rows" : "columns";
        const ours = `${isGiven ? "the shape has " : ""}${size} ${what}`;
        throw new InvalidInputError(`${ours}, ${known.by} has ${known.length} ${theirs}`, { element: name });
      }
    }
  }

  /** Records a remembered shape, which is used only if no other element specifies the length. */
  remember(name: string, shape: readonly number[]): void {
    for (const [dimension, axis] of getElementAxes(name).entries()) {
      if (axis !== null && !this.#remembered.has(axis)) this.#remembered.set(axis, shape[dimension]);
    }
  }

  /** Returns a matrix's shape along its axes. @throws {InvalidInputError} if the length of an axis is unknown. */
  shape(name: string): readonly [number, number] {
    const [rows, columns] = getElementAxes(name).map((axis) =>
      axis === null ? null : (this.length(axis) ?? this.#remembered.get(axis) ?? null),
    );
    if (typeof rows === "number" && typeof columns === "number") return [rows, columns];
    throw new InvalidInputError(
      "coordinates without a shape: give obs and var, or the shape, so that rows and columns without entries count",
      { element: name },
    );
  }
}
