/** Writes a dataset as a directory of tables: one file per table, and `manifest.json` (docs/mapping.md, section 1). */

import type { Column } from "../../arrow/column.js";
import type { Target } from "../../io/targets/target.js";
import type { DataTable, TableSet } from "../../model/dataset.js";
import { isUnsupportedOrInvalid } from "../../model/errors.js";
import { isCodec } from "../../parquet/write/compression.js";
import type { StoredEncoding } from "../../tables/encoded-table.js";
import { toDataTable } from "../../tables/given/table-forms.js";
import { StoredTable } from "../../tables/stored-table.js";
import type { SinkOptions } from "../stream.js";
import { chooseEncoding, type FormatOptions } from "./encode.js";
import { FileNames, type TableOutput, type TablesFormat, type Writing, type WrittenTable } from "./table-files.js";

/** The version of docs/mapping.md. */
const MAPPING_VERSION = 1;

export interface ManifestTable {
  readonly name: string;
  readonly file: string;
  readonly kind: string;
  readonly rows: number;
  readonly derived?: true;
  readonly categories?: Readonly<Record<string, string>>;
}

export interface TablesResult {
  readonly tables: readonly ManifestTable[];
  readonly warnings: readonly string[];
}

export interface TablesOptions extends FormatOptions {
  readonly format: TablesFormat;
  /** Whether to leave out tables that cannot be written, with a warning, instead of failing. */
  readonly lossy?: boolean;
}

/** How a table is written. This is decided before the files are named. */
interface Plan {
  readonly as: TablesFormat;
  /** Whether the table has nested columns, which CSV cannot hold. */
  readonly nested: boolean;
  /** Starts encoding the table, in workers if there are any. */
  begin(options: FormatOptions): Writing;
}

/**
 * Writes `tables` of `dataset` to `target`; the caller commits. A table that Parquet cannot hold becomes an `.arrow`
 * file. In CSV, an array has one column for each number in a row, and derived tables with nested columns are left out
 * with a warning. A table that CSV cannot hold, or whose data cannot be read, is an error, or is left out with a
 * warning if `lossy` is set.
 */
export async function writeTables(
  dataset: Omit<TableSet<unknown>, "close">,
  tables: readonly (DataTable | StoredTable)[],
  target: Target,
  options: TablesOptions,
): Promise<TablesResult> {
  const { format } = options;
  const names = new FileNames(["manifest.json"]);
  const written = new Map<string, ManifestTable>();
  const warnings: string[] = [];
  // Tables are named before the category files, so table names need no number suffixes.
  const planned: { table: DataTable | StoredTable; plan: Plan; file: string }[] = [];
  for (const table of tables) {
    const plan = await planOf(table, format, options);
    planned.push({ table, plan, file: names.file(table.name.split("/"), `.${plan.as}`) });
  }
  // The largest table is begun first and written last, so that workers encode it while this thread writes the small
  // ones.
  const order = [...planned].sort((a, b) => rowsOf(a.table) - rowsOf(b.table));
  const largest = order.at(-1)?.plan;
  const early = order.length > 1 ? largest?.begin(options) : undefined;
  try {
    for (const { table, plan, file } of order) {
      // A derived table contains no data of its own; it only lists the contents of other tables.
      if ((options.lossy || table.derived) && plan.nested && isText(plan.as)) {
        warnings.push(`left out: ${table.name}: nested columns, which ${plan.as} cannot hold`);
        continue;
      }
      let result: WrittenTable;
      try {
        const writing = plan === largest && early !== undefined ? early : plan.begin(options);
        result = await writing.write({ file, names, target });
      } catch (error) {
        if (!options.lossy || !isUnsupportedOrInvalid(error)) throw error;
        warnings.push(`left out: ${error.message}`);
        continue;
      }
      written.set(table.name, {
        name: table.name,
        file,
        kind: table.metadata.kind,
        rows: result.rows,
        derived: table.derived || undefined,
        categories: Object.keys(result.categories).length > 0 ? result.categories : undefined,
      });
    }
  } finally {
    await early?.close();
  }
  const listed = tables.flatMap(({ name }) => written.get(name) ?? []);
  await target.write("manifest.json", manifest(dataset, listed));
  return { tables: listed, warnings };
}

const isText = (format: TablesFormat) => format === "csv" || format === "tsv";

function rowsOf(table: DataTable | StoredTable): number {
  return table.rows ?? Number.POSITIVE_INFINITY;
}

