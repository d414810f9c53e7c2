/**
 * MATLAB <-> the annotated view. Variables and struct fields are named as in AnnData, or the caller specifies which
 * elements they become.
 */

import { getElementAxes } from "../../tables/axes.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { anndata } from "./anndata.js";
import { toAlignedElement, toAlignedElements, toMatrixElement } from "./matlab/arrays.js";
import { toFrameParts, toVariableFrame } from "./matlab/frame.js";
import { toMappingElements } from "./matlab/mapping.js";
import { RULES } from "./matlab/rules.js";
import { findGivenVariables, findNamedVariables, type MatlabVariable } from "./matlab/variables.js";
import { indexOnly } from "./view/axis-names.js";
import type { AnnotatedView, FormatConversion, FormatTables, ViewOptions } from "./view/format-conversion.js";
import { createRenamedTable } from "./view/renamed.js";

export const matlab: FormatConversion = {
  title: "MATLAB",
  ...RULES,
  holdsAll: true,
  // A variable may have any name, so tables to be written to MATLAB keep their names.
  isOwnName: () => false,
  axesOf: anndata.axesOf,
  mainAxes: anndata.mainAxes,
  axesBeside: anndata.axesBeside,
  onlyNames(axis, parts, { index }) {
    const frame = toVariableFrame(parts, axis);
    return frame === null ? null : indexOnly(frame, index[axis]);
  },
  asIndex: anndata.asIndex,
  fromIndex: anndata.fromIndex,
  toAnnotated,
  async fromAnnotated(view, options) {
    const fragments = [...view.tables].filter(([name]) => name === "fragments");
    const others = new Map([...view.tables].filter(([name]) => name !== "fragments"));
    const { tables, shape } = await anndata.fromAnnotated({ ...view, tables: others }, options);
    return { tables: new Map([...tables, ...fragments]), shape };
  },
};

async function toAnnotated({ tables: given }: FormatTables, options: ViewOptions): Promise<AnnotatedView> {
  const { elements, losses } = options;
  const parts = elements === null ? findNamedVariables(given, losses) : findGivenVariables(given, elements);
  const tables = new Map<string, ColumnTable>();
  const origins = new Map<string, string>();
  for (const [name, part] of parts) {
    for (const [element, table] of elementOf(name, part, options)) {
      tables.set(element, table);
      origins.set(element, element.startsWith(`${name}/`) ? `${part.path}${element.slice(name.length)}` : part.path);
    }
  }
  const view = await anndata.toAnnotated({ tables, shape: null }, options);
  return { ...view, origin: (name) => origins.get(name) ?? name };
}

/** Returns the tables of one element: the tables in a mapping, or a dataframe and the matrices among its columns. */
function elementOf(name: string, part: MatlabVariable, options: ViewOptions): ReadonlyMap<string, ColumnTable> {
  const [row, column] = getElementAxes(name);
  if (name === "obs" || name === "var" || name === "raw/var") {
    const { frame, matrices } = toFrameParts(part, name, options);
    const all = new Map([[name, frame]]);
    for (const [field, table] of matrices) {
      const place = `${name}m/${field}`;
      all.set(place, toAlignedElement({ path: table.name, table, below: new Map(), listing: null }, place, options));
    }
    return all;
  }
  if (row !== null && column !== null) return new Map([[name, toMatrixElement(part, name)]]);
  if (row !== null) return toAlignedElements(part, name, options);
  if (name === "fragments" && part.table !== null)
    return new Map([[name, createRenamedTable(part.table, name, part.table.metadata)]]);
  return toMappingElements(part, name);
}
