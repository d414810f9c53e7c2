/** `select` returns a part of a dataset, selected by cells and genes. */

import type { DataTable, VectorOptions } from "../model/dataset.js";
import { type AnnarrowError, isAnnarrowError, isFromOutside, UnsupportedError } from "../model/errors.js";
import { hasModalities } from "../model/modalities.js";
import type { Selection } from "../model/selection.js";
import { type AxisGroups, groupsOf } from "../selection/axis-groups.js";
import { KnownNames } from "../selection/axis-names.js";
import { type MatrixVector, vectorsAt, vectorsInStream } from "../selection/axis-vectors.js";
import { chosenElements, leftOutNodes } from "../selection/chosen-elements.js";
import { followModalities } from "../selection/modalities.js";
import { partOfColumns } from "../selection/part-of-columns.js";
import { elementsBeyondAxes, type PartChoice, partOfTables, storesAlongAxes } from "../selection/part-of-dataset.js";
import type { ReadOptions } from "../sources/source.js";
import { columnTableOf } from "../tables/given/table-forms.js";
import { type Origin, StoredTable } from "../tables/stored-table.js";
import { DatasetAxes } from "./dataset-axes.js";
import {
  type PartProperties,
  type PartTable,
  renamedDataset,
  storedOf,
  type WholeDataset,
  withNewNames,
  withoutNodes,
} from "./renamed-dataset.js";

/**
 * Selects a part of `whole`: the modality, then its main matrix, then observations and variables, then elements, which
 * are renamed last.
 * @throws {NotFoundError} for names that an axis does not have.
 * @throws {InvalidInputError} for positions outside an axis, and where the dataset has no such axis.
 */
export async function partOf(
  whole: WholeDataset,
  selection: Selection,
  known = new KnownNames(),
): Promise<PartProperties> {
  const renamed = await renamedDataset(whole, selection);
  const part = await partAlongAxes(renamed, selection, renamed === whole ? known : new KnownNames());
  const chosen = await withElements(part, selection);
  const { rename } = selection;
  return rename === undefined ? chosen : withNewNames({ ...chosen, source: whole.source }, rename);
}

/** Returns the elements that remain after applying `elements` and `drop`. */
async function withElements(part: PartProperties, selection: Selection): Promise<PartProperties> {
  const names = [...part.tables.keys(), ...part.failures.keys()];
  const chosen = chosenElements(names, selection);
  if (chosen === null) return part;
  const isLeftOut = leftOutNodes(names, chosen);
  const kept = new Set(chosen);
  const tables = new Map<string, PartTable>();
  for (const [name, table] of part.tables) {
    if (kept.has(name)) tables.set(name, await withoutNodes(table, isLeftOut));
  }
  return { ...part, tables, failures: new Map([...part.failures].filter(([name]) => kept.has(name))) };
}

/** Selects the observations and variables of `selection` in every element. */
async function partAlongAxes(dataset: WholeDataset, selection: Selection, known: KnownNames): Promise<PartProperties> {
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
  const uncut =
    format === "bpcells" || format === "r" ? new Map() : storesAlongAxes(dataset.tables, { chosen, axesOf });
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
  const part = await partOfTables(
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
  const beyond = elementsBeyondAxes(tables, { chosen, axesOf });
  for (const name of beyond.keys()) tables.delete(name);
  return {
    ...{ format, warnings, tables },
    failures: new Map([...dataset.failures, ...part.failures, ...others.failures, ...uncut, ...beyond]),
    shape: axes.shapeOf(chosen),
  };
}

/** Returns the dataframes along one of the `wanted` axes: the tables of the axes, and dataframes such as `obsm/df`. */
function framesAlong(wanted: ReadonlySet<string>, { tables, conversion }: DatasetAxes): readonly string[] {
  return [...tables].flatMap(([name, { metadata }]) => {
    const [rows] = conversion.axesOf(name);
    return rows !== null && wanted.has(rows) && metadata.kind === "dataframe" ? [name] : [];
  });
}

/** Returns the names of an axis; null if the axis has only positions. */
export async function axisNames(
  dataset: WholeDataset,
  called: "obs" | "var",
  known: KnownNames,
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
export async function axisVectors(
  dataset: WholeDataset,
  called: "obs" | "var",
  wanted: readonly string[],
  { layer, names, signal }: VectorOptions,
  known: KnownNames,
): Promise<ReadonlyMap<string, MatrixVector>> {
  const options = { signal };
  const axes = await DatasetAxes.of(dataset, dataset.tables, known);
  const matrix = axes.matrix(layer);
  const stored = matrix instanceof StoredTable ? matrix : await storedOf(matrix);
  const axis = called === axes.main.rows ? "row" : "col";
  stored?.prepareFewEntries(axis);
  const positions = await axes.positions(called, wanted, signal, names);
  const other = called === "obs" ? "var" : "obs";
  const how = { axis, positions, length: axes.length(other) } as const;
  const vectors =
    stored === null
      ? await vectorsInStream(await columnTableOf(matrix), how, options)
      : await vectorsAt(stored, how, options);
  return new Map(wanted.map((name, i) => [name, vectors[i]]));
}

/**
 * Groups the positions of an axis by the values of a column.
 * @throws {NotFoundError} where the axis has no such column.
 * @throws {InvalidInputError} for a column that cannot be grouped.
 */
export async function axisGroups(
  dataset: WholeDataset,
  called: "obs" | "var",
  column: string,
  options: ReadOptions,
): Promise<AxisGroups> {
  return groupsOf(await (await DatasetAxes.of(dataset, dataset.tables)).column(called, column), options);
}

export async function axisLength(dataset: WholeDataset, called: "obs" | "var"): Promise<number> {
  return (await DatasetAxes.of(dataset, dataset.tables)).length(called);
}

/** Returns the name of the column that contains the positions of an axis in tables along it. */
export async function positionColumn(dataset: WholeDataset, called: "obs" | "var"): Promise<"row" | "col"> {
  return (await DatasetAxes.of(dataset, dataset.tables)).main.rows === called ? "row" : "col";
}

/** Separates a dataset's stored tables from tables that are read in batches, such as tables in separate files. */
async function storedTables(tables: Iterable<readonly [name: string, table: PartTable]>) {
  const stored = new Map<string, StoredTable>();
  const read = new Map<string, DataTable>();
  for (const [name, table] of tables) {
    const own = table instanceof StoredTable ? table : await storedOf(table);
    if (own !== null) stored.set(name, own);
    else if (!(table instanceof StoredTable)) read.set(name, table);
  }
  return { tables: stored, read };
}

/** Selects parts of tables that are read in batches. Tables without a selected axis stay unchanged. */
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
      const part = await partOfColumns(await columnTableOf(table), rows, cols);
      tables.set(name, new ColumnDataTable({ ...part, origin: { dataset: origin, name } }));
    } catch (error) {
      if (!isAnnarrowError(error) || isFromOutside(error)) throw error;
      failures.set(name, error);
    }
  }
  return { tables, failures };
}
