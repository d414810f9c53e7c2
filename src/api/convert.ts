/** Converts a dataset to table files, which are written to the caller's `Target`. */

import type { StoreCompression } from "../formats/compression.js";
import type { CommonStoreOptions } from "../formats/format.js";
import { checkTableOptions } from "../formats/formats.js";
import type { DirectoryFormat, OutputFormat, TableFormat, TablesOutput } from "../formats/output.js";
import { type AnyStoreOptions, type Exclusive, type OwnStoreOptions, STORE_OPTIONS } from "../formats/store-options.js";
import { ACCESS_OPTIONS } from "../io/schemes/registry.js";
import type { AccessOptions } from "../io/schemes/scheme.js";
import type { Target } from "../io/targets/target.js";
import type { DataTable, Layout, Progress, TableSet } from "../model/dataset.js";
import { InvalidInputError, isAnnarrowError, isFromOutside, withRemedy } from "../model/errors.js";
import type { KeyOf, NamesOf } from "../model/option-names.js";
import { isParquetCompression, PARQUET_COMPRESSIONS, type ParquetCompression } from "../parquet/write/compression.js";
import type { FormatOptions } from "../sinks/directory/encode.js";
import type { ColumnTable } from "../tables/column-table.js";
import { toDataTable } from "../tables/given/table-forms.js";
import { StoredTable } from "../tables/stored-table.js";
import { MAX_UNWRITTEN_BYTES } from "../tables/unwritten-values.js";

export type AnyTable = DataTable | StoredTable;

/** Options for an output's location: whether existing outputs are replaced, and access to addresses. */
export interface OutputLocationOptions extends AccessOptions {
  /** Whether to replace an existing output; false by default. */
  readonly overwrite?: boolean;
}

/** Options that select the tables to convert and their layout. */
interface ChosenTables extends OutputLocationOptions {
  /** Names of the tables to write; all by default. */
  readonly tables?: readonly string[];
  /**
   * Layout of every table that supports it. The default is the stored layout. In CSV and TSV, `dense` matrices are
   * written as sheets: each line starts with the name of an observation, and each column has the name of a variable as
   * its header.
   */
  readonly layout?: Layout;
  /** Whether to add the positions `row` and `col` to tables along an axis; false by default. */
  readonly positions?: boolean;
  /**
   * Column of `obs` by which the observations are sorted: categories in their order, numbers ascending, and text by
   * code point. Observations without a value come last. Observations with equal values keep their order. Only for
   * outputs at paths, since sorting may need a temporary file.
   */
  readonly sortObs?: string;
}

/** Options for table files. `10x` writes fragments as text. */
interface TableFileOptions {
  readonly format?: DirectoryFormat | "10x";
  readonly compression?: ParquetCompression;
  /**
   * In CSV and TSV, whether to write a `'` before text that spreadsheets run as a formula, as `csv` does; false by
   * default.
   */
  readonly safeText?: boolean;
}

/** Options for a DuckDB database file, which can only be written to a path. */
interface DatabaseFileOptions {
  readonly format?: "duckdb";
}

/** A format that is known only at run time. It may have the options of any format. */
interface AnyFormatOfOutput {
  readonly format?: OutputFormat;
}

type OwnOptions = OwnStoreOptions | TableFileOptions | DatabaseFileOptions | AnyFormatOfOutput;

/**
 * Options for the written output. `format` is needed if the output's name does not determine it: `parquet`, `arrow`,
 * `csv`, `tsv`, a store, `duckdb`, or `10x`. Options that belong to another format are rejected.
 */
export type OutputOptions = Omit<CommonStoreOptions, "compression" | "level"> &
  Exclusive<OwnOptions, KeyOf<OwnOptions>>;

export type ConvertOptions = ChosenTables & OutputOptions;

const PLACE_OPTIONS = {
  overwrite: true,
  ...ACCESS_OPTIONS,
} as const satisfies NamesOf<OutputLocationOptions>;

/** The names of the options for an output at a path, except those that select tables. */
export const OUTPUT_OPTIONS: NamesOf<OutputOptions & OutputLocationOptions & Pick<ConvertOptions, "sortObs">> = {
  ...STORE_OPTIONS,
  ...PLACE_OPTIONS,
  ...{ sortObs: true, safeText: true },
};

export const CONVERT_OPTIONS: NamesOf<ConvertOptions> = {
  ...OUTPUT_OPTIONS,
  ...{ tables: true, layout: true, positions: true },
};

/** Options for outputs whose format is not known yet. */
export interface AnyConvertOptions extends ChosenTables, Omit<AnyStoreOptions, "compression"> {
  readonly format?: string;
  readonly compression?: ParquetCompression | StoreCompression;
  readonly safeText?: boolean;
}