async function planOf(table: DataTable | StoredTable, format: TablesFormat, options: FormatOptions): Promise<Plan> {
  const encoding = await chooseEncoding(table, format, options);
  if (table instanceof StoredTable && encoding.stored !== null) return storedPlan(table, format, encoding.stored);
  const { formatFor, isFlatTable, writeArrowTable } = await import("./arrow-tables.js");
  const given = await toDataTable(table);
  // Text formats have one field for each number in a row.
  const isColumns = isText(format) && !isFlatTable(given) && given.layouts.includes("columns");
  const arrow = isColumns ? await given.layout("columns") : given;
  const as = formatFor(arrow, format);
  return {
    as,
    nested: !isFlatTable(arrow),
    begin: (rest) => ({
      write: (output) => writeArrowTable(arrow, as, output, rest),
      close: async () => undefined,
    }),
  };
}

/**
 * Plans a file that is encoded without Arrow objects, and one file for each column whose categories that file would
 * lose.
 */
function storedPlan(table: StoredTable, as: TablesFormat, encoding: StoredEncoding): Plan {
  return {
    as,
    nested: false,
    begin(options) {
      const counted = countedRows(options);
      const { chunks, close } = prefetch(encoding.encode(counted.options));
      return {
        async write(output) {
          await output.target.write(output.file, chunks);
          const categories = encoding.hasCategories ? {} : await writeCategories(table, output, options);
          return { rows: counted.rows(), categories };
        },
        close,
      };
    },
  };
}

/** Writes all categories of each column in order to a Parquet file. Returns the files by column. */
async function writeCategories(
  table: StoredTable,
  { names, target }: TableOutput,
  { signal, compression = "zstd" }: FormatOptions,
): Promise<Readonly<Record<string, string>>> {
  const { encodeColumnParquet } = await import("../parquet/plain-parquet.js");
  const categories: Record<string, string> = {};
  for (const [name, values] of await dictionaries(table, { signal })) {
    const path = names.file([...`${table.name}.categories`.split("/"), name], ".parquet");
    await target.write(path, encodeColumnParquet(values, isCodec(compression) ? compression : "zstd"));
    Object.defineProperty(categories, name, { value: path, enumerable: true });
  }
  return categories;
}

/** Wraps the progress report so that it also counts the rows. */
function countedRows(options: SinkOptions): { readonly options: SinkOptions; readonly rows: () => number } {
  let rows = 0;
  const onProgress: SinkOptions["onProgress"] = (progress) => {
    rows = progress.done;
    options.onProgress?.(progress);
  };
  return { options: { ...options, onProgress }, rows: () => rows };
}

/** Reads the dictionaries of the table's columns by name, from a batch without rows. */
async function dictionaries(
  table: StoredTable,
  { signal }: SinkOptions,
): Promise<readonly (readonly [string, Column])[]> {
  const fields = table.fields.flatMap(({ type }, i) => (type.id === "Dictionary" ? [i] : []));
  if (fields.length === 0) return [];
  const columns = await table.noRows({ fields, signal });
  return columns.flatMap((column, i) =>
    column.layout === "dictionary" ? [[table.fields[fields[i]].name, column.dictionary] as const] : [],
  );
}

async function* manifest(
  dataset: Omit<TableSet<unknown>, "close">,
  tables: readonly ManifestTable[],
): AsyncGenerator<Uint8Array> {
  const { format, version, container, shape } = dataset;
  const content = { annarrow: MAPPING_VERSION, format, formatVersion: version, container, shape, tables };
  yield new TextEncoder().encode(`${JSON.stringify(content, null, 2)}\n`);
}

/**
 * Number of chunks requested in advance. The first one or two contain only the start of the file and cost nothing. With
 * three, at least one request starts the encoding of rows.
 */
const PREFETCHED_CHUNKS = 3;

export interface Prefetched<T> {
  readonly chunks: AsyncGenerator<T>;
  /** Closes the source, whether or not a chunk was read. */
  close(): Promise<unknown>;
}

/**
 * Starts `source` at once, so that its workers encode while the caller writes other tables. The caller must read
 * `chunks` to the end or call `close`.
 */
export function prefetch<T>(source: AsyncGenerator<T>): Prefetched<T> {
  const asked = Array.from({ length: PREFETCHED_CHUNKS }, () => ask(source));
  return { chunks: taken(source, asked), close: () => source.return(undefined) };
}

async function* taken<T>(source: AsyncGenerator<T>, asked: Promise<IteratorResult<T>>[]): AsyncGenerator<T> {
  try {
    for (let next = asked.shift(); next !== undefined; next = asked.shift()) {
      const result = await next;
      if (result.done) return;
      asked.push(ask(source));
      yield result.value;
    }
  } finally {
    await source.return(undefined);
  }
}

/** Requests the next chunk. Its error is only thrown when the consumer reaches the chunk. */
function ask<T>(source: AsyncGenerator<T>): Promise<IteratorResult<T>> {
  const next = source.next();
  next.catch(() => undefined);
  return next;
}
