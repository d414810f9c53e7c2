/** Resolves names of elements: the axes that an element is aligned with, and a table under another element's name. */

import type { DataTable } from "../model/dataset.js";

export type AxisName = "obs" | "var" | "raw/var";

/**
 * Row and column axis of an element, by its name; null where it has none. A key may contain `/`: anndata before 0.13
 * writes `layers["a/b"]` as nested groups, so what is stored below `layers` at any depth lies along its axes.
 */
export function axesOf(name: string): readonly [row: AxisName | null, col: AxisName | null] {
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
 * The axis of the rows of an element, as coordinate tables name positions. Elements of a modality lie along the
 * modality's own axes, which are called `obs` and `var`, too.
 */
export function rowAxis(name: string): "row" | "col" | null {
  const [axis] = axesOf(name.replace(/^mod\/[^/]+\//, ""));
  return axis === null ? null : axis === "obs" ? "row" : "col";
}

/** Copies the members of a table, which is not necessarily a plain object. */
export function plainTable(table: DataTable): DataTable {
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

/** The table under another name; its axis, layouts and rows stay. */
export function renamedTable(table: DataTable, name: string): DataTable {
  if (table.name === name) return table;
  return { ...plainTable(table), name, layout: async (layout) => renamedTable(await table.layout(layout), name) };
}

/** `table` as the element `name` of an AnnData; its schema and rows are not changed. */
export function namedTable(table: DataTable, name: string): DataTable {
  return {
    ...plainTable(table),
    name,
    axis: rowAxis(name),
    layout: async (layout) => namedTable(await table.layout(layout), name),
  };
}
