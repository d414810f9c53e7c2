/** `select` returns a part of a dataset, such as selected cells and genes. */

import type { ReadOptions } from "../io/sources/source.js";
import type { DataTable, VectorOptions } from "../model/dataset.js";
import { type AnnarrowError, isAnnarrowError, isFromOutside, UnsupportedError } from "../model/errors.js";
import { hasModalities } from "../model/modalities.js";
import type { Selection } from "../model/selection.js";
import { type AxisGroups, readColumnGroups } from "../selection/axis-groups.js";
import { AxisNameCache } from "../selection/axis-names.js";
import { type MatrixVector, readVectorsAt, readVectorsInStream } from "../selection/axis-vectors.js";
import { createOmittedNodeTest, selectElements } from "../selection/chosen-elements.js";
import { followModalities } from "../selection/modalities.js";
import { selectTablePart } from "../selection/part-of-columns.js";
import {
  findElementsOffAxes,
  findStoresAlongAxes,
  type PartChoice,
  selectPartTables,
} from "../selection/part-of-dataset.js";
import { toColumnTable } from "../tables/given/table-forms.js";
import { type Origin, StoredTable } from "../tables/stored-table.js";
import { DatasetAxes } from "./dataset-axes.js";
import {
  findTableInStore,
  type PartProperties,
  type PartTable,
  removeListedNodes,
  selectModalityAndMatrix,
  type WholeDataset,
  withNewNames,
} from "./renamed-dataset.js";

/**
 * Selects a part of `whole`: first the modality, then its main matrix, then observations and variables, and then
 * elements. Elements are renamed last.
 * @throws {NotFoundError} for names that an axis does not have.
 * @throws {InvalidInputError} for positions outside an axis, and if the dataset has no such axis.
 */
export async function selectDatasetPart(
  whole: WholeDataset,
  selection: Selection,
  known = new AxisNameCache(),
): Promise<PartProperties> {
  const renamed = await selectModalityAndMatrix(whole, selection);
  const part = await partAlongAxes(renamed, selection, renamed === whole ? known : new AxisNameCache());
  const chosen = await withElements(part, selection);
  const { rename } = selection;
  return rename === undefined ? chosen : withNewNames({ ...chosen, source: whole.source }, rename);
}

/** Returns the elements that remain after applying `elements` and `drop`. */
async function withElements(part: PartProperties, selection: Selection): Promise<PartProperties> {
  const names = [...part.tables.keys(), ...part.failures.keys()];
  const chosen = selectElements(names, selection);
  if (chosen === null) return part;
  const isLeftOut = createOmittedNodeTest(names, chosen);
  const kept = new Set(chosen);
  const tables = new Map<string, PartTable>();
  for (const [name, table] of part.tables) {
    if (kept.has(name)) tables.set(name, await removeListedNodes(table, isLeftOut));
  }
  return { ...part, tables, failures: new Map([...part.failures].filter(([name]) => kept.has(name))) };
}

/** Selects the observations and variables specified by `selection` in every element. */
async function partAlongAxes(
  dataset: WholeDataset,
  selection: Selection,
  known: AxisNameCache,
): Promise<PartProperties> {
  const { signal, obs, var: variables, dropUnused = false } = selection;
  const { format, warnings } = dataset;
  if (obs === undefined && variables === undefined && !dropUnused) {
    const { tables, failures, shape } = dataset;
    return { format, tables, failures, shape, warnings };
  }
  if (format === "tables") {
    throw new UnsupportedError(
      "a file of tables has no cells and genes to choose from: write it to a store first (annarrow convert IN OUT.h5ad --shape ROWS,COLUMNS), and choose there",
      { source: dataset.source },
    );
  }
  const axes = await DatasetAxes.of(dataset, dataset.tables, known);
  const chosen = new Map<string, Int32Array>();
  for (const called of ["obs", "var"] as const) {
    const selector = selection[called];
    if (selector !== undefined) chosen.set(axes.main[called], await axes.positions(called, selector, signal));
  }
  const options = { signal };
  const { source } = dataset;
  const axesOf = (name: string) => axes.axesOf(name);
  const uncut = format === "bpcells" ? new Map() : findStoresAlongAxes(dataset.tables, { chosen, axesOf });
  const stored = await storedTables([...dataset.tables].filter(([name]) => !uncut.has(name)));
  const isModal = hasModalities(format, dataset.tables.keys());
  if (isModal && stored.read.size > 0) {
    throw new UnsupportedError(
      "no part of modalities in files of their own: write them as .h5mu first, or give modality",
    );
  }
  const maps = isModal ? await followModalities(stored.tables, chosen, options) : new Map();
  const { main } = axes;
  if (dropUnused && stored.read.size > 0) {
    throw new UnsupportedError("tables in files of their own keep all categories: write them as a store first");
  }
  const frames = dropUnused ? framesAlong(new Set([main.obs, main.var, ...chosen.keys()]), axes) : [];
  const part = await selectPartTables(
    { source, format, tables: stored.tables },
    { chosen, axesOf, maps, dropUnused: frames },
    options,
  );
  const tables = new Map<string, PartTable>();
  const others = await partsWhileRead(stored.read, { chosen, axesOf }, { source, format, tables });
  for (const name of dataset.tables.keys()) {
    const own = part.tables.get(name) ?? others.tables.get(name);
    if (own !== undefined) tables.set(name, own);
  }
  const beyond = findElementsOffAxes(tables, { chosen, axesOf });
  for (const name of beyond.keys()) tables.delete(name);
  return {
    ...{ format, warnings, tables },
    failures: new Map([...dataset.failures, ...part.failures, ...others.failures, ...uncut, ...beyond]),
    shape: axes.shapeOf(chosen),
  };
}

