/** `select`: a part of a dataset, chosen by cells and genes. */

import type { FormatConversion, MainAxes } from "../conversion/view/format-conversion.js";
import { conversions } from "../formats/formats.js";
import type { DataTable, VectorOptions } from "../model/dataset.js";
import {
  type AnnarrowError,
  InvalidInputError,
  isAnnarrowError,
  NotFoundError,
  UnsupportedError,
} from "../model/errors.js";
import { nearest } from "../model/nearest.js";
import type { AxisSelector, Selection } from "../model/selection.js";
import { matchingRows, namesIn } from "../selection/axis-columns.js";
import { type AxisGroups, groupsOf } from "../selection/axis-groups.js";
import { KnownNames, type NamesOfAxis } from "../selection/axis-names.js";
import { axisPositions, type SelectableAxis } from "../selection/axis-positions.js";
import { type MatrixVector, vectorsAt, vectorsInStream } from "../selection/axis-vectors.js";
import { followModalities } from "../selection/modalities.js";
import { partOfColumns } from "../selection/part-of-columns.js";
import { type ChosenAxes, type PartChoice, partOfTables } from "../selection/part-of-dataset.js";
import type { ReadOptions } from "../sources/source.js";
import type { ColumnTable } from "../tables/column-table.js";
import { columnTableOf, dataTableOf } from "../tables/given/table-forms.js";
import { chosenColumns } from "../tables/reshaped-tables.js";
import { type Origin, StoredTable } from "../tables/stored-table.js";
import { type PartProperties, type PartTable, renamedDataset, storedOf, type WholeDataset } from "./renamed-dataset.js";

/** The longest axis whose columns are searched for names that it does not have. */
const MAX_SEARCHED = 2 ** 18;

/**
 * Takes a part of `dataset`: the modality, then its main matrix, then observations and variables.
 * @throws {NotFoundError} for names that an axis does not have.
 * @throws {InvalidInputError} for positions outside an axis, and where the dataset has no such axis.
 */
export async function partOf(
  whole: WholeDataset,
  selection: Selection,
  known = new KnownNames(),
): Promise<PartProperties> {
  const { signal, obs, var: variables, dropUnused = false } = selection;
  const dataset = await renamedDataset(whole, selection);
  const { format, warnings } = dataset;
  if (obs === undefined && variables === undefined && !dropUnused) {
    const { tables, failures, shape } = dataset;
    return { format, tables, failures, shape, warnings };
  }
  const stored = await storedTables(dataset);
  const axes = await DatasetAxes.of(dataset, dataset.tables, dataset === whole ? known : new KnownNames());
  const chosen = new Map<string, Int32Array>();
  for (const called of ["obs", "var"] as const) {
    const selector = selection[called];
    if (selector !== undefined) chosen.set(axes.main[called], await axes.positions(called, selector, signal));
  }
  const options = signal === undefined ? {} : { signal };
  const { source } = dataset;
  if (format === "mudata" && stored.read.size > 0) {
    throw new UnsupportedError(
      "no part of modalities in files of their own: write them as .h5mu first, or give modality",
    );
  }
  const maps = format === "mudata" ? await followModalities(stored.tables, chosen, options) : new Map();
  const { axesOf } = axes.conversion;
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
  return {
    ...{ format, warnings, tables },
    failures: new Map([...dataset.failures, ...part.failures, ...others.failures]),
    shape: axes.shapeOf(chosen),
  };
}

/** The dataframes that lie along one of `wanted`: the tables of the axes themselves, and others as `obsm/df`. */
function framesAlong(wanted: ReadonlySet<string>, { tables, conversion }: DatasetAxes): readonly string[] {
  return [...tables].flatMap(([name, { metadata }]) => {
    const [rows] = conversion.axesOf(name);
    return rows !== null && wanted.has(rows) && metadata.kind === "dataframe" ? [name] : [];
  });
}

/** The names of an axis; null where it has only positions. */
export async function axisNames(
  dataset: WholeDataset,
  called: "obs" | "var",
  known: KnownNames,
  signal: AbortSignal | undefined,
): Promise<readonly string[] | null> {
  const names = await (await DatasetAxes.of(dataset, dataset.tables, known)).names(called, signal);
  // The caller may change its list.
  return names?.all.slice() ?? null;
}

/**
 * Reads the matrix' values of some genes over all cells, or of some cells over all genes.
 * @throws {NotFoundError} for a name or a layer that is not there.
 */
