/** Adds row and column names from the datasets in which the tables were opened. */

import type { Format } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import type { ColumnTable, OriginElement } from "../../tables/column-table.js";
import { findNameDifference } from "../../tables/frame-index.js";
import { toColumnTable } from "../../tables/given/table-forms.js";
import { type Conversions, detectVocabulary } from "./conversions.js";
import type { NamedTables } from "./converted-tables.js";
import type { FormatConversion, NamesOptions } from "./view/format-conversion.js";

export interface OriginNamesOptions extends NamesOptions {
  /** Whether to include axes to which no table belongs. An AnnData has both axes in any case. */
  readonly beside: boolean;
  readonly conversions: Conversions;
  readonly signal?: AbortSignal;
}

/** A table of names, with the dataset and the table from which it is read. */
interface Names {
  readonly from: OriginElement;
  readonly format: FormatConversion;
  readonly table: ColumnTable;
}

/**
 * Adds the names along the axes of the given tables from the datasets in which the tables were opened, unless a given
 * table contains the names. Names are read only if two datasets contain them, to compare them.
 * @throws {InvalidInputError} if two datasets have different names for the same axis.
 */
export async function addOriginNames(
  given: NamedTables,
  target: Format,
  options: OriginNamesOptions,
): Promise<NamedTables> {
  const { conversions } = options;
  const own = await conversions.of(await detectVocabulary(given.format, given.tables.keys(), target, conversions));
  const tables = new Map(given.tables);
  for (const [axis, sources] of await axisSources(given, own, options)) {
    const frame = given.tables.get(axis);
    // A table from the caller takes precedence over the names in datasets.
    if (frame !== undefined && frame.origin?.dataset.format === undefined) continue;
    const all: Names[] = [];
    for (const source of sources) all.push(...((await namesAt(source, options)) ?? []));
    const [first, ...others] = all;
    for (const other of others) await checkSame(axis, first, other, options.signal);
    if (frame !== undefined || first === undefined) continue;
    const { format, table } = first;
    const names = format === own ? { ...table, name: axis } : own.fromIndex(format.asIndex(table), axis);
    if (names !== null) tables.set(axis, names);
  }
  return { ...given, tables };
}

/** Returns, by axis, the tables of names in the datasets to which the given tables belong. */
async function axisSources(
  { tables }: NamedTables,
  own: FormatConversion,
  { beside, conversions }: OriginNamesOptions,
): Promise<ReadonlyMap<string, readonly OriginElement[]>> {
  const all = new Map<string, OriginElement[]>();
  const add = (axis: string, source: OriginElement) => {
    const known = all.get(axis) ?? [];
    all.set(axis, known);
    if (!known.some(({ dataset, name }) => dataset.tables === source.dataset.tables && name === source.name))
      known.push(source);
  };
  for (const [name, { origin, derived }] of tables) {
    if (!origin || derived || origin.dataset.format === "tables") continue;
    const { dataset } = origin;
    const theirs = await conversions.of(dataset.format);
    const axes = theirs.axesOf(origin.name);
    for (const [dimension, axis] of own.axesOf(name).entries()) {
      const source = axes[dimension];
      if (axis !== null && source !== null) add(axis, { dataset, name: source });
    }
    if (!beside || theirs !== own) continue;
    for (const axis of own.axesBeside(name)) add(axis, { dataset, name: axis });
  }
  return all;
}

/** Returns the names; null if the dataset contains none at `from`. */
async function namesAt(from: OriginElement, options: OriginNamesOptions): Promise<readonly [Names] | null> {
  const { dataset, name } = from;
  const parts = new Map<string, ColumnTable>();
  for (const [part, table] of dataset.tables) {
    if (part === name || part.startsWith(`${name}/`)) parts.set(part, await toColumnTable(table));
  }
  const format = await options.conversions.of(dataset.format);
  const table = format.onlyNames(name, parts, options);
  return table === null ? null : [{ from, format, table }];
}

async function checkSame(axis: string, one: Names, other: Names, signal: AbortSignal | undefined): Promise<void> {
  const [mine, theirs] = [one, other].map(({ format, table }) => format.asIndex(table));
  const difference = await findNameDifference(mine, theirs, signal);
  if (difference === null) return;
  const [first, second] = [one, other].map(({ from }, i) => {
    const name = difference.names[i];
    return `${name === null ? "nothing" : JSON.stringify(name)} in ${from.dataset.source} (${from.name})`;
  });
  throw new InvalidInputError(
    `the tables come from datasets with other names: position ${difference.position} is ${first}, ${second}; give ${axis} as a table of your own where its names are those of all`,
    { element: axis },
  );
}
