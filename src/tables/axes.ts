/** The axes of an element, by its name. */

export type AxisName = "obs" | "var" | "raw/var";

/**
 * Returns the row and column axis of an element by its name; null if it has none. A key may contain `/`: anndata before
 * 0.13 writes `layers["a/b"]` as nested groups, so elements below `layers` at any depth have its axes.
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
 * Returns the axis of an element's rows, as coordinate tables name it. Elements of a modality have the modality's own
 * axes, which are called `obs` and `var`, too.
 */
export function getRowAxis(name: string): "row" | "col" | null {
  const [axis] = getElementAxes(name.replace(/^mod\/[^/]+\//, ""));
  return axis === null ? null : axis === "obs" ? "row" : "col";
}
