/** A dataset's axes: the positions that a selector selects, the names, and the matrices that have both axes. */

import { CELL } from "../arrow/fragments.js";
import { decodeTextValues } from "../arrow/text.js";
import type { FormatConversion, MainAxes } from "../formats/conversion/view/format-conversion.js";
import { conversions } from "../formats/formats.js";
import type { DataTable } from "../model/dataset.js";
import { InvalidInputError, isAnnarrowError, NotFoundError } from "../model/errors.js";
import { findNearestNames } from "../model/nearest.js";
import type { AxisSelector } from "../model/selection.js";
import { findMatchingRows, readNamesColumn } from "../selection/axis-columns.js";
import { AxisNameCache, type NamesOfAxis } from "../selection/axis-names.js";
import { resolveAxisPositions } from "../selection/axis-positions.js";
import type { ChosenAxes } from "../selection/part-of-dataset.js";
import type { ColumnTable } from "../tables/column-table.js";
import { toColumnTable, toDataTable } from "../tables/given/table-forms.js";
import { selectTableColumns } from "../tables/reshaped-tables.js";
import { StoredTable } from "../tables/stored-table.js";
import { findTableInStore, type PartTable, type WholeDataset } from "./renamed-dataset.js";

/** Maximum length of an axis for which columns are searched for names that the index lacks. */
const MAX_SEARCHED = 2 ** 18;

export interface AxisOfDataset {
  /** The name of the axis in messages, such as `obs` or `raw/var`. */
  readonly called: string;
  /** The table that describes the axis. */
  readonly table: string;
  readonly length: () => number;
  readonly tables: ReadonlyMap<string, PartTable>;
  readonly conversion: FormatConversion;
  /** Names that were read before. */
  readonly known: AxisNameCache;
  /** All names, for an axis whose names are not in any table of the dataset. */
  readonly names?: NamesOfAxis;
}

/**
 * Returns the positions that a selector selects on an axis, in the selector's order.
 * @param column the column that contains the names; the index if absent.
 */
export async function findAxisPositions(
  selector: AxisSelector,
  axis: AxisOfDataset,
  signal: AbortSignal | undefined,
  column?: string,
): Promise<Int32Array> {
  return resolveAxisPositions(selector, {
    called: axis.called,
    length: axis.length(),
    names: () => readNamesOfAxis(axis, signal, column),
    columnWith: (names) => columnWith(axis, names, signal),
    inOtherCase: (name) => inOtherCase(axis, name, signal),
    matching: async (predicate) => {
      const table = await toDataTable(describing(axis));
      if (predicate.kind === "where") return findMatchingRows(table, predicate, signal);
      const { querySqlPositions } = await import("#platform/predicates");
      return querySqlPositions(table, () => dataTables(axis.tables), predicate, signal);
    },
  });
}

async function dataTables(tables: ReadonlyMap<string, PartTable>): Promise<ReadonlyMap<string, DataTable>> {
  const all = new Map<string, DataTable>();
  for (const [name, table] of tables) all.set(name, await toDataTable(table));
  return all;
}

/** Returns the names of an axis; null if it has none. */
function readNamesOfAxis(
  axis: AxisOfDataset,
  signal: AbortSignal | undefined,
  column?: string,
): Promise<NamesOfAxis | null> {
  if (axis.names !== undefined && column === undefined) return Promise.resolve(axis.names);
  return axis.known.of(axis.called, column, async () => {
    if (column !== undefined) return readNamesColumn(await columnOf(axis, column), signal);
    const { table: name, tables, conversion } = axis;
    const parts = new Map<string, ColumnTable>();
    for (const [key, table] of tables) {
      if (key === name || key.startsWith(`${name}/`)) parts.set(key, await toColumnTable(table));
    }
    const table = conversion.onlyNames(name, parts, { index: {}, names: { obs: null, var: null } });
    return table === null ? null : readNamesColumn(table, signal);
  });
}

