/**
 * Merges elements that do not lie along the concatenation axis. A strategy determines which dataset's element is kept.
 */

import type { Column } from "../arrow/column.js";
import type { ArrowField } from "../arrow/type.js";
import type { ColumnTable } from "../tables/column-table.js";
import { findFrameIndex } from "../tables/frame-index.js";
import { type Alignment, alignColumn, alignElement, areElementsEqual } from "./aligned-elements.js";
import { castNumbers, getFlatNumbers } from "./cast-numbers.js";
import { toExactNumber } from "./categories.js";
import { FLOAT64, isNumericType } from "./common-type.js";
import type { MissingIntegers } from "./frame-columns.js";
import type { AxisNames } from "./joined-names.js";
import {
  areColumnsEqual,
  createTableFromRows,
  createWholeFrame,
  readWholeTable,
  type WholeTable,
} from "./whole-tables.js";

/**
 * How to choose among the values of an element: the value that all datasets have (`"same"`), the only distinct value
 * (`"unique"`), the first dataset's value (`"first"`), or the value of the only dataset that has one (`"only"`).
 */
export type MergeStrategy = "same" | "unique" | "first" | "only";

/** A dataset, and the new indices of its positions along the merged axis. */
export interface MergedPart {
  readonly source: string;
  readonly tables: ReadonlyMap<string, ColumnTable>;
  /** The new index of each position, -1 if it is dropped; null if all positions stay the same. */
  readonly places: Int32Array | null;
}

