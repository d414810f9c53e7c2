/** Finds the positions of an axis that a selector refers to. */

import { InvalidInputError, NotFoundError, UnsupportedError } from "../model/errors.js";
import { findSimilarNames } from "../model/nearest.js";
import type { AxisSelector, AxisSlice, ColumnPredicate, PositionArray, SqlPredicate } from "../model/selection.js";
import type { NamesOfAxis } from "./axis-names.js";

/** An axis of a dataset, and functions that look up its names and columns. */
export interface SelectableAxis {
  /** Name of the axis in messages: `obs`. */
  readonly called: string;
  readonly length: number;
  /** Reads the names of the positions; null if they have no names. */
  readonly names: () => Promise<NamesOfAxis | null>;
  /** Finds the first column, other than the names column, that contains all of `names`; null if there is none. */
  readonly columnWith: (names: readonly string[]) => Promise<string | null>;
  /** Finds a text in another column that differs from `name` only in case. Returns the text and its column, or null. */
  readonly inOtherCase: (name: string) => Promise<{ readonly column: string; readonly text: string } | null>;
  /**
   * Finds the positions that meet a condition, in ascending order, or that a statement selects, in the order of its
   * answer.
   */
  readonly matching: (predicate: SqlPredicate | ColumnPredicate) => Promise<Int32Array>;
}

/** Maximum length of an axis for selectors. */
const MAX_AXIS = 2 ** 31 - 1;

/**
 * Maximum number of names among which an error looks for similar ones. With more names, the search would take seconds.
 */
const MAX_NEAR = 2 ** 16;

/** Maximum number of names in an error. */
const FEW = 5;

/**
 * Returns the positions selected by `selector`, in the order of the result.
 * @throws {NotFoundError} for names that the axis does not have.
 * @throws {InvalidInputError} for positions outside the axis, for a mask of another length, and for a name that several
 * positions have.
 */
export async function resolveAxisPositions(selector: AxisSelector, axis: SelectableAxis): Promise<Int32Array> {
  const { called, length } = axis;
  if (length > MAX_AXIS)
    throw new UnsupportedError(`${called} of ${length} positions, at most ${MAX_AXIS} can be chosen`);
  if (!isSelector(selector)) throw mixed(axis);
  if (isPositionArray(selector)) return checkedPositions(selector, axis);
  if ("kind" in selector) {
    return selector.kind === "slice"
      ? slicePositions(selector, axis)
      : checkedPositions(await axis.matching(selector), axis);
  }
  const values: readonly unknown[] = Array.isArray(selector) ? selector : [...selector];
  const kinds = new Set(values.map((value) => (typeof value === "bigint" ? "number" : typeof value)));
  const [kind = "number", ...others] = kinds;
  if (others.length > 0) throw mixed(axis);
  switch (kind) {
    case "string":
      return namedPositions(values.map(String), axis);
    case "boolean":
      return maskPositions(values, axis);
    case "number":
      return checkedPositions(values.map(Number), axis);
    default:
      throw mixed(axis);
  }
}

/**
 * Checks the type of a selector from untyped code. A string is rejected, because it would be iterated letter by letter.
 */
function isSelector(given: unknown): boolean {
  return typeof given === "object" && given !== null && (Symbol.iterator in given || "kind" in given);
}

function mixed({ called }: SelectableAxis): InvalidInputError {
  return new InvalidInputError(
    `${called} is chosen by a list of names, of positions, or of one boolean for each position, by slice(), sql() or where()`,
  );
}

function isPositionArray(selector: AxisSelector): selector is PositionArray {
  return ArrayBuffer.isView(selector);
}

function checkedPositions(positions: ArrayLike<number>, { called, length }: SelectableAxis): Int32Array {
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i];
    if (Number.isInteger(position) && position >= 0 && position < length) continue;
    throw new InvalidInputError(`${called} ${position} was asked for, there are 0 … ${length - 1}`);
  }
  return Int32Array.from(positions);
}

function slicePositions({ start, end }: AxisSlice, { called, length }: SelectableAxis): Int32Array {
  const isWhole = (value: number) => Number.isInteger(value) || value === Number.POSITIVE_INFINITY;
  if (!(isWhole(start) && isWhole(end) && start >= 0 && end >= start)) {
    const problem = end < start ? "the end lies before the start" : "start and end are whole numbers from 0 on";
    throw new InvalidInputError(`${called} ${start} to ${end} is no range: ${problem}`);
  }
  const first = Math.min(start, length);
  return Int32Array.from({ length: Math.min(end, length) - first }, (_, i) => first + i);
}

function maskPositions(mask: readonly unknown[], { called, length }: SelectableAxis): Int32Array {
  if (mask.length !== length) {
    throw new InvalidInputError(`a mask of ${mask.length} values for ${called}, which has ${length}`);
  }
  return Int32Array.from(mask.flatMap((value, i) => (value === true ? [i] : [])));
}

async function namedPositions(wanted: readonly string[], axis: SelectableAxis): Promise<Int32Array> {
  const names = await axis.names();
  if (names === null) throw new InvalidInputError(`${axis.called} has no names, only positions`);
  const positions = Int32Array.from(wanted, (name) => names.positionOf(name));
  const missing = wanted.filter((_, i) => positions[i] < 0);
  if (missing.length > 0) throw await notThere(missing, names.all, axis);
  const ambiguous = wanted.find((name) => names.isRepeated(name));
  if (ambiguous !== undefined) {
    const count = names.all.filter((name) => name === ambiguous).length;
    throw new InvalidInputError(
      `the name ${JSON.stringify(ambiguous)} stands ${count} times in ${axis.called}: choose by positions`,
    );
  }
  return positions;
}

async function notThere(
  missing: readonly string[],
  names: readonly string[],
  { called, columnWith, inOtherCase }: SelectableAxis,
): Promise<NotFoundError> {
  const all = await columnWith(missing);
  const column = all ?? (missing.length === 1 ? null : await columnWith(missing.slice(0, 1)));
  const listed = missing.slice(0, FEW).map((name) => {
    const isElsewhere = all !== null || (column !== null && name === missing[0]);
    const [meant] = isElsewhere || names.length > MAX_NEAR ? [] : findSimilarNames(name, names);
    return meant === undefined
      ? JSON.stringify(name)
      : `${JSON.stringify(name)} (did you mean ${JSON.stringify(meant)}?)`;
  });
  const more = missing.length > FEW ? `, and ${missing.length - FEW} more` : "";
  const found = missing.length === 1 ? "it" : all === null ? JSON.stringify(missing[0]) : "them";
  // A user may type a gene's human symbol (CD3E) although the file contains the mouse symbol (Cd3e).
  const cased = column === null ? await inOtherCase(missing[0]) : null;
  const other = cased === null ? "" : `; its column ${cased.column} has ${JSON.stringify(cased.text)}`;
  const elsewhere = column === null ? other : `; its column ${column} has ${found}`;
  return new NotFoundError(`${called} has no ${listed.join(", ")}${more}${elsewhere}`);
}