export async function axisVectors(
  dataset: WholeDataset,
  called: "obs" | "var",
  wanted: readonly string[],
  { layer, names, signal }: VectorOptions,
  known: KnownNames,
): Promise<ReadonlyMap<string, MatrixVector>> {
  const options = signal === undefined ? {} : { signal };
  const axes = await DatasetAxes.of(dataset, dataset.tables, known);
  const matrix = axes.matrix(layer);
  const positions = await axes.positions(called, wanted, signal, names);
  const other = called === "obs" ? "var" : "obs";
  const axis = called === axes.main.rows ? "row" : "col";
  const how = { axis, positions, length: axes.length(other) } as const;
  const stored = matrix instanceof StoredTable ? matrix : await storedOf(matrix);
  const vectors =
    stored === null
      ? await vectorsInStream(await columnTableOf(matrix), how, options)
      : await vectorsAt(stored, how, options);
  return new Map(wanted.map((name, i) => [name, vectors[i]]));
}

/**
 * Groups the positions of an axis by the values of a column.
 * @throws {NotFoundError} where the axis has no such column.
 * @throws {InvalidInputError} for a column whose values make no groups.
 */
export async function axisGroups(
  dataset: WholeDataset,
  called: "obs" | "var",
  column: string,
  options: ReadOptions,
): Promise<AxisGroups> {
  return groupsOf(await (await DatasetAxes.of(dataset, dataset.tables)).column(called, column), options);
}

/** The number of positions of an axis. */
export async function axisLength(dataset: WholeDataset, called: "obs" | "var"): Promise<number> {
  return (await DatasetAxes.of(dataset, dataset.tables)).length(called);
}

/** Separates the stored tables of a dataset from tables that are read batch by batch, as from files of their own. */
async function storedTables({ tables }: WholeDataset) {
  const stored = new Map<string, StoredTable>();
  const read = new Map<string, DataTable>();
  for (const [name, table] of tables) {
    const own = table instanceof StoredTable ? table : await storedOf(table);
    if (own !== null) stored.set(name, own);
    else if (!(table instanceof StoredTable)) read.set(name, table);
  }
  return { tables: stored, read };
}

/** The parts of tables that are read batch by batch. Tables without a chosen axis stay as they are. */
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
      if (!isAnnarrowError(error)) throw error;
      failures.set(name, error);
    }
  }
  return { tables, failures };
}

/** The two axes of a dataset. */
class DatasetAxes {
  readonly conversion: FormatConversion;
  readonly main: MainAxes;
  readonly #dataset: WholeDataset;
  readonly #known: KnownNames;
  readonly tables: ReadonlyMap<string, PartTable>;

  private constructor(
    dataset: WholeDataset,
    tables: ReadonlyMap<string, PartTable>,
    known: KnownNames,
    { conversion, main }: Pick<DatasetAxes, "conversion" | "main">,
  ) {
    this.#dataset = dataset;
    this.#known = known;
    this.tables = tables;
    this.conversion = conversion;
    this.main = main;
  }

  /** @param known names of these tables that were read before. */
  static async of(
    dataset: WholeDataset,
    tables: ReadonlyMap<string, PartTable>,
    known = new KnownNames(),
  ): Promise<DatasetAxes> {
    const conversion = await conversions.of(dataset.format);
    const main = conversion.mainAxes([...tables.keys()]);
    if (main === null) {
      throw new InvalidInputError("it does not have one obs and one var: open one of its matrices", {
        source: dataset.source,
      });
    }
    return new DatasetAxes(dataset, tables, known, { conversion, main });
  }

  /** @param column the column that holds the names; the index where it is absent. */
  async positions(
    called: "obs" | "var",
    selector: AxisSelector,
    signal: AbortSignal | undefined,
    column?: string,
  ): Promise<Int32Array> {
    const axis: SelectableAxis = {
      called,
      length: this.length(called),
      names: () => this.names(called, signal, column),
      columnWith: (names) => this.#columnWith(called, names, signal),
      matching: async (predicate) => {
        const table = await this.#described(called);
        if (predicate.kind === "where") return matchingRows(table, predicate, signal);
        const { matchingSql } = await import("#platform/predicates");
        return matchingSql(table, predicate, signal);
      },
    };
    return axisPositions(selector, axis);
  }

