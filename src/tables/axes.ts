/** Resolves element names: the axes of an element, and tables under the name of another element. */

import type { DataTable } from "../model/dataset.js";

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

/** Copies the members of a table into a plain object; the table may be an instance of a class. */
export function copyTableMembers(table: DataTable): DataTable {
  const { name, schema, rows, metadata, derived, axis, layouts } = table;
  return {
    name,
    schema,
    rows,
    metadata,
    derived,
    axis,
    layouts,
    layout: (layout) => table.layout(layout),
    batches: (options) => table.batches(options),
    read: (options) => table.read(options),
  };
}

/** Returns the table under another name; its axis, layouts and rows stay the same. */
export function renameTable(table: DataTable, name: string): DataTable {
  if (table.name === name) return table;
  return { ...copyTableMembers(table), name, layout: async (layout) => renameTable(await table.layout(layout), name) };
}

/** `table` as the element `name` of an AnnData; its schema and rows are not changed. */
export function toNamedElement(table: DataTable, name: string): DataTable {
  return {
    ...copyTableMembers(table),
    name,
    axis: getRowAxis(name),
    layout: async (layout) => toNamedElement(await table.layout(layout), name),
  };
}
