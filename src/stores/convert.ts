/** From a dataset to a store of an annotated matrix. Where it goes is the caller's: a `ContainerTarget`. */

import { indexOnly } from "../annotated/axis-names.js";
import { annotatedFormat, vocabularyOf } from "../annotated/formats.js";
import { type AnyTable, type ConvertOptions, type ConvertResult, chosenTables } from "../convert.js";
import type { Dataset, Format } from "../dataset.js";
import { InvalidInputError } from "../errors.js";
import { formatOf, type StoreFormat } from "../output.js";
import { columnTableOf } from "../tables/any-column-table.js";
import type { ColumnTable } from "../tables/column-table.js";
import type { ContainerTarget } from "../targets/target.js";
import { storeCompression } from "./compression.js";
import { type StoreOptions, writeStore } from "./write.js";

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
    for (const table of await chosenTables(dataset, options, warnings))
      tables.set(table.name, await columnTableOf(table));
    if (options.tables !== undefined) await addAxisNames(tables, dataset, formatOf(format), options);
  } catch (error) {
    await target.abort();
    throw error;
  }
  const given = { format: dataset.format, tables, shape: dataset.shape };
  const result = await writeStore(given, format, target, store);
  return { tables: result.tables, warnings: [...warnings, ...result.warnings] };
}

/** A matrix that is chosen alone for another format keeps the names of its rows and columns. */
async function addAxisNames(
  tables: Map<string, ColumnTable>,
  dataset: Dataset<AnyTable>,
  target: Format,
  { index = {} }: ConvertOptions,
): Promise<void> {
  const source = await vocabularyOf(dataset.format, tables.keys(), target);
  if (source === target && target === "anndata") return;
  const { namesOf } = await annotatedFormat(source);
  for (const name of [...tables.keys()].flatMap(namesOf)) {
    const table = dataset.tables.get(name);
    if (table === undefined || tables.has(name)) continue;
    const all = await columnTableOf(table);
    const names = source === "anndata" ? indexOnly(all, index[name]) : all;
    if (names !== null) tables.set(name, names);
  }
}

function storeOptions(options: ConvertOptions): StoreOptions {
  const { compression, positions, to, tables, layout, overwrite, ...rest } = options;
  if (positions) throw new InvalidInputError("positions are columns of tables; a store has none");
  if (compression === undefined) return rest;
  return { ...rest, compression: storeCompression(compression) };
}