  /** The names of an axis; null where it has none. */
  names(called: "obs" | "var", signal: AbortSignal | undefined, column?: string): Promise<NamesOfAxis | null> {
    return this.#known.of(called, column, async () =>
      column === undefined ? this.#index(called, signal) : namesIn(await this.column(called, column), signal),
    );
  }

  async #index(called: "obs" | "var", signal: AbortSignal | undefined): Promise<readonly string[] | null> {
    const name = this.main[called];
    const parts = new Map();
    for (const [key, table] of this.tables) {
      if (key === name || key.startsWith(`${name}/`)) parts.set(key, await columnTableOf(table));
    }
    const table = this.conversion.onlyNames(name, parts, { index: {}, names: { obs: null, var: null } });
    return table === null ? null : namesIn(table, signal);
  }

  /** The shape of the part with these positions. */
  shapeOf(chosen: ChosenAxes): readonly [number, number] | null {
    const { shape } = this.#dataset;
    if (shape === null) return null;
    const { obs, var: variables, rows } = this.main;
    const [first, second] = rows === "obs" ? [obs, variables] : [variables, obs];
    return [chosen.get(first)?.length ?? shape[0], chosen.get(second)?.length ?? shape[1]];
  }

  length(called: "obs" | "var"): number {
    const { shape, source } = this.#dataset;
    const rows = this.tables.get(this.main[called])?.rows ?? shape?.[called === this.main.rows ? 0 : 1];
    if (rows !== undefined && rows !== null) return rows;
    throw new InvalidInputError(`it has no ${called}`, { source });
  }

  /**
   * The main matrix, or a layer.
   * @throws {NotFoundError} where there is none of that name.
   */
  matrix(layer: string | undefined): PartTable {
    const { obs, var: variables, rows } = this.main;
    const [first, second] = rows === "obs" ? [obs, variables] : [variables, obs];
    const matrices = [...this.tables].filter(([name]) => {
      const [row, col] = this.conversion.axesOf(name);
      return row === first && col === second;
    });
    const isLayer = (name: string) => /(^|\/)layers\/[^/]+$/.test(name);
    const found = matrices.find(([name]) =>
      layer === undefined ? !isLayer(name) : isLayer(name) && name.endsWith(`layers/${layer}`),
    );
    if (found !== undefined) return found[1];
    const known = matrices.map(([name]) => name);
    throw new NotFoundError(
      `no ${layer === undefined ? "main matrix" : `layer ${JSON.stringify(layer)}`}; there are ${known.join(", ") || "no matrices"}`,
    );
  }

  /**
   * A column of the table that describes an axis.
   * @throws {NotFoundError} where there is none of that name.
   */
  async column(called: "obs" | "var", column: string): Promise<ColumnTable> {
    const table = await columnTableOf(this.#describing(called));
    const place = table.fields.findIndex(({ name }) => name === column);
    if (place < 0) {
      const near = nearest(
        column,
        table.fields.map(({ name }) => name),
      );
      throw new NotFoundError(
        `${table.name} has no column ${JSON.stringify(column)}; did you mean ${near.join(", ")}?`,
      );
    }
    const alone = table.only?.([place]);
    return alone ?? chosenColumns(table, table.name, [{ place, field: table.fields[place] }], null);
  }

  /** The first column of text that has all of `names`; null where none has them, or the table cannot be read. */
  async #columnWith(
    called: "obs" | "var",
    names: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<string | null> {
    if (this.length(called) > MAX_SEARCHED || !this.tables.has(this.main[called])) return null;
    try {
      const { fields } = await columnTableOf(this.#describing(called));
      for (const { name, type } of fields) {
        const text = type.id === "Dictionary" ? type.value : type;
        if (text.id !== "Utf8") continue;
        const found = new Set(await namesIn(await this.column(called, name), signal));
        if (names.every((one) => found.has(one))) return name;
      }
    } catch (error) {
      // The caller has an error already, which must not be hidden.
      if (!isAnnarrowError(error)) throw error;
    }
    return null;
  }

  /** The table that describes an axis, whose columns a condition names. */
  #describing(called: "obs" | "var"): PartTable {
    const table = this.tables.get(this.main[called]);
    if (table === undefined) throw new InvalidInputError(`no ${this.main[called]}, whose columns are asked for`);
    return table;
  }

  async #described(called: "obs" | "var"): Promise<DataTable> {
    const table = this.#describing(called);
    return table instanceof StoredTable ? dataTableOf(table) : table;
  }
}