export interface MergeOptions {
  /** The merged axis, which the datasets share. */
  readonly axis: "obs" | "var";
  readonly joined: AxisNames;
  /** Name of the axis' index. */
  readonly index: string;
  readonly merge: MergeStrategy;
  readonly missingIntegers: MissingIntegers;
  readonly lossy: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * Reads the dataframe and the matrices along the axis, one dataset at a time, and keeps the columns and matrices that
 * the strategy selects.
 */
export async function mergeElementsAcross(
  parts: readonly MergedPart[],
  options: MergeOptions,
): Promise<ReadonlyMap<string, ColumnTable>> {
  const { axis, joined, merge, missingIntegers, lossy, signal } = options;
  const aligned = parts.map((part) => ({ ...part, ...alignmentOf(part, joined) }));
  const tables = new Map<string, ColumnTable>([[axis, await mergedFrame(aligned, options)]]);
  const isAcross = (name: string) => name.startsWith(`${axis}m/`) || name.startsWith(`${axis}p/`);
  const names = new Set(
    parts.flatMap((part) =>
      [...part.tables].flatMap(([name, { derived }]) => (!derived && isAcross(name) ? [name] : [])),
    ),
  );
  for (const name of names) {
    const having = aligned.flatMap(({ tables, places, positions }) => {
      const table = tables.get(name);
      return table === undefined ? [] : [{ table, places, positions }];
    });
    if (!mayKeep(having.length, parts.length, merge)) continue;
    const isPair = name.startsWith(`${axis}p/`);
    const element = ({ table, ...alignment }: (typeof having)[number]) =>
      alignElement(table, { ...alignment, isPair, missingIntegers, lossy }, joined, signal);
    const [first, ...others] = having;
    const kept = await element(first);
    let isKept = true;
    if (merge === "same" || merge === "unique") {
      for (const other of others) isKept &&= areElementsEqual(kept, await element(other));
    }
    if (isKept) tables.set(name, createTableFromRows(name, kept));
  }
  return tables;
}

/** True if the strategy can keep an element that occurs in `having` of `all` datasets. */
function mayKeep(having: number, all: number, merge: MergeStrategy): boolean {
  switch (merge) {
    case "same":
      return having === all;
    case "only":
      return having === 1;
    case "unique":
    case "first":
      return having > 0;
    default:
      return merge satisfies never;
  }
}

type AlignedPart = MergedPart & Pick<Alignment, "positions">;

function alignmentOf({ places }: MergedPart, joined: AxisNames): Pick<Alignment, "positions"> {
  if (places === null) return { positions: null };
  const positions = new Int32Array(joined.length).fill(-1);
  for (const [position, place] of places.entries()) if (place >= 0) positions[place] = position;
  return { positions };
}

interface KeptColumn {
  readonly field: ArrowField;
  readonly column: Column;
  /** Number of datasets that have the column. */
  readonly having: number;
  readonly isKept: boolean;
}

async function mergedFrame(
  parts: readonly AlignedPart[],
  { axis, joined, index, merge, signal, ...rules }: MergeOptions,
): Promise<ColumnTable> {
  const all = new Map<string, KeptColumn>();
  for (const part of parts) {
    const frame = part.tables.get(axis);
    if (frame === undefined) continue;
    const { field: place, asColumn } = findFrameIndex(frame);
    const whole = await readWholeTable(frame, signal);
    for (const [i, own] of whole.fields.entries()) {
      if (i === place && asColumn === null) continue;
      const known = all.get(own.name);
      const isCompared = merge === "same" || merge === "unique";
      if (known !== undefined && (!isCompared || !known.isKept)) {
        all.set(own.name, { ...known, having: known.having + 1 });
        continue;
      }
      const { field, column } = alignColumn(own, whole.columns[i], part.positions, rules);
      const isKept = known === undefined || areColumnsEqual(known.column, column);
      all.set(own.name, { field, column, ...known, isKept, having: (known?.having ?? 0) + 1 });
    }
  }
  const kept = [...all.values()].filter(
    ({ isKept, having, field }) => isKept && mayKeep(having, parts.length, merge) && field.name !== index,
  );
  return createTableFromRows(axis, createWholeFrame(index, joined, kept));
}

/** A mapping, or a table. */
type Node = { readonly children: Map<string, Node> } | { readonly table: ColumnTable };

/** Returns the elements of `uns` that the strategy keeps. Mappings are merged key by key. */
export async function mergeUns(
  inputs: readonly ReadonlyMap<string, ColumnTable>[],
  strategy: MergeStrategy,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, ColumnTable>> {
  const kept = new Map<string, ColumnTable>();
  await mergeNodes(inputs.map(unsTree), { strategy, signal, kept });
  return kept;
}

interface UnsMerge {
  readonly strategy: MergeStrategy;
  readonly signal: AbortSignal | undefined;
  readonly kept: Map<string, ColumnTable>;
}

async function mergeNodes(mappings: readonly ReadonlyMap<string, Node>[], how: UnsMerge): Promise<void> {
  const { strategy, signal, kept } = how;
  for (const key of new Set(mappings.flatMap((mapping) => [...mapping.keys()]))) {
    const nodes = mappings.flatMap((mapping) => mapping.get(key) ?? []);
    const inner = nodes.flatMap((node) => ("children" in node ? [node.children] : []));
    if (inner.length === nodes.length) {
      // `same` merges a mapping only if all datasets have it. The other strategies merge it among the datasets that
      // have it.
      if (strategy !== "same" || nodes.length === mappings.length) await mergeNodes(inner, how);
      continue;
    }
    if (!mayKeep(nodes.length, mappings.length, strategy)) continue;
    const [first, ...others] = nodes;
    if (strategy === "same" || strategy === "unique") {
      if (!("table" in first)) continue;
      const value = await readWholeTable(first.table, signal);
      let isSame = true;
      for (const other of others) {
        isSame &&= "table" in other && equalValues(value, await readWholeTable(other.table, signal));
      }
      if (!isSame) continue;
    }
    for (const table of tablesIn(first)) kept.set(table.name, table);
  }
}

function equalValues(a: WholeTable, b: WholeTable): boolean {
  const [one, other] = [a, b].map(scalarNumber);
  if (one !== null && other !== null) return one === other;
  return areElementsEqual(a, b);
}

/** Returns a scalar's number, comparable across number types; null for other values. NaN is not equal to anything. */
function scalarNumber({ metadata, columns: [column], length }: WholeTable): number | bigint | null {
  if (metadata?.kind !== "numeric-scalar" || length !== 1 || !isNumericType(column.type)) return null;
  const wide = column.type.id === "Float" ? castNumbers(column, FLOAT64, LOSSLESS) : column;
  return toExactNumber(getFlatNumbers(wide)[0]);
}

/** Widening floats never loses precision. */
const LOSSLESS = { lossy: false, element: "" };

function tablesIn(node: Node): readonly ColumnTable[] {
  return "table" in node ? [node.table] : [...node.children.values()].flatMap(tablesIn);
}

function unsTree(tables: ReadonlyMap<string, ColumnTable>): ReadonlyMap<string, Node> {
  const root = new Map<string, Node>();
  for (const [name, table] of tables) {
    if (table.derived || !name.startsWith("uns/")) continue;
    const path = name.split("/").slice(1);
    const last = path.pop() ?? "";
    let at = root;
    for (const key of path) {
      const known = at.get(key);
      const children = known !== undefined && "children" in known ? known.children : new Map<string, Node>();
      at.set(key, { children });
      at = children;
    }
    at.set(last, { table });
  }
  return root;
}
