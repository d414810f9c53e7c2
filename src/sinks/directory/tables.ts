/** A dataset as a directory of tables: one file per table, and `manifest.json` (docs/mapping.md, section 1). */

import type { Dataset, DataTable } from "../../model/dataset.js";
import { isAnnarrowError } from "../../model/errors.js";
import { dataTableOf } from "../../tables/given/table-forms.js";
import { StoredTable } from "../../tables/stored-table.js";
import type { Target } from "../../targets/target.js";
import type { ParquetOptions } from "../parquet/parquet.js";
import { storedCodec } from "./encode.js";
import { FileNames, type TablesFormat, type Writing, type WrittenTable } from "./table-files.js";

/** Of docs/mapping.md. */
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

/** A table with the way that it is written, which is known before any file has its name. */
interface Plan {
  readonly as: TablesFormat;
  /** Why CSV cannot hold it. */
  readonly nested: boolean;
  /** Begins to encode it, in workers if these do. */
  begin(options: ParquetOptions): Writing;
}

/**
 * Writes `tables` of `dataset` to `target` and commits nothing: that is the caller's.
 * A table that Parquet cannot hold becomes an `.arrow` file; one that CSV cannot hold or whose data cannot be read is
 * an error, or, with `lossy`, left out with a warning.
 */
export async function writeTables(
  dataset: Omit<Dataset<unknown>, "close">,
  tables: readonly (DataTable | StoredTable)[],
  format: TablesFormat,
  target: Target,
  options: ParquetOptions & { readonly lossy?: boolean } = {},
): Promise<TablesResult> {
  const names = new FileNames(["manifest.json"]);
  const written = new Map<string, ManifestTable>();
  const warnings: string[] = [];
  // Tables first: their names stay plain, whatever the files of categories are called.
  const places: { table: DataTable | StoredTable; plan: Plan; file: string }[] = [];
  for (const table of tables) {
    const plan = await planOf(table, format, options);
    places.push({ table, plan, file: names.file(table.name.split("/"), `.${plan.as}`) });
  }
  // The largest is begun first and written last: workers encode it while this thread is busy with the small ones.
  const order = [...places].sort((a, b) => rowsOf(a.table) - rowsOf(b.table));
  const largest = order.at(-1)?.plan;
  const early = order.length > 1 ? largest?.begin(options) : undefined;
  try {
    for (const { table, plan, file } of order) {
      if (options.lossy && plan.nested && (plan.as === "csv" || plan.as === "tsv")) {
        warnings.push(`left out: ${table.name}: nested columns, which ${plan.as} cannot hold`);
        continue;
      }
      let result: WrittenTable;
      try {
        const writing = plan === largest && early !== undefined ? early : plan.begin(options);
        result = await writing.write(file, names, target);
      } catch (error) {
        if (!options.lossy || !isAnnarrowError(error, "InvalidDataError", "UnsupportedError")) throw error;
        warnings.push(`left out: ${error.message}`);
        continue;
      }
      written.set(table.name, {
        name: table.name,
        file,
        kind: table.metadata.kind,
        rows: result.rows,
        ...(table.derived ? { derived: true } : {}),
        ...(Object.keys(result.categories).length > 0 ? { categories: result.categories } : {}),
      });
    }
  } finally {
    await early?.close();
  }
  const listed = tables.flatMap(({ name }) => written.get(name) ?? []);
  await target.write("manifest.json", manifest(dataset, listed));
  return { tables: listed, warnings };
}

function rowsOf(table: DataTable | StoredTable): number {
  return table.rows ?? Number.POSITIVE_INFINITY;
}

/** Stored tables become IPC files, flat ones Parquet, without Arrow objects; all others go through these. */
async function planOf(table: DataTable | StoredTable, format: TablesFormat, options: ParquetOptions): Promise<Plan> {
  if (table instanceof StoredTable) {
    const codec = format === "parquet" ? await storedCodec(table, options) : null;
    if (codec !== null) {
      const { beginStoredTable } = await import("./stored-tables.js");
      return { as: "parquet", nested: false, begin: (rest) => beginStoredTable(table, codec, rest) };
    }
    if (format === "arrow") {
      const { beginStoredIpc } = await import("./stored-tables.js");
      return { as: "arrow", nested: false, begin: (rest) => beginStoredIpc(table, rest) };
    }
  }
  const { formatFor, isFlatTable, writeArrowTable } = await import("./arrow-tables.js");
  const arrow = table instanceof StoredTable ? await dataTableOf(table) : table;
  const as = formatFor(arrow, format);
  return {
    as,
    nested: !isFlatTable(arrow),
    begin: (rest) => ({
      write: (file, names, target) => writeArrowTable(arrow, file, as, names, target, rest),
      close: async () => undefined,
    }),
  };
}

async function* manifest(
  dataset: Omit<Dataset<unknown>, "close">,
  tables: readonly ManifestTable[],
): AsyncGenerator<Uint8Array> {
  const { format, version, container, shape } = dataset;
  const content = { annarrow: MAPPING_VERSION, format, formatVersion: version, container, shape, tables };
  yield new TextEncoder().encode(`${JSON.stringify(content, null, 2)}\n`);
}
