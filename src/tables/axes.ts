/** The names of the axes that an element can have. */

export type AxisName = "obs" | "var" | "raw/var";

/**
 * Returns an element's row and column axis by its name; null for an axis that it does not have. A key may contain `/`:
 * anndata before 0.13 writes `layers["a/b"]` as nested groups, so elements at any depth below `layers` have its axes.
 */
export function getElementAxes(name: string): readonly [row: AxisName | null, col: AxisName | null] {
  const [top, child, ...rest] = name.split("/");
  if (name === "obs" || name === "var" || name === "raw/var") return [name, null];
  if (name === "X") return ["obs", "var"];
  if (name === "raw/X") return ["obs", "raw/var"];
  if (top === "raw" && child === "varm" && rest.length > 0) return ["raw/var", null];
  if (child === undefined) return [null, null];
  switch (top) {
    case "layers":
      return ["obs", "var"];
    case "obsm":
    case "obsmap":
      return ["obs", null];
    case "varm":
    case "varmap":
      return ["var", null];
    case "obsp":
      return ["obs", "obs"];
    case "varp":
      return ["var", "var"];
    default:
      return [null, null];
  }
}

/**
 * Returns the axis along which an element's rows lie, as coordinate tables name it. A modality's elements have the
 * modality's own axes, which are also called `obs` and `var`.
 */
export function getRowAxis(name: string): "row" | "col" | null {
  const [axis] = getElementAxes(name.replace(/^mod\/[^/]+\//, ""));
  return axis === null ? null : axis === "obs" ? "row" : "col";
}
