/** Loom <-> the annotated view. Loom matrices have genes as rows and cells as columns. */

import { InvalidInputError } from "../../model/errors.js";
import { getElementAxes } from "../../tables/axes.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { anndata } from "./anndata.js";
import {
  addLoomAttributes,
  findNamesAttribute,
  SIDES,
  type SideTables,
  toLoomAttributes,
  toNamesAttribute,
} from "./loom/attributes.js";
import { convertGraphToPairs, convertPairsToGraph, isGlobal } from "./loom/graph.js";
import { RULES } from "./loom/rules.js";
import type { AnnotatedView, FormatConversion, FormatTables, ViewOptions } from "./view/format-conversion.js";
import { findMatrixShape } from "./view/lengths.js";
import { toCoordinateForm, transposeMatrix } from "./view/matrix-forms.js";
import { formatNameList } from "./view/unsupported-elements.js";

const OWN = /^(matrix|row_attrs|col_attrs|(layers|row_graphs|row_edges|col_graphs|col_edges)\/[^/]+|attrs(\/.+)?)$/;
const MATRIX = /^(matrix|layers\/[^/]+)$/;
const GRAPH = /^(row|col)_(graphs|edges)\/([^/]+)$/;

/** Name of the attribute with the version of the Loom specification. Each writer sets it to its own version. */
const VERSION = "LOOM_SPEC_VERSION";

export const loom: FormatConversion = {
  title: "Loom",
  ...RULES,
  isOwnName: (name) => OWN.test(name),
  axesOf(name) {
    if (MATRIX.test(name)) return axesBeside();
    const axis = SIDES.find(({ own }) => own === name)?.own ?? axisOfGraph(name);
    return [axis, axis === name ? null : axis];
  },
  mainAxes: () => ({ obs: SIDES[0].own, var: SIDES[1].own, rows: "var" }),
  axesBeside,
  onlyNames(axis, parts, { names }) {
    const [table, side] = [parts.get(axis), SIDES.find(({ own }) => own === axis)];
    return table === undefined || side === undefined ? null : findNamesAttribute(table, side, names[side.axis]);
  },
  asIndex: (names) => ({ ...names, metadata: { kind: "dataframe", index: names.fields[0].name } }),
  fromIndex(frame, axis) {
    const side = SIDES.find(({ own }) => own === axis);
    return side === undefined ? null : toNamesAttribute(frame, side);
  },
  toAnnotated,
  fromAnnotated,
};

function axesBeside(): readonly [string, string] {
  const [cells, genes] = SIDES;
  return [genes.own, cells.own];
}

/** Returns the name of the table that names both ends of a graph's edges. */
function axisOfGraph(name: string): string | null {
  const way = GRAPH.exec(name)?.[1];
  return way === undefined ? null : `${way}_attrs`;
}

async function toAnnotated({ tables: given, shape }: FormatTables, options: ViewOptions): Promise<AnnotatedView> {
  const tables = new Map<string, ColumnTable>();
  const origins = new Map<string, string>([["uns", "attrs"]]);
  const add = (name: string, table: ColumnTable, origin: string) => {
    const other = origins.get(name);
    if (other !== undefined)
      throw new InvalidInputError(`${other} is ${name} as well: choose one`, { element: origin });
    tables.set(name, table);
    origins.set(name, origin);
  };
  for (const [name, table] of given) {
    const side = SIDES.find(({ own }) => own === name);
    const [, ways, , graph] = GRAPH.exec(name) ?? [];
    if (side !== undefined) addLoomAttributes(table, side, options, add);
    else if (MATRIX.test(name)) {
      const view = name === "matrix" ? "X" : name;
      add(view, transposeMatrix(await toCoordinateForm(table), view), name);
    } else if (graph !== undefined) {
      const view = `${ways === "col" ? "obsp" : "varp"}/${graph}`;
      add(view, convertGraphToPairs(table, view, options.losses), name);
    } else if (name.startsWith("attrs/") && !table.derived) {
      const view = `uns/${name.slice("attrs/".length)}`;
      if (name !== `attrs/${VERSION}`) add(view, { ...table, name: view }, name);
    } else if (!table.derived) {
      // Loom has no such group. If the table had a name from AnnData, it would get a wrong meaning.
      if (anndata.isOwnName(name)) options.losses.add(name);
      else tables.set(name, table);
    }
  }
  for (const { axis, own } of SIDES) checkNamed(given, own, options.names[axis]);
  return {
    tables,
    shape: shape === null ? null : [shape[1], shape[0]],
    matrix: chosenMatrix(tables, options.matrix),
    origin: (name) => origins.get(name) ?? name,
  };
}

