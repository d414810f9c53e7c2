/** Which axis an element is aligned with: its length is checked against obs and var, and positions are named after it. */

import { InvalidDataError } from "../../errors.js";
import type { TableElement } from "./element.js";

/** Lengths of the axes, as far as they are known. */
export interface Axes {
  readonly obs: number | undefined;
  readonly var: number | undefined;
  readonly "raw/var": number | undefined;
}

type AxisName = keyof Axes;

/** Row and column axis of an element by its place, null where it has none. */
export function axesOf(name: string): readonly [row: AxisName | null, col: AxisName | null] {
  const [top, child, ...rest] = name.split("/");
  if (name === "obs" || name === "var" || name === "raw/var") return [name, null];
  if (name === "X") return ["obs", "var"];
  if (name === "raw/X") return ["obs", "raw/var"];
  if (top === "raw" && child === "varm" && rest.length === 1) return ["raw/var", null];
  if (child === undefined || rest.length > 0) return [null, null];
  switch (top) {
    case "layers":
      return ["obs", "var"];
    case "obsm":
      return ["obs", null];
    case "varm":
      return ["var", null];
    case "obsp":
      return ["obs", "obs"];
    case "varp":
      return ["var", "var"];
    default:
      return [null, null];
  }
}

/** @throws {InvalidDataError} where an element is not as long as what it annotates. */
export function checkAxes(name: string, element: TableElement, axes: Axes): void {
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
