/** Concatenates datasets along one axis, with the semantics of `anndata.concat`. */

import { findRepeatedName } from "../kernels/text/names.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { alignInputParts, type ConcatInput, getAxisLength, getOtherAxis, reportNames } from "./aligned-parts.js";
import { mergeUns } from "./merged.js";
import { findSharedName } from "./shared-names.js";
import {
  type ConcatTablesOptions,
  concatAxisFrame,
  concatElementsAlong,
  concatMainMatrices,
  concatPairMatrices,
  mergeTablesAcross,
  pickIndexColumn,
  type Warn,
} from "./united-elements.js";

export interface ConcatTables {
  readonly tables: ReadonlyMap<string, ColumnTable>;
  readonly shape: readonly [number, number];
  readonly warnings: readonly string[];
}

/**
 * Concatenates the tables of all datasets. This reads the names of the other axis, the categories, and the merged
 * elements. All other values are read only when the new tables are read.
 * @throws {InvalidInputError} if datasets do not fit together; the message names the dataset and the element.
 */
export async function concatTables(
  inputs: readonly ConcatInput[],
  options: ConcatTablesOptions,
): Promise<ConcatTables> {
  checkKeys(inputs.length, options.keys);
  const warnings: string[] = [];
  if (options.indexUnique === null) await reportShared(inputs, options, (text) => warnings.push(text));
  const { tables, shape } = await concatUnder("", inputs, options, (text) => warnings.push(text));
  for (const [name, table] of await rawTables(inputs, options, (text) => warnings.push(text))) tables.set(name, table);
  if (options.unsMerge !== null) {
    const all = inputs.map((input) => input.tables);
    for (const [name, table] of await mergeUns(all, options.unsMerge, options.signal)) tables.set(name, table);
  }
  const left = leftOut(inputs, tables);
  if (left.length > 0) warnings.push(`left out, by the rules of the join and the merge: ${left.join(", ")}`);
  return { tables, shape, warnings };
}

/** @throws {InvalidInputError} if there are no datasets, the number of keys is wrong, or keys are repeated. */
export function checkKeys(count: number, keys: readonly string[]): void {
  if (count === 0) throw new InvalidInputError("no dataset to put together");
  if (keys.length !== count) throw new InvalidInputError(`${keys.length} keys for ${count} datasets`);
  const repeated = findRepeatedName(keys);
  if (repeated !== null) {
    throw new InvalidInputError(
      `the key ${JSON.stringify(repeated)} is given twice; name each dataset by keys (--keys)`,
    );
  }
}

/** Warns if datasets share names along the concatenation axis, which makes the names ambiguous. */
async function reportShared(
  inputs: readonly ConcatInput[],
  { axis, signal }: ConcatTablesOptions,
  warn: Warn,
): Promise<void> {
  const named = inputs.map((input) => ({
    source: input.source,
    frame: input.tables.get(axis) ?? null,
    length: getAxisLength(input, axis),
  }));
  const shared = await findSharedName(named, axis, signal);
  if (shared === null) return;
  const { name, sources } = shared;
  warn(
    `${axis}: the name ${JSON.stringify(name)} is in ${sources[0]} and in ${sources[1]}; indexUnique (--index-unique) adds the datasets' keys to names`,
  );
}

/** Joins the tables below one prefix: `""` for the datasets themselves, `raw/` for their raw matrices. */
async function concatUnder(
  prefix: "" | "raw/",
  inputs: readonly ConcatInput[],
  options: ConcatTablesOptions,
  warn: Warn,
): Promise<Pick<ConcatTables, "shape"> & { readonly tables: Map<string, ColumnTable> }> {
  const { axis, join, pairwise } = options;
  const { parts, joined, index } = await alignInputParts(inputs, options);
  reportNames(parts, joined, { axis: `${prefix}${getOtherAxis(axis)}`, join, warn });
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const union = { ...options, prefix, parts, joined, index, length, warn };
  const tables = new Map([
    [`${prefix}${axis}`, await concatAxisFrame(union)],
    ...(await mergeTablesAcross(union)),
    ...(await concatMainMatrices(union)),
    ...(await concatElementsAlong(union)),
    ...(pairwise ? await concatPairMatrices(union) : []),
  ]);
  return { tables, shape: axis === "obs" ? [length, joined.length] : [joined.length, length] };
}

/** Concatenates the raw matrices if every dataset has one. */
async function rawTables(
  inputs: readonly ConcatInput[],
  options: ConcatTablesOptions,
  warn: Warn,
): Promise<ReadonlyMap<string, ColumnTable>> {
  const having = inputs.filter(({ tables }) => [...tables.keys()].some((name) => name.startsWith("raw/")));
  if (having.length === 0) return new Map();
  if (having.length < inputs.length) {
    warn(`raw: left out: only ${having.length} of ${inputs.length} datasets have it`);
    return new Map();
  }
  const raws = inputs.map(({ source, tables }) => {
    const own = new Map<string, ColumnTable>();
    for (const [name, table] of tables) {
      if (name.startsWith("raw/")) own.set(name.slice("raw/".length), table);
    }
    const [rows, columns] = own.get("X")?.metadata?.shape ?? [];
    const obs = tables.get("obs");
    if (obs !== undefined) own.set("obs", pickIndexColumn(obs));
    const shape = rows === undefined || columns === undefined ? null : ([rows, columns] as const);
    return { source, tables: own, shape };
  });
  const { tables } = await concatUnder("raw/", raws, { ...options, merge: null, pairwise: false }, warn);
  tables.delete("raw/obs");
  return tables;
}

/** Returns the names of input elements that are missing from the result. */
function leftOut(inputs: readonly ConcatInput[], tables: ReadonlyMap<string, ColumnTable>): readonly string[] {
  const names = new Set(
    inputs.flatMap((input) =>
      [...input.tables].flatMap(([name, { derived }]) => (derived || name.startsWith("raw/") ? [] : [name])),
    ),
  );
  return [...names].filter((name) => !tables.has(name));
}