/**
 * Collects the names of dataframes that contain unreadable data, so that damaged columns need not be searched for
 * before writing. The conversion fails at the first such dataframe, and the caller then tries again with null, which
 * means that damaged columns are searched for.
 */
export type UnreadFrames = Set<string> | null;

export interface ConvertResult {
  /** The written tables. `file` is a table's path in a directory of tables. */
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly file?: string }[];
  readonly warnings: readonly string[];
}

/**
 * Writes the tables of `dataset` to `target` and commits it. If an error occurs, nothing is left behind.
 * @throws the error of the first element that cannot be read, unless `lossy` is set.
 */
export async function convertDataset(
  dataset: TableSet<AnyTable>,
  output: TablesOutput,
  target: Target,
  options: AnyConvertOptions = {},
  unread: UnreadFrames = null,
): Promise<ConvertResult> {
  try {
    checkTableOptions(options);
    if (!isText(output)) refuseSafeText(options);
    const warnings = [...(target.warnings ?? []), ...dataset.warnings];
    const chosen = await selectOutputTables(dataset, options, warnings, unread);
    const tables = options.layout === "dense" && isText(output) ? await sheets(dataset, chosen) : chosen;
    const result = await writeTablesTo({ dataset, tables }, output, target, options);
    await target.commit();
    return { tables: result.tables, warnings: [...warnings, ...result.warnings] };
  } catch (error) {
    await target.abort();
    throw error;
  }
}

/** @throws {InvalidInputError} if `safeText` is given for an output that is not text. */
export function refuseSafeText({ safeText }: Pick<AnyConvertOptions, "safeText">): void {
  if (safeText) throw new InvalidInputError("only CSV and TSV have safe text (--safe-text)");
}

const isText = (output: TablesOutput): boolean =>
  output.kind !== "fragments" && (output.format === "csv" || output.format === "tsv");

async function sheets(dataset: TableSet<AnyTable>, tables: readonly AnyTable[]): Promise<readonly AnyTable[]> {
  const { toWideCsv } = await import("../formats/sheets.js");
  return toWideCsv(dataset, tables);
}

/** Returns the selected tables of `dataset` in the requested layout. */
export async function selectOutputTables(
  dataset: TableSet<AnyTable>,
  options: AnyConvertOptions,
  warnings: string[],
  unread: UnreadFrames,
): Promise<readonly AnyTable[]> {
  const names = options.tables ?? [...dataset.tables.keys()];
  for (const [name, error] of dataset.failures) {
    const isPart = names.some((table) => dataset.tables.has(table) && name.startsWith(`${table}/`));
    if (options.tables === undefined || isPart) {
      // A disk or network failure does not mean that the element is damaged.
      if (isFromOutside(error)) throw error;
      if (!options.lossy) throw withRemedy(error, `allow losses (--lossy) to write what can be read, without ${name}`);
      warnings.push(`left out: ${error.message}`);
    }
  }
  const { layout } = options;
  const chosen: AnyTable[] = [];
  for (const name of new Set(names)) {
    let table: AnyTable;
    try {
      table = dataset.table(name);
    } catch (error) {
      if (!options.lossy || !dataset.failures.has(name) || !isAnnarrowError(error) || isFromOutside(error)) throw error;
      warnings.push(`left out: ${error.message}`);
      continue;
    }
    if (table instanceof StoredTable) table = await readableTable(table, options, warnings, unread);
    chosen.push(layout !== undefined && table.layouts.includes(layout) ? await table.layout(layout) : table);
  }
  if (layout !== undefined && !names.some((name) => dataset.tables.get(name)?.layouts.includes(layout))) {
    const layouts = new Set(names.flatMap((name) => dataset.tables.get(name)?.layouts ?? []));
    const choice = layouts.size === 0 ? "" : `; there is ${[...layouts].join(", ")}`;
    throw new InvalidInputError(`no table that is to be written has the layout "${layout}"${choice}`);
  }
  if (!options.positions) return chosen;
  const [{ addPositionColumn }, { describeRenamedColumns }] = await Promise.all([
    import("../tables/table-columns.js"),
    import("../tables/distinct-columns.js"),
  ]);
  const positioned: DataTable[] = [];
  for (const one of chosen) {
    const table = addPositionColumn(await toDataTable(one));
    const warning = describeRenamedColumns(table);
    if (warning !== null) warnings.push(warning);
    positioned.push(table);
  }
  return positioned;
}

