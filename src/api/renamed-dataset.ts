/** Opens a modality of a MuData as a separate dataset, and a layer as a dataset's main matrix. */

import { conversions } from "../formats/formats.js";
import type { DataTable, Format, TableSet } from "../model/dataset.js";
import { type AnnarrowError, InvalidInputError } from "../model/errors.js";
import { hasModalities } from "../model/modalities.js";
import type { Selection } from "../model/selection.js";
import { createOmittedNodeTest } from "../selection/chosen-elements.js";
import { createElementRenamer, type NewNames } from "../selection/new-names.js";
import {
  checkMatrixShape,
  getModalityNewNames,
  type NewName,
  promoteMatrixNames,
  renameColumnTable,
  withPaths,
} from "../selection/renamed-elements.js";
import { toColumnTable } from "../tables/given/table-forms.js";
import type { Origin } from "../tables/stored-table.js";
import { StoredTable } from "../tables/stored-table.js";

export type PartTable = StoredTable | DataTable;

/** Properties of a part that may differ from the whole dataset. */
export interface PartProperties {
  readonly format: Format;
  readonly tables: ReadonlyMap<string, PartTable>;
  readonly failures: ReadonlyMap<string, AnnarrowError>;
  readonly shape: readonly [number, number] | null;
  readonly warnings: readonly string[];
}

/** The dataset from which a part is selected. */
export type WholeDataset = PartProperties & Pick<TableSet, "source">;

/**
 * Applies the modality and the main matrix that a selection names.
 * @throws {NotFoundError} if they do not exist.
 */
export async function selectModalityAndMatrix(
  dataset: WholeDataset,
  { modality, X }: Selection,
): Promise<WholeDataset> {
  let renamed = dataset;
  if (modality !== undefined) renamed = await modalityOf(renamed, modality);
  if (X !== undefined) renamed = await withMatrix(renamed, X);
  return renamed;
}

async function modalityOf(dataset: WholeDataset, modality: string): Promise<WholeDataset> {
  if (!hasModalities(dataset.format, dataset.tables.keys())) {
    throw new InvalidInputError(`no MuData, so there are no modalities (format ${dataset.format})`);
  }
  const prefix = `mod/${modality}/`;
  const nameOf = getModalityNewNames(namesIn(dataset), modality);
  const { tables, failures } = await underNames({ ...dataset, format: "anndata" }, nameOf);
  const matrix = tables.get("X")?.metadata.shape;
  const shape = [tables.get("obs")?.rows ?? matrix?.[0], tables.get("var")?.rows ?? matrix?.[1]];
  const [rows, columns] = shape;
  return {
    ...dataset,
    ...{ format: "anndata", tables, failures },
    shape: rows === undefined || columns === undefined ? null : [rows, columns],
    warnings: dataset.warnings.filter((warning) => !warning.startsWith("mod/") || warning.startsWith(prefix)),
  };
}

async function withMatrix(dataset: WholeDataset, wanted: string): Promise<WholeDataset> {
  const { format, shape } = dataset;
  const names = namesIn(dataset);
  const { nameOf, leftOut } = promoteMatrixNames(names, wanted, await mainMatrix(format));
  const failure = dataset.failures.get(wanted);
  if (failure !== undefined) throw failure;
  const isRaw = /(^|\/)raw\/X$/.test(wanted);
  const own = dataset.tables.get(wanted)?.metadata.shape;
  // The matrix of a modality has the modality's shape.
  if (!isRaw && !wanted.startsWith("mod/")) checkMatrixShape(wanted, own, shape);
  const { tables, failures } = await underNames(dataset, nameOf);
  const columns = isRaw && wanted === "raw/X" ? own?.[1] : undefined;
  const lost = leftOut.filter((name) => dataset.tables.get(name)?.derived !== true);
  const warning = `left out: ${lost.join(", ")}: ${wanted} takes the place of ${isRaw ? "the matrix and its variables" : "the matrix"}`;
  return {
    ...dataset,
    ...{ tables, failures },
    shape: shape !== null && columns !== undefined ? [shape[0], columns] : shape,
    warnings: lost.length === 0 ? dataset.warnings : [...dataset.warnings, warning],
  };
}

/**
 * Renames elements.
 * @throws {NotFoundError} for an element that does not exist.
 * @throws {InvalidInputError} for names that are already in use, and for new names on another axis.
 */
