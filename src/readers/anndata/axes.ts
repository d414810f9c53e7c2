/** Which axis an element is aligned with: its length is checked against obs and var, and positions are named after it. */

import { InvalidDataError } from "../../model/errors.js";
import { axesOf } from "../../tables/axes.js";
import type { TableElement } from "../element.js";

/** Lengths of the axes, as far as they are known. */
export interface AxisLengths {
  readonly obs: number | undefined;
  readonly var: number | undefined;
  readonly "raw/var": number | undefined;
}

/** @throws {InvalidDataError} where an element is not as long as what it annotates. */
export function checkAxes(name: string, element: TableElement, axes: AxisLengths): void {
  for (const [dimension, axis] of axesOf(name).entries()) {
    const expected = axis === null ? undefined : axes[axis];
    const found = element.shape[dimension];
    if (axis === null || expected === undefined || found === expected) continue;
    throw new InvalidDataError(
      `${found ?? "no"} ${dimension === 0 ? "rows" : "columns"}, ${axis} has ${expected} (shape ${JSON.stringify(element.shape)})`,
      { element: name },
    );
  }
}