/** Returns a stored table to be written. If `lossy` is set, columns that cannot be read are left out. */
async function readableTable(
  table: StoredTable,
  { lossy, signal }: AnyConvertOptions,
  warnings: string[],
  unread: UnreadFrames,
): Promise<StoredTable> {
  const options = { signal };
  let chosen = lossy ? table : table.limited(MAX_UNWRITTEN_BYTES);
  if (unread !== null && table.metadata.kind === "dataframe") {
    chosen = chosen.watched((cause) => {
      unread.add(table.name);
      return new Error(`${table.name} is read again without its damaged columns`, { cause });
    });
  }
  try {
    const { dropUnreadableColumns, findRepeatedCategories } = await import("../tables/readable-columns.js");
    if (lossy && unread === null) {
      const readable = await dropUnreadableColumns(table, options);
      chosen = readable.table;
      for (const [column, { problem }] of readable.failures) {
        warnings.push(`left out: ${table.name}/${column}: ${problem}`);
      }
    }
    for (const column of await findRepeatedCategories(chosen, options)) {
      warnings.push(`${table.name}/${column}: a category is stored more than once, and is written once`);
    }
    return chosen;
  } catch (error) {
    // The same error occurs again when the table is written, and is reported there.
    if (isAnnarrowError(error)) return chosen;
    throw error;
  }
}

/** The tables of a dataset that are to be written. */
interface Selection {
  readonly dataset: TableSet<AnyTable>;
  readonly tables: readonly AnyTable[];
}

function writeTablesTo(
  selection: Selection,
  output: TablesOutput,
  target: Target,
  options: AnyConvertOptions,
): Promise<ConvertResult> {
  switch (output.kind) {
    case "directory":
      return writeDirectory(selection, output.format, target, options);
    case "file":
    case "stdout":
      return writeOne(selection.tables, output.format, target, options);
    case "fragments":
      return writeFragments(selection, output, target, options);
    default:
      return output satisfies never;
  }
}

async function writeFragments(
  { dataset: { format, shape }, tables }: Selection,
  { gzip }: Extract<TablesOutput, { kind: "fragments" }>,
  target: Target,
  options: AnyConvertOptions,
): Promise<ConvertResult> {
  const { toColumnTable } = await import("../tables/given/table-forms.js");
  const { writeFragmentsText } = await import("../formats/fragments.js");
  const named = new Map<string, ColumnTable>();
  for (const table of tables) named.set(table.name, await toColumnTable(table));
  return writeFragmentsText({ format, shape, tables: named }, gzip, target, options);
}

async function writeDirectory(
  { dataset, tables }: Selection,
  format: DirectoryFormat,
  target: Target,
  options: AnyConvertOptions,
): Promise<ConvertResult> {
  const { writeTables } = await import("../sinks/directory/tables.js");
  return writeTables(dataset, tables, target, { ...sinkOptions(options), lossy: options.lossy || undefined, format });
}

async function writeOne(
  tables: readonly AnyTable[],
  format: TableFormat,
  target: Target,
  options: AnyConvertOptions,
): Promise<ConvertResult> {
  const [table] = tables;
  if (table === undefined || tables.length > 1) {
    const names = tables.map((candidate) => candidate.name);
    const known = names.length > 12 ? [...names.slice(0, 12), "…"] : names;
    throw new InvalidInputError(`one file holds one table: name it with --table; there are ${known.join(", ")}`);
  }
  const { chooseEncoding } = await import("../sinks/directory/encode.js");
  const encoding = await chooseEncoding(table, format, sinkOptions(options));
  const isLossy = format === "parquet" && encoding.stored === null;
  const warnings = isLossy ? await lostCategories(await toDataTable(table)) : [];
  let rows = 0;
  const counted = (progress: Progress) => {
    rows = progress.done;
    options.onProgress?.(progress);
  };
  await target.write(table.name, encoding.encode({ ...sinkOptions(options), onProgress: counted }));
  return { tables: [{ name: table.name, rows, file: `${table.name}.${format}` }], warnings };
}

/** Warns about categories whose order a single Parquet file cannot store. A directory stores them in separate files. */
async function lostCategories(table: DataTable): Promise<string[]> {
  const { DataType } = await import("apache-arrow");
  const columns = table.schema.fields.filter((field) => DataType.isDictionary(field.type)).map((field) => field.name);
  if (columns.length === 0) return [];
  const first = columns.slice(0, 3).join(", ") + (columns.length > 3 ? ", …" : "");
  return [
    `${table.name}: Parquet keeps neither unused categories nor their order (${first}); .arrow or a directory does`,
  ];
}

function sinkOptions(options: AnyConvertOptions): FormatOptions {
  const { signal, onProgress, compression, safeText } = options;
  if (compression !== undefined && !isParquetCompression(compression)) {
    throw new InvalidInputError(`Parquet has no ${compression}; there are ${PARQUET_COMPRESSIONS.join(", ")}`);
  }
  return {
    signal,
    onProgress,
    compression,
    safeText: safeText || undefined,
  };
}
