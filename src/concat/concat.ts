/** Puts datasets together along one axis, with the meaning of `anndata.concat`. */

import { repeatedName } from "../kernels/text/names.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { concatFrames, indexTexts, unnamedFrame } from "./frames.js";
import { type AxisNames, equalNames, type Join, joinedNames, placesOf } from "./joined-names.js";
import { concatMatrix } from "./matrices.js";
import { type MergeStrategy, mergedAcross, mergedUns } from "./merged.js";
import { tableOfWhole, wholeFrame } from "./whole-tables.js";

/** A dataset whose tables have the names of AnnData. */
export interface ConcatInput {
  /** The name of the dataset in errors. */
  readonly source: string;
  readonly tables: ReadonlyMap<string, ColumnTable>;
  /** [observations, variables]; null where only the tables obs and var tell them. */
  readonly shape: readonly [number, number] | null;
}

export interface ConcatTablesOptions {
  readonly axis: "obs" | "var";
  readonly join: Join;
  readonly merge: MergeStrategy | null;
  readonly unsMerge: MergeStrategy | null;
  readonly label: string | null;
  /** A key for each dataset. */
  readonly keys: readonly string[];
  readonly indexUnique: string | null;
  readonly fillValue: number | null;
  readonly pairwise: boolean;
  readonly lossy: boolean;
  readonly signal: AbortSignal | undefined;
}

export interface ConcatTables {
  readonly tables: ReadonlyMap<string, ColumnTable>;
  readonly shape: readonly [number, number];
  readonly warnings: readonly string[];
}

/** A dataset with the lengths and the names of its axes. */
interface Part extends ConcatInput {
  readonly length: number;
  readonly across: number;
  readonly names: AxisNames;
  /** The new positions along the other axis, -1 where one is left out; null where all stay in place. */
  readonly places: Int32Array | null;
}

/**
 * Puts the tables of all datasets together. This reads the names of the other axis, the categories, and the elements that
 * are merged. All other values are read when the new tables are read.
 * @throws {InvalidInputError} where datasets do not fit together: the message names the dataset and the element.
 */
export async function concatTables(
  inputs: readonly ConcatInput[],
  options: ConcatTablesOptions,
): Promise<ConcatTables> {
  checkKeys(inputs.length, options);
  const warnings: string[] = [];
  const { tables, shape } = await concatUnder("", inputs, options, (text) => warnings.push(text));
  for (const [name, table] of await rawTables(inputs, options, (text) => warnings.push(text))) tables.set(name, table);
  if (options.unsMerge !== null) {
    const all = inputs.map((input) => input.tables);
    for (const [name, table] of await mergedUns(all, options.unsMerge, options.signal)) tables.set(name, table);
  }
  const left = leftOut(inputs, tables);
  if (left.length > 0) warnings.push(`left out, by the rules of the join and the merge: ${left.join(", ")}`);
  return { tables, shape, warnings };
}

/** @throws {InvalidInputError} for no dataset, another number of keys, and keys that repeat. */
function checkKeys(count: number, { keys }: ConcatTablesOptions): void {
  if (count === 0) throw new InvalidInputError("no dataset to put together");
  if (keys.length !== count) throw new InvalidInputError(`${keys.length} keys for ${count} datasets`);
  const repeated = repeatedName(keys);
  if (repeated !== null) throw new InvalidInputError(`the key ${JSON.stringify(repeated)} is given twice`);
}

type Warn = (text: string) => void;

