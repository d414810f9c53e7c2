/** Converts a dataset to a store for annotated matrices, which is written to the caller's `ContainerTarget`. */

import { storeCompression } from "../formats/compression.js";
import { detectVocabulary } from "../formats/conversion/conversions.js";
import { conversions } from "../formats/formats.js";
import { getWrittenStore, type StoreFormat } from "../formats/output.js";
import type { AnyStoreOptions } from "../formats/store-options.js";
import { writeStore } from "../formats/write-store.js";
import type { ContainerTarget } from "../io/targets/target.js";
import type { Format, TableSet } from "../model/dataset.js";
import { InvalidInputError } from "../model/errors.js";
import { GENES_BY_CELLS } from "../model/formats/descriptor.js";
import { formatNamed } from "../model/formats/registry.js";
import { createOmittedNodeTest } from "../selection/chosen-elements.js";
import type { ColumnTable } from "../tables/column-table.js";
import { toColumnTable } from "../tables/given/table-forms.js";
import { MAX_UNWRITTEN_BYTES } from "../tables/unwritten-values.js";
import {
  type AnyConvertOptions,
  type AnyTable,
  type ConvertResult,
  refuseSafeText,
  selectOutputTables,
  type UnreadFrames,
} from "./convert.js";
import { removeListedNodes } from "./renamed-dataset.js";

/**
 * Writes `dataset` to `target` and commits it. If an error occurs, nothing is left behind.
 * @throws the error of the first element that cannot be read or stored, unless `lossy` is set.
 */
export async function convertToStore(
  dataset: TableSet<AnyTable>,
  format: StoreFormat,
  target: ContainerTarget,
  options: AnyConvertOptions = {},
  unread: UnreadFrames = null,
): Promise<ConvertResult> {
  const warnings = [...dataset.warnings];
  const tables = new Map<string, ColumnTable>();
  const goal = getWrittenStore(format).format;
  let store: AnyStoreOptions;
  try {
    store = storeOptions(options);
    const chosen = await selectOutputTables(
      dataset,
      { ...options, tables: tablesOfElements(dataset, options) },
      warnings,
      unread,
    );
    const names = [...dataset.tables.keys(), ...dataset.failures.keys()];
    const kept = chosen.map(({ name }) => name);
    const isLeftOut = options.tables === undefined ? null : createOmittedNodeTest(names, kept);
    for (const given of chosen) {
      const table = isLeftOut === null ? given : await removeListedNodes(given, isLeftOut);
      const columns = await toColumnTable(table, options.lossy ? null : MAX_UNWRITTEN_BYTES);
      const element = dataset.format === "tables" ? await elementOfFile(columns, dataset, goal, options) : columns;
      tables.set(element.name, { ...element, origin: { dataset, name: table.name } });
    }
    await checkLayout(tables, dataset.format, goal, options);
  } catch (error) {
    await target.abort();
    throw error;
  }
  const isChosen = options.tables !== undefined;
  const given = { format: dataset.format, tables, shape: dataset.shape, isChosen };
  const result = await writeStore(given, format, target, store);
  return { tables: result.tables, warnings: [...warnings, ...result.warnings] };
}

/**
 * Converts a table from a file to the element that it represents. Lists of entries written by other programs become a
 * matrix. If a shape is given, a file's only table becomes `X`, whatever the name of the file.
 * @throws {InvalidInputError} for the only table in another program's file if its meaning cannot be determined.
 */
async function elementOfFile(
  table: ColumnTable,
  dataset: TableSet<AnyTable>,
  target: Format,
  { shape }: AnyConvertOptions,
): Promise<ColumnTable> {
  const { withEntryLists } = await import("../tables/given/entry-lists.js");
  if (dataset.tables.size > 1 || (await isNamedAsElement(table.name))) return withEntryLists(table);
  if (shape !== undefined) return withEntryLists({ ...table, name: "X" });
  const isForeign = table.metadata === null || table.metadata.kind === "table";
  // MATLAB variables may have any name.
  if (!isForeign || target === "matlab") return withEntryLists(table);
  throw new InvalidInputError(
    "no element has the name of this file: a matrix becomes X with its shape (--shape ROWS,COLUMNS); name other tables (--obs FILE, --var FILE, --element NAME=FILE)",
    { element: table.name },
  );
}

async function isNamedAsElement(name: string): Promise<boolean> {
  for (const format of conversions.formats) {
    if ((await conversions.of(format)).isOwnName(name)) return true;
  }
  return false;
}

/** Selects the tables of those variables that the caller specifies as elements. Other tables are not opened. */
function tablesOfElements(
  dataset: TableSet<AnyTable>,
  { tables, elements }: AnyConvertOptions,
): AnyConvertOptions["tables"] {
  if (elements === undefined || tables !== undefined || dataset.format !== "matlab") return tables;
  const paths = Object.values(elements).flatMap((path) => [path, path.replaceAll(".", "/")]);
  const known = [...dataset.tables.keys(), ...dataset.failures.keys()];
  const chosen = known.filter((name) => paths.some((path) => name === path || name.startsWith(`${path}/`)));
  // If nothing matches, the error of the conversion lists all variables.
  return chosen.length === 0 ? undefined : chosen;
}

/** @throws {InvalidInputError} for a dense layout of a transposed matrix. Only sparse entries can be transposed. */
async function checkLayout(
  tables: ReadonlyMap<string, ColumnTable>,
  format: Format,
  target: Format,
  { layout }: AnyConvertOptions,
): Promise<void> {
  if (layout !== "dense") return;
  const source = await detectVocabulary(format, tables.keys(), target, conversions);
  if (source === target || formatNamed(source).axes !== GENES_BY_CELLS) return;
  throw new InvalidInputError(
    `from ${source} to ${target}, rows become columns, which entries do alone: leave out the layout`,
  );
}

/** @throws {InvalidInputError} for options that apply only to tables. */
export function storeOptions(options: AnyConvertOptions): AnyStoreOptions {
  const { compression, positions, format, tables, layout, overwrite, sortObs, http, safeText, ...rest } = options;
  refuseSafeText({ safeText: safeText ?? false });
  if (positions) throw new InvalidInputError("positions are columns of tables; a store has none");
  if (compression === undefined) return rest;
  return { ...rest, compression: storeCompression(compression) };
}
