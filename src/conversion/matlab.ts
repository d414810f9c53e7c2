/**
 * MATLAB <-> the annotated view: variables and fields of structs have the names of AnnData, or the caller names them.
 */

import { axesOf } from "../tables/axes.js";
import type { ColumnTable } from "../tables/column-table.js";
import { anndata } from "./anndata.js";
import { alignedOf, alignedParts, matrixOf } from "./matlab/arrays.js";
import { frameOf, variableFrame } from "./matlab/frame.js";
import { mappingOf } from "./matlab/mapping.js";
import { RULES } from "./matlab/rules.js";
import { elementsAsGiven, elementsByName, type MatlabVariable } from "./matlab/variables.js";
import { indexOnly } from "./view/axis-names.js";
import type { AnnotatedView, FormatConversion, GivenTables, ViewOptions } from "./view/format-conversion.js";
import { renamed } from "./view/renamed.js";

export const matlab: FormatConversion = {
  title: "MATLAB",
  ...RULES,
  holdsAll: true,
  // A variable may have any name, so tables that are given for MATLAB keep their names.
  isOwnName: () => false,
  axesOf: anndata.axesOf,
  mainAxes: anndata.mainAxes,
  axesBeside: anndata.axesBeside,
  onlyNames(axis, parts, { index }) {
    const frame = variableFrame(parts, axis);
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

async function toAnnotated({ tables: given }: GivenTables, options: ViewOptions): Promise<AnnotatedView> {
  const { elements, losses } = options;
  const parts = elements === null ? elementsByName(given, losses) : elementsAsGiven(given, elements);
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

/** Returns the tables of one element: a mapping's tables, or a dataframe and the matrices among its columns. */
function elementOf(name: string, part: MatlabVariable, options: ViewOptions): ReadonlyMap<string, ColumnTable> {
  const [row, column] = axesOf(name);
  if (name === "obs" || name === "var" || name === "raw/var") {
    const { frame, matrices } = frameOf(part, name, options);
    const all = new Map([[name, frame]]);
    for (const [field, table] of matrices) {
      const place = `${name}m/${field}`;
      all.set(place, alignedOf({ path: table.name, table, below: new Map(), listing: null }, place, options));
    }
    return all;
  }
  if (row !== null && column !== null) return new Map([[name, matrixOf(part, name)]]);
  if (row !== null) return alignedParts(part, name, options);
  if (name === "fragments" && part.table !== null)
    return new Map([[name, renamed(part.table, name, part.table.metadata)]]);
  return mappingOf(part, name);
}