/** Puts the tables below one prefix together: `""` for the datasets themselves, `raw/` for their raw matrices. */
async function concatUnder(
  prefix: "" | "raw/",
  inputs: readonly ConcatInput[],
  options: ConcatTablesOptions,
  warn: Warn,
): Promise<{ tables: Map<string, ColumnTable>; shape: readonly [number, number] }> {
  const { axis, join, label, keys, indexUnique, lossy, signal } = options;
  const other = axis === "obs" ? "var" : "obs";
  const { parts, joined, index } = await alignedParts(inputs, options);
  reportNames(parts, joined, `${prefix}${other}`, join, warn);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const shape = axis === "obs" ? ([length, joined.length] as const) : ([joined.length, length] as const);
  const tables = new Map<string, ColumnTable>();
  const frames = parts.map((part, i) => ({
    source: part.source,
    frame: part.tables.get(axis) ?? unnamedFrame(axis, part.length),
    suffix: indexUnique === null ? "" : `${indexUnique}${keys[i]}`,
  }));
  const describe = { join, lossy, signal, warn };
  tables.set(
    `${prefix}${axis}`,
    await concatFrames(frames, {
      ...describe,
      name: `${prefix}${axis}`,
      label: label === null ? null : { name: label, keys },
    }),
  );
  const merged =
    options.merge === null
      ? null
      : await mergedAcross(parts, { axis: other, joined, index, merge: options.merge, signal });
  const across = `${prefix}${other}`;
  tables.set(across, merged?.get(other) ?? tableOfWhole(across, wholeFrame(index, joined, [])));
  for (const [name, table] of merged ?? []) if (name !== other) tables.set(name, table);
  for (const name of elementNames(parts, join, (one) => one === "X" || one.startsWith("layers/"))) {
    const matrices = parts.map((part) => ({ ...part, table: part.tables.get(name) ?? null }));
    const how = { name: `${prefix}${name}`, along: axis === "obs" ? 0 : 1, across: joined.length } as const;
    tables.set(how.name, await concatMatrix(matrices, { ...options, ...how, form: "any", warn }));
  }
  for (const name of elementNames(parts, join, (one) => one.startsWith(`${axis}m/`))) {
    const given = parts.map((part) => ({ ...part, table: part.tables.get(name) ?? null }));
    const own = `${prefix}${name}`;
    const there = given.filter(({ table }) => table !== null);
    const [framed, unframed] = [true, false].map((is) =>
      there.find(({ table }) => (table?.metadata?.kind === "dataframe") === is),
    );
    if (framed !== undefined && unframed !== undefined) {
      throw new InvalidInputError(
        `it is a dataframe here, in ${unframed.source} a matrix, which are not put together`,
        {
          source: framed.source,
          element: own,
        },
      );
    }
    if (unframed === undefined) {
      const below = given.map(({ table, source }, i) => ({
        ...frames[i],
        source,
        frame: table ?? onlyIndex(frames[i].frame),
      }));
      tables.set(own, await concatFrames(below, { ...describe, name: own, label: null }));
      continue;
    }
    const widths = there.map(({ table }) => columnsOf(table));
    const width = join === "inner" ? Math.min(...widths) : Math.max(...widths);
    const matrices = given.map((part) => {
      const mine = part.table === null ? 0 : columnsOf(part.table);
      return { ...part, across: mine, places: mine === width ? null : firstPlaces(mine, width) };
    });
    tables.set(
      own,
      await concatMatrix(matrices, { ...options, name: own, along: 0, across: width, form: "any", warn }),
    );
  }
  if (options.pairwise) {
    for (const name of elementNames(parts, join, (one) => one.startsWith(`${axis}p/`))) {
      let first = 0;
      const blocks = parts.map((part) => {
        const start = first;
        first += part.length;
        const places = Int32Array.from({ length: part.length }, (_, i) => start + i);
        return { ...part, table: part.tables.get(name) ?? null, across: part.length, places };
      });
      const how = { name: `${prefix}${name}`, along: 0, across: length, form: "blocks" } as const;
      tables.set(how.name, await concatMatrix(blocks, { ...options, ...how, warn }));
    }
  }
  return { tables, shape };
}

/** Puts the raw matrices together, where each dataset has one. */
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
    if (obs !== undefined) own.set("obs", onlyIndex(obs));
    const shape = rows === undefined || columns === undefined ? null : ([rows, columns] as const);
    return { source, tables: own, shape };
  });
  const { tables } = await concatUnder("raw/", raws, { ...options, merge: null, pairwise: false }, warn);
  tables.delete("raw/obs");
  return tables;
}