function checkNamed(given: FormatTables["tables"], own: string, wanted: string | null): void {
  if (wanted === null || given.has(own)) return;
  throw new InvalidInputError(`no ${own}, and so no attribute ${JSON.stringify(wanted)}`, { element: own });
}

/**
 * Returns the matrix that the caller selects, else the only matrix.
 * @throws {InvalidInputError} if no matrix has the name that the caller specifies.
 */
function chosenMatrix(tables: ReadonlyMap<string, ColumnTable>, wanted: string | null): string {
  const all = [...tables.keys()].filter((name) => name === "X" || name.startsWith("layers/"));
  if (wanted !== null) {
    const view = wanted === "matrix" ? "X" : wanted;
    if (all.includes(view)) return view;
    const own = all.map((name) => (name === "X" ? "matrix" : name));
    throw new InvalidInputError(`no matrix of that name is converted; there are ${formatNameList(own)}`, {
      element: wanted,
    });
  }
  return all.includes("X") || all.length !== 1 ? "X" : all[0];
}

async function fromAnnotated(view: AnnotatedView, options: ViewOptions): Promise<FormatTables> {
  const { losses } = options;
  const matrix = view.tables.get(view.matrix);
  const axes = matrix === undefined ? (["obs", "var"] as const) : getElementAxes(view.matrix);
  const sides: readonly SideTables[] = SIDES.map((side, i) => ({
    side,
    frame: view.tables.get(axes[i] ?? "") ?? null,
    matrices: new Map<string, ColumnTable>(),
  }));
  const tables = new Map<string, ColumnTable>();
  if (matrix !== undefined) tables.set("matrix", transposeMatrix(await toCoordinateForm(matrix), "matrix"));
  for (const [name, table] of view.tables) {
    if (table.derived || table === matrix || sides.some(({ frame }) => frame === table)) continue;
    const [row, column] = getElementAxes(name);
    const place = name.replace(/^(raw\/)?[^/]+\//, "");
    const along = axes.findIndex((axis) => axis !== null && axis === row);
    // Keys of Loom elements contain no "/", and loompy treats a group below `layers` as a matrix.
    if (place.includes("/") && !name.startsWith("uns/")) losses.omit(name);
    else if (row === axes[0] && column === axes[1] && column !== null) {
      add(tables, `layers/${place}`, transposeMatrix(await toCoordinateForm(table), `layers/${place}`));
    } else if (along >= 0 && column === null) sides[along].matrices.set(place, table);
    else if (along >= 0 && row === column) {
      add(
        tables,
        `${SIDES[along].graphs}/${place}`,
        await convertPairsToGraph(table, `${SIDES[along].graphs}/${place}`),
      );
    } else if (/^uns\/[^/]+$/.test(name) && isGlobal(table)) {
      if (place !== VERSION) add(tables, `attrs/${place}`, { ...table, name: `attrs/${place}` });
    } else if (name.startsWith("uns/")) losses.add(name.split("/").slice(0, 2).join("/"));
    else losses.omit(name);
  }
  for (const side of sides) {
    const attributes = toLoomAttributes(side, options);
    if (attributes !== null) tables.set(side.side.own, attributes);
  }
  const shape = matrix === undefined ? null : findMatrixShape(view, matrix, axes);
  return { tables, shape: shape === null ? null : [shape[1], shape[0]] };
}

function add(tables: Map<string, ColumnTable>, name: string, table: ColumnTable): void {
  if (tables.has(name)) throw new InvalidInputError("two elements become this: leave one out", { element: name });
  tables.set(name, table);
}
