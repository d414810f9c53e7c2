/** From a dataset to a store of an annotated matrix. Where it goes is the caller's: a `ContainerTarget`. */

import { type AnyTable, type ConvertOptions, type ConvertResult, chosenTables } from "./convert.js";
import type { Dataset, DataTable } from "./dataset.js";
import { InvalidInputError } from "./errors.js";
import type { StoreFormat } from "./output.js";
import { storeCompression } from "./store-compression.js";
import type { ColumnTable } from "./tables/column-table.js";
import { StoredTable } from "./tables/stored-table.js";
import type { ContainerTarget } from "./targets/target.js";
import { type StoreOptions, writeStore } from "./write-store.js";

/**
 * Writes `dataset` to `target`, and commits it, or leaves nothing.
 * @throws the error of the first element that cannot be read, or that the store cannot hold, unless `lossy`.
 */
export async function convertToStore(
  dataset: Dataset<AnyTable>,
  format: StoreFormat,
  target: ContainerTarget,
  options: ConvertOptions = {},
): Promise<ConvertResult> {
  const warnings = [...dataset.warnings];
  const tables = new Map<string, ColumnTable>();
  let store: StoreOptions;
  try {
    store = storeOptions(options);
    for (const table of await chosenTables(dataset, options, warnings)) tables.set(table.name, await columns(table));
  } catch (error) {
    await target.abort();
    throw error;
  }
  const result = await writeStore({ tables, shape: dataset.shape }, format, target, store);
  return { tables: result.tables, warnings: [...warnings, ...result.warnings] };
}

/** Tables of an opened file need no Arrow object. */
async function columns(table: AnyTable): Promise<ColumnTable> {
  const { storedColumnTable } = await import("./tables/stored-column-table.js");
  if (table instanceof StoredTable) return storedColumnTable(table);
  const stored = await storedTable(table);
  if (stored !== null) return storedColumnTable(stored);
  return (await import("./tables/arrow-column-table.js")).columnTable(table);
}

async function storedTable(table: DataTable): Promise<StoredTable | null> {
  const { PlannedTable } = await import("./tables/planned-table.js");
  return table instanceof PlannedTable ? table.stored : null;
}

function storeOptions(options: ConvertOptions): StoreOptions {
  const { compression, positions, to, tables, layout, overwrite, ...rest } = options;
  if (positions) throw new InvalidInputError("positions are columns of tables; a store has none");
  if (compression === undefined) return rest;
  return { ...rest, compression: storeCompression(compression) };
}