export async function withNewNames(dataset: WholeDataset, rename: NewNames): Promise<PartProperties> {
  const { format, shape, warnings } = dataset;
  const { axesOf, isOwnName } = await conversions.of(format === "tables" ? "anndata" : format);
  const names = namesIn(dataset);
  const nameOf = createElementRenamer(rename, {
    ...{ names, axesOf, isOwnName },
    hasColumns: (name) => dataset.tables.get(name)?.metadata.kind === "dataframe",
    shapeOf(name) {
      const table = dataset.tables.get(name);
      return table?.metadata.shape ?? (typeof table?.rows === "number" ? [table.rows] : null);
    },
    lengthOf: (axis) => dataset.tables.get(axis)?.rows ?? null,
  });
  const { tables: renamed, failures } = await underNames(dataset, nameOf);
  const isLeftOut = createOmittedNodeTest(names, names.map(nameOf));
  const tables = new Map<string, PartTable>();
  const origin: Origin = { ...dataset, tables };
  for (const [name, table] of renamed) {
    const listed = await withRenamedNodes(table, nameOf, origin);
    tables.set(name, await removeListedNodes(listed, isLeftOut));
  }
  return { format, tables, failures, shape, warnings };
}

/** Returns a mapping's derived table with renamed paths. */
async function withRenamedNodes(table: PartTable, nameOf: (path: string) => string, origin: Origin) {
  if (!table.derived) return table;
  const stored = table instanceof StoredTable ? table : await findTableInStore(table);
  if (stored !== null) return stored.withNodes(nameOf);
  const [columns, { ColumnDataTable }] = await Promise.all([
    toColumnTable(table),
    import("../tables/column-data-table.js"),
  ]);
  return new ColumnDataTable({ ...withPaths(columns, nameOf), origin: { dataset: origin, name: table.name } });
}

/** Returns the name that a format gives to the main matrix of a dataset that has layers. */
async function mainMatrix(format: Format): Promise<string> {
  const { axesOf } = await conversions.of(format);
  const [row] = axesOf("matrix");
  return row === null ? "X" : "matrix";
}

function namesIn({ tables, failures }: WholeDataset): readonly string[] {
  return [...tables.keys(), ...failures.keys()];
}

/** Returns a dataset's tables and failures under new names. */
async function underNames(
  { source, format, tables: given, failures: failed }: WholeDataset,
  nameOf: NewName,
): Promise<Pick<PartProperties, "tables" | "failures">> {
  const tables = new Map<string, PartTable>();
  const origin: Origin = { source, format, tables };
  for (const [name, table] of given) {
    const renamed = nameOf(name);
    if (renamed !== null) tables.set(renamed, await renamedTable(table, renamed, origin));
  }
  const failures = new Map<string, AnnarrowError>();
  for (const [name, error] of failed) {
    const renamed = nameOf(name);
    if (renamed !== null) failures.set(renamed, error);
  }
  return { tables, failures };
}

async function renamedTable(table: PartTable, name: string, origin: Origin): Promise<PartTable> {
  const stored = table instanceof StoredTable ? table : await findTableInStore(table);
  if (stored !== null) return name === stored.name ? stored.within(origin) : stored.renamed(name, origin);
  const [columns, { ColumnDataTable }] = await Promise.all([
    toColumnTable(table),
    import("../tables/column-data-table.js"),
  ]);
  return new ColumnDataTable({ ...renameColumnTable(columns, name), origin: { dataset: origin, name } });
}

/**
 * Returns the stored table that a user's table reads; null if there is none. Such tables have already loaded
 * apache-arrow.
 */
export async function findTableInStore(table: DataTable): Promise<StoredTable | null> {
  const { PlannedTable } = await import("../tables/planned-table.js");
  return table instanceof PlannedTable ? table.stored : null;
}

/**
 * Returns a mapping's derived table without some of its nodes. Tables from separate files are returned unchanged.
 */
export async function removeListedNodes(table: PartTable, isLeftOut: (path: string) => boolean): Promise<PartTable> {
  if (!table.derived) return table;
  const stored = table instanceof StoredTable ? table : await findTableInStore(table);
  return stored === null ? table : stored.withNodes((path) => (isLeftOut(path) ? null : path));
}