/** Returns the dataframes along one of the `wanted` axes: the axes' own tables, and dataframes such as `obsm/df`. */
function framesAlong(wanted: ReadonlySet<string>, { tables, conversion }: DatasetAxes): readonly string[] {
  return [...tables].flatMap(([name, { metadata }]) => {
    const [rows] = conversion.axesOf(name);
    return rows !== null && wanted.has(rows) && metadata.kind === "dataframe" ? [name] : [];
  });
}

/** Returns the names of an axis; null if the axis has only positions. */
export async function readAxisNameList(
  dataset: WholeDataset,
  called: "obs" | "var",
  known: AxisNameCache,
  signal: AbortSignal | undefined,
): Promise<readonly string[] | null> {
  const names = await (await DatasetAxes.of(dataset, dataset.tables, known)).names(called, signal);
  // The caller may change its own list.
  return names?.all.slice() ?? null;
}

/**
 * Reads the matrix values of some genes over all cells, or of some cells over all genes.
 * @throws {NotFoundError} for a name or a layer that does not exist.
 */
export async function readAxisVectors(
  dataset: WholeDataset,
  called: "obs" | "var",
  wanted: readonly string[],
  { layer, names, signal }: VectorOptions,
  known: AxisNameCache,
): Promise<ReadonlyMap<string, MatrixVector>> {
  const options = { signal };
  const axes = await DatasetAxes.of(dataset, dataset.tables, known);
  const matrix = axes.matrix(layer);
  const stored = matrix instanceof StoredTable ? matrix : await findTableInStore(matrix);
  const axis = called === axes.main.rows ? "row" : "col";
  stored?.prepareFewEntries(axis);
  const positions = await axes.positions(called, wanted, signal, names);
  const other = called === "obs" ? "var" : "obs";
  const how = { axis, positions, length: axes.length(other) } as const;
  const vectors =
    stored === null
      ? await readVectorsInStream(await toColumnTable(matrix), how, options)
      : await readVectorsAt(stored, how, options);
  return new Map(wanted.map((name, i) => [name, vectors[i]]));
}

/**
 * Groups the positions of an axis by the values of a column.
 * @throws {NotFoundError} if the axis has no such column.
 * @throws {InvalidInputError} for a column that cannot be grouped.
 */
export async function readDatasetAxisGroups(
  dataset: WholeDataset,
  called: "obs" | "var",
  column: string,
  options: ReadOptions,
): Promise<AxisGroups> {
  return readColumnGroups(await (await DatasetAxes.of(dataset, dataset.tables)).column(called, column), options);
}

export async function readAxisLength(dataset: WholeDataset, called: "obs" | "var"): Promise<number> {
  return (await DatasetAxes.of(dataset, dataset.tables)).length(called);
}

/** Returns the name of the column that contains an axis's positions in tables along this axis. */
export async function getPositionColumnName(dataset: WholeDataset, called: "obs" | "var"): Promise<"row" | "col"> {
  return (await DatasetAxes.of(dataset, dataset.tables)).main.rows === called ? "row" : "col";
}

/** Separates a dataset's stored tables from those that are read in batches, such as tables in separate files. */
async function storedTables(tables: Iterable<readonly [name: string, table: PartTable]>) {
  const stored = new Map<string, StoredTable>();
  const read = new Map<string, DataTable>();
  for (const [name, table] of tables) {
    const own = table instanceof StoredTable ? table : await findTableInStore(table);
    if (own !== null) stored.set(name, own);
    else if (!(table instanceof StoredTable)) read.set(name, table);
  }
  return { tables: stored, read };
}

/** Selects parts of tables that are read in batches. Tables without a selected axis do not change. */
async function partsWhileRead(
  read: ReadonlyMap<string, DataTable>,
  { chosen, axesOf }: Pick<PartChoice, "chosen" | "axesOf">,
  origin: Origin,
): Promise<{ readonly tables: ReadonlyMap<string, DataTable>; readonly failures: ReadonlyMap<string, AnnarrowError> }> {
  const tables = new Map<string, DataTable>();
  const failures = new Map<string, AnnarrowError>();
  if (read.size === 0) return { tables, failures };
  const { ColumnDataTable } = await import("../tables/column-data-table.js");
  for (const [name, table] of read) {
    const [rows = null, cols = null] = axesOf(name).map((axis) => (axis === null ? null : (chosen.get(axis) ?? null)));
    if (rows === null && cols === null) {
      tables.set(name, table);
      continue;
    }
    try {
      const part = await selectTablePart(await toColumnTable(table), rows, cols);
      tables.set(name, new ColumnDataTable({ ...part, origin: { dataset: origin, name } }));
    } catch (error) {
      if (!isAnnarrowError(error) || isFromOutside(error)) throw error;
      failures.set(name, error);
    }
  }
  return { tables, failures };
}