/**
 * Returns a column of the table that describes an axis.
 * @throws {NotFoundError} if there is no such column.
 */
async function columnOf(axis: AxisOfDataset, column: string): Promise<ColumnTable> {
  const table = await toColumnTable(describing(axis));
  const place = table.fields.findIndex(({ name }) => name === column);
  if (place < 0) {
    const near = findNearestNames(
      column,
      table.fields.map(({ name }) => name),
    );
    throw new NotFoundError(`${table.name} has no column ${JSON.stringify(column)}; did you mean ${near.join(", ")}?`);
  }
  const alone = table.only?.([place]);
  return alone ?? selectTableColumns(table, table.name, [{ place, field: table.fields[place] }], null);
}

/**
 * Finds the first text column that contains all of `names`. Returns null if there is no such column, or if the table
 * cannot be read.
 */
async function columnWith(
  axis: AxisOfDataset,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string | null> {
  return firstInTexts(axis, signal, (column, texts) => {
    const found = new Set(texts);
    return names.every((one) => found.has(one)) ? column : null;
  });
}

/** Finds the first text that equals `name` except for case, and the column that contains it. */
async function inOtherCase(
  axis: AxisOfDataset,
  name: string,
  signal: AbortSignal | undefined,
): Promise<{ column: string; text: string } | null> {
  const folded = name.toLowerCase();
  return firstInTexts(axis, signal, (column, texts) => {
    const text = texts.find((one) => one?.toLowerCase() === folded);
    return text === undefined ? null : { column, text };
  });
}

/**
 * Returns the first result that `find` returns for a text column. Returns null if there is none, or if the table cannot
 * be read.
 */
async function firstInTexts<T>(
  axis: AxisOfDataset,
  signal: AbortSignal | undefined,
  find: (column: string, texts: readonly string[]) => T | null,
): Promise<T | null> {
  if (axis.length() > MAX_SEARCHED || !axis.tables.has(axis.table)) return null;
  try {
    const { fields } = await toColumnTable(describing(axis));
    for (const { name, type } of fields) {
      const text = type.id === "Dictionary" ? type.value : type;
      if (text.id !== "Utf8") continue;
      const found = find(name, await readNamesColumn(await columnOf(axis, name), signal));
      if (found !== null) return found;
    }
  } catch (error) {
    // The caller already has an error, which this one must not hide.
    if (!isAnnarrowError(error)) throw error;
  }
  return null;
}

/** Returns the table that describes an axis. Conditions refer to this table's columns. */
function describing({ tables, table: name }: AxisOfDataset): PartTable {
  const table = tables.get(name);
  if (table === undefined) throw new InvalidInputError(`no ${name}, whose columns are asked for`);
  return table;
}

/** The fragments of a dataset that contains nothing else, and the names of the cells in them. */
interface FragmentCells {
  readonly table: string;
  readonly names: NamesOfAxis;
}

/** Returns the cells of a dataset that contains only fragments; null for other datasets. */
async function fragmentCells(
  tables: ReadonlyMap<string, PartTable>,
  known: AxisNameCache,
): Promise<FragmentCells | null> {
  const [[table, fragments] = [], ...others] = tables;
  if (table === undefined || fragments?.metadata.kind !== "fragments" || others.length > 0) return null;
  const stored = fragments instanceof StoredTable ? fragments : await findTableInStore(fragments);
  if (stored === null) return null;
  const names = await known.of("obs", undefined, async () => {
    const [column] = await stored.noRows({ fields: [CELL] });
    if (column.layout !== "dictionary" || column.dictionary.layout !== "variable")
      throw new TypeError("names expected");
    return decodeTextValues(column.dictionary).map((name) => name ?? "");
  });
  return names === null ? null : { table, names };
}

export class DatasetAxes {
  readonly conversion: FormatConversion;
  readonly main: MainAxes;
  readonly #dataset: WholeDataset;
  readonly #known: AxisNameCache;
  readonly #cells: FragmentCells | null;
  readonly tables: ReadonlyMap<string, PartTable>;

  private constructor(
    dataset: WholeDataset,
    tables: ReadonlyMap<string, PartTable>,
    known: AxisNameCache,
    { conversion, main }: Pick<DatasetAxes, "conversion" | "main">,
    cells: FragmentCells | null,
  ) {
    this.#cells = cells;
    this.#dataset = dataset;
    this.#known = known;
    this.tables = tables;
    this.conversion = conversion;
    this.main = main;
  }

  /** @param known names in these tables that were read earlier. */
  static async of(
    dataset: WholeDataset,
    tables: ReadonlyMap<string, PartTable>,
    known = new AxisNameCache(),
  ): Promise<DatasetAxes> {
    const conversion = await conversions.of(dataset.format);
    const cells = await fragmentCells(tables, known);
    const main =
      cells === null
        ? conversion.mainAxes([...tables.keys()])
        : ({ obs: cells.table, var: "var", rows: "obs" } as const);
    if (main === null) {
      throw new InvalidInputError("it does not have one obs and one var: open one of its matrices", {
        source: dataset.source,
      });
    }
    return new DatasetAxes(dataset, tables, known, { conversion, main }, cells);
  }

  /** @param column the column that contains the names; the index if omitted. */
  async positions(
    called: "obs" | "var",
    selector: AxisSelector,
    signal: AbortSignal | undefined,
    column?: string,
  ): Promise<Int32Array> {
    return findAxisPositions(selector, this.#axis(called), signal, column);
  }

  /** Returns the names of an axis; null if it has none. */
  async names(called: "obs" | "var", signal: AbortSignal | undefined): Promise<NamesOfAxis | null> {
    return readNamesOfAxis(this.#axis(called), signal);
  }

  #axis(called: "obs" | "var"): AxisOfDataset {
    const { tables, conversion } = this;
    const length = () => this.length(called);
    const axis = { called, table: this.main[called], length, tables, conversion, known: this.#known };
    // Fragments have cell names, but no table that describes the cells.
    return this.#cells === null || called !== "obs" ? axis : { ...axis, table: called, names: this.#cells.names };
  }

  /** Returns the axes of an element by the element's name. */
  axesOf(name: string): readonly [row: string | null, col: string | null] {
    return name === this.#cells?.table ? [name, null] : this.conversion.axesOf(name);
  }

  /** Returns the shape of the part that these positions select. */
  shapeOf(chosen: ChosenAxes): readonly [number, number] | null {
    const { shape } = this.#dataset;
    if (shape === null) return null;
    const { obs, var: variables, rows } = this.main;
    const [first, second] = rows === "obs" ? [obs, variables] : [variables, obs];
    return [chosen.get(first)?.length ?? shape[0], chosen.get(second)?.length ?? shape[1]];
  }

  length(called: "obs" | "var"): number {
    if (this.#cells !== null && called === "obs") return this.#cells.names.all.length;
    const { shape, source } = this.#dataset;
    const rows = this.tables.get(this.main[called])?.rows ?? shape?.[called === this.main.rows ? 0 : 1];
    if (rows !== undefined && rows !== null) return rows;
    throw new InvalidInputError(`it has no ${called}`, { source });
  }

  /**
   * Returns the main matrix, or a layer.
   * @throws {NotFoundError} if there is no such layer.
   */
  matrix(layer: string | undefined): PartTable {
    const { obs, var: variables, rows } = this.main;
    const [first, second] = rows === "obs" ? [obs, variables] : [variables, obs];
    const matrices = [...this.tables].filter(([name]) => {
      const [row, col] = this.conversion.axesOf(name);
      return row === first && col === second;
    });
    const isLayer = (name: string) => /(^|\/)layers\/./.test(name);
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
   * Returns a column of the table that describes an axis.
   * @throws {NotFoundError} if there is no such column.
   */
  column(called: "obs" | "var", column: string): Promise<ColumnTable> {
    return columnOf(this.#axis(called), column);
  }
}