/** The frame without its columns. */
function onlyIndex(frame: ColumnTable): ColumnTable {
  const index = frame.fields.findIndex(({ name }) => name === frame.metadata?.index);
  return index < 0 ? frame : (frame.only?.([index]) ?? frame);
}

interface Aligned {
  readonly parts: readonly Part[];
  readonly joined: AxisNames;
  /** Name of the index of the other axis. */
  readonly index: string;
}

async function alignedParts(
  inputs: readonly ConcatInput[],
  { axis, join, signal }: ConcatTablesOptions,
): Promise<Aligned> {
  const other = axis === "obs" ? "var" : "obs";
  const [main, second] = axis === "obs" ? ([0, 1] as const) : ([1, 0] as const);
  // Lists of names are kept once: most datasets share theirs.
  const known: AxisNames[] = [];
  const named = [];
  for (const input of inputs) {
    signal?.throwIfAborted();
    const length = lengthOf(input, axis, main);
    const across = lengthOf(input, other, second);
    const frame = input.tables.get(other) ?? unnamedFrame(other, across);
    const own = await indexTexts(frame, signal);
    const names = known.find((one) => equalNames(one, own)) ?? own;
    if (names === own) known.push(own);
    named.push({ ...input, length, across, names });
  }
  const joined = joinedNames(named, join, other);
  const order = new Map(joined.map((name, place) => [name, place]));
  const places = new Map(known.map((names) => [names, placesOf(names, joined, order)]));
  const indices = new Set(inputs.map(({ tables }) => tables.get(other)?.metadata?.index));
  const [index] = indices.size === 1 ? [...indices] : [];
  return {
    parts: named.map((part) => ({ ...part, places: places.get(part.names) ?? null })),
    joined,
    index: typeof index === "string" ? index : "_index",
  };
}

function lengthOf({ tables, shape, source }: ConcatInput, axis: "obs" | "var", dimension: 0 | 1): number {
  const length = tables.get(axis)?.rows ?? shape?.[dimension] ?? tables.get("X")?.metadata?.shape?.[dimension];
  if (length !== undefined && length !== null) return length;
  throw new InvalidInputError(`nothing says how many ${axis} it has`, { source });
}

function reportNames(parts: readonly Part[], joined: AxisNames, axis: string, join: Join, warn: Warn): void {
  if (parts.every(({ places }) => places === null)) return;
  if (join === "inner") {
    const most = Math.max(...parts.map(({ across }) => across));
    if (joined.length < most) warn(`${axis}: ${joined.length} names are in all datasets, which have up to ${most}`);
    return;
  }
  const least = Math.min(...parts.map(({ across }) => across));
  if (least < joined.length) warn(`${axis}: ${joined.length} names of all datasets, which have ${least} at least`);
}

/** The wanted elements that all datasets have, or for an outer join any dataset, in the order of the datasets. */
function elementNames(parts: readonly Part[], join: Join, isWanted: (name: string) => boolean): readonly string[] {
  const leaves = ({ tables }: Part) =>
    [...tables].flatMap(([name, { derived }]) => (derived || !isWanted(name) ? [] : [name]));
  const all = [...new Set(parts.flatMap(leaves))];
  return join === "outer" ? all : all.filter((name) => parts.every(({ tables }) => tables.has(name)));
}

/** The number of columns of a matrix. */
function columnsOf(table: ColumnTable | null): number {
  const width = table?.metadata?.shape?.[1];
  if (width !== undefined) return width;
  const type = table?.fields[0]?.type;
  return type?.id === "FixedSizeList" ? type.size : 0;
}

/** The places of `count` columns of which the first `width` stay, and the others are left out. */
function firstPlaces(count: number, width: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => (i < width ? i : -1));
}

/** Names of the inputs' elements that the result does not have. */
function leftOut(inputs: readonly ConcatInput[], tables: ReadonlyMap<string, ColumnTable>): readonly string[] {
  const names = new Set(
    inputs.flatMap((input) =>
      [...input.tables].flatMap(([name, { derived }]) => (derived || name.startsWith("raw/") ? [] : [name])),
    ),
  );
  return [...names].filter((name) => !tables.has(name));
}
