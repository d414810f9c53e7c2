/** From a dataset to a store of an annotated matrix. Where it goes is the caller's: a `ContainerTarget`. */

import { vocabularyOf } from "../annotated/formats.js";
import { formatOf, type StoreFormat } from "../formats/output.js";
import type { Dataset, Format } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { storeCompression } from "../stores/compression.js";
import { type StoreOptions, writeStore } from "../stores/write.js";
import type { ColumnTable } from "../tables/column-table.js";
import { columnTableOf } from "../tables/given/any-column-table.js";
import { MOST_UNWRITTEN_BYTES } from "../tables/stored-table.js";
import type { ContainerTarget } from "../targets/target.js";
import { type AnyTable, type ConvertOptions, type ConvertResult, chosenTables } from "./convert.js";

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
    for (const table of await chosenTables(dataset, { ...options, ...tablesOfElements(dataset, options) }, warnings)) {
      const columns = await columnTableOf(table, options.lossy ? null : MOST_UNWRITTEN_BYTES);
      tables.set(table.name, { ...columns, origin: { dataset, name: table.name } });
    }
    await checkLayout(tables, dataset.format, formatOf(format), options);
  } catch (error) {
    await target.abort();
    throw error;
  }
  const given = { format: dataset.format, tables, shape: dataset.shape };
  const isChosen = options.tables !== undefined;
  const result = await writeStore(given, format, target, store, isChosen);
  return { tables: result.tables, warnings: [...warnings, ...result.warnings] };
}

/** Of variables that are chosen one by one, the others are not looked at. */
function tablesOfElements(
  dataset: Dataset<AnyTable>,
  { tables, elements }: ConvertOptions,
): Pick<ConvertOptions, "tables"> {
  if (elements === undefined || tables !== undefined || dataset.format !== "matlab") return {};
  const paths = Object.values(elements).flatMap((path) => [path, path.replaceAll(".", "/")]);
  const known = [...dataset.tables.keys(), ...dataset.failures.keys()];
  const chosen = known.filter((name) => paths.some((path) => name === path || name.startsWith(`${path}/`)));
  // Without any, the error says what there is.
  return chosen.length === 0 ? {} : { tables: chosen };
}

/** @throws {InvalidInputError} where a matrix is wanted dense that is turned, which is done to entries alone. */
async function checkLayout(
  tables: ReadonlyMap<string, ColumnTable>,
  format: Format,
  target: Format,
  { layout }: ConvertOptions,
): Promise<void> {
  if (layout !== "dense") return;
  const source = await vocabularyOf(format, tables.keys(), target);
  if (source === target || (source !== "loom" && source !== "bpcells")) return;
  throw new InvalidInputError(
    `from ${source} to ${target}, rows become columns, which entries do alone: leave out the layout`,
  );
}

function storeOptions(options: ConvertOptions): StoreOptions {
  const { compression, positions, to, tables, layout, overwrite, ...rest } = options;
  if (positions) throw new InvalidInputError("positions are columns of tables; a store has none");
  if (compression === undefined) return rest;
  return { ...rest, compression: storeCompression(compression) };
}
