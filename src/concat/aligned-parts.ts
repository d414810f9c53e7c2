/** The datasets with their lengths, and with the positions of their names among the names of the shared axis. */

import type { Column } from "../arrow/column.js";
import { InvalidInputError } from "../model/errors.js";
import type { ColumnTable } from "../tables/column-table.js";
import { createUnnamedFrame, indexColumns } from "./frames.js";
import {
  type AxisNames,
  areNamesEqual,
  computeJoinedIndices,
  type Join,
  joinAxisNames,
  NumberedNames,
} from "./joined-names.js";

export type Axis = "obs" | "var";

/** A dataset whose tables have AnnData names. */
export interface ConcatInput {
  /** The dataset's name in error messages. */
  readonly source: string;
  readonly tables: ReadonlyMap<string, ColumnTable>;
  /** The shape [observations, variables]; null if only the tables obs and var determine it. */
  readonly shape: readonly [number, number] | null;
}

/** A dataset with the lengths of its axes. */
export interface AlignedPart extends ConcatInput {
  readonly length: number;
  readonly across: number;
  /**
   * The new position of each position along the other axis, -1 if it is dropped; null if all positions stay the same.
   */
  readonly places: Int32Array | null;
}

interface AlignOptions {
  readonly axis: Axis;
  readonly join: Join;
  readonly signal: AbortSignal | undefined;
}

export function getOtherAxis(axis: Axis): Axis {
  return axis === "obs" ? "var" : "obs";
}

interface Aligned {
  readonly parts: readonly AlignedPart[];
  readonly joined: AxisNames;
  /** Name of the index of the other axis. */
  readonly index: string;
}

/** Reads the names along the other axis, and finds the index of each name among the joined names. */
export async function alignInputParts(
  inputs: readonly ConcatInput[],
  { axis, join, signal }: AlignOptions,
): Promise<Aligned> {
  const other = getOtherAxis(axis);
  const all = new NumberedNames();
  const known = new KnownNames(all);
  const named = [];
  for (const input of inputs) {
    signal?.throwIfAborted();
    const length = getAxisLength(input, axis);
    const across = getAxisLength(input, other);
    const frame = input.tables.get(other) ?? createUnnamedFrame(other, across);
    named.push({ ...input, length, across, names: known.namesIn(await indexColumns(frame, signal)) });
  }
  const joined = joinAxisNames(named, join, other, all);
  const order = computeJoinedIndices(joined, all);
  const places = new Map(
    known.lists.map((names) => [names, areNamesEqual(names, joined) ? null : names.map((number) => order[number])]),
  );
  const indices = new Set(inputs.map(({ tables }) => tables.get(other)?.metadata?.index));
  const [index] = indices.size === 1 ? [...indices] : [];
  return {
    parts: named.map(({ names, ...part }) => ({ ...part, places: places.get(names) ?? null })),
    joined: all.names(joined),
    index: typeof index === "string" ? index : "_index",
  };
}

/** Caches distinct lists of names, because most datasets share the same list. */
class KnownNames {
  readonly lists: Int32Array[] = [];
  readonly #all: NumberedNames;

  constructor(all: NumberedNames) {
    this.#all = all;
  }

  /** Returns the numbers of the names in columns of text. */
  namesIn(columns: readonly Column[]): Int32Array {
    const own = this.#all.numbersOf(columns);
    const known = this.lists.find((one) => areNamesEqual(one, own));
    if (known === undefined) this.lists.push(own);
    return known ?? own;
  }
}

/** Returns the length of an axis of a dataset. @throws {InvalidInputError} if the length cannot be determined. */
export function getAxisLength({ tables, shape, source }: ConcatInput, axis: Axis): number {
  const dimension = axis === "obs" ? 0 : 1;
  const length = tables.get(axis)?.rows ?? shape?.[dimension] ?? tables.get("X")?.metadata?.shape?.[dimension];
  if (length !== undefined && length !== null) return length;
  throw new InvalidInputError(`nothing says how many ${axis} it has`, { source });
}

/** Reports how many names the join drops, or adds to some datasets. */
export function reportNames(
  parts: readonly AlignedPart[],
  joined: AxisNames,
  { axis, join, warn }: { readonly axis: string; readonly join: Join; readonly warn: (text: string) => void },
): void {
  if (parts.every(({ places }) => places === null)) return;
  if (join === "inner") {
    const most = Math.max(...parts.map(({ across }) => across));
    if (joined.length < most) warn(`${axis}: ${joined.length} names are in all datasets, which have up to ${most}`);
    return;
  }
  const least = Math.min(...parts.map(({ across }) => across));
  if (least < joined.length) warn(`${axis}: ${joined.length} names of all datasets, which have ${least} at least`);
}
