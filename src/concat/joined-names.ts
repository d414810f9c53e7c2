/** The names of the shared axis: the union or intersection of all datasets' names, and the position of each name. */

import type { Column } from "../arrow/column.js";
import { decodeTextValues } from "../arrow/text.js";
import { decodeDictionary } from "../arrow/written-values.js";
import { NameTable } from "../kernels/text/name-table.js";
import { isBitSet } from "../kernels/values/bitmap.js";
import { InvalidInputError } from "../model/errors.js";

export type Join = "inner" | "outer";

export type AxisNames = readonly string[];

/** An axis in one dataset: its names as numbers of `NumberedNames`, and the name of the dataset for error messages. */
export interface NamedAxis {
  readonly source: string;
  readonly names: Int32Array;
}

/**
 * The names of all datasets, each stored once under a number, so that a name takes four bytes in each dataset that has
 * it. Names are looked up by their bytes, because creating a string for each name would double the time.
 */
export class NumberedNames {
  readonly #table = new NameTable();

  /** The number of names. All numbers assigned to names are smaller. */
  get count(): number {
    return this.#table.count;
  }

  /** Returns the numbers of the names in text columns. A missing name is treated as an empty one. */
  numbersOf(columns: readonly Column[]): Int32Array {
    const numbers = new Int32Array(columns.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const column of columns) {
      const texts = column.layout === "dictionary" ? decodeDictionary(column) : column;
      if (texts.layout !== "variable") throw new TypeError("names are text");
      const { offsets, bytes, validity, length } = texts;
      for (let i = 0; i < length; i++) {
        const end = validity === null || isBitSet(validity.bitmap, i) ? offsets[i + 1] : offsets[i];
        numbers[at++] = this.#table.numberOf(bytes, offsets[i], end);
      }
    }
    return numbers;
  }

  names(numbers: Int32Array): AxisNames {
    const { offsets, bytes } = this.#table.values();
    const texts = decodeTextValues({
      layout: "variable",
      type: { id: "Utf8" },
      length: this.count,
      validity: null,
      offsets,
      bytes,
    });
    return Array.from(numbers, (number) => texts[number] ?? "");
  }

  /** Returns the first name that occurs twice in a list of numbers, or null. */
  repeatedIn(numbers: Int32Array): string | null {
    const seen = new Uint8Array(this.count);
    for (const number of numbers) {
      if (seen[number] === 1) return this.names(Int32Array.of(number))[0];
      seen[number] = 1;
    }
    return null;
  }

  /** Compares the names with these two numbers by code points. */
  compare(a: number, b: number): number {
    return this.#table.compare(a, b);
  }
}

export function areNamesEqual(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * Joins the names of two or more axes as pandas does: an intersection keeps the order of the first axis; a union of
 * different axes is sorted by code points.
 * @param axes the axes, which may share one object of names.
 * @throws {InvalidInputError} for repeated names if the axes differ, because a repeated name does not identify a
 * position.
 */
export function joinAxisNames(axes: readonly NamedAxis[], join: Join, axis: string, all: NumberedNames): Int32Array {
  const distinct = new Map(axes.map((one) => [one.names, one]));
  if (distinct.size === 1) return axes[0].names;
  for (const one of distinct.values()) checkUnique(one, axis, all);
  const lists = [...distinct.keys()];
  return join === "inner" ? intersection(lists, all) : union(lists, all);
}

function checkUnique({ source, names }: NamedAxis, axis: string, all: NumberedNames): void {
  const name = all.repeatedIn(names);
  if (name === null) return;
  throw new InvalidInputError(
    `the name ${JSON.stringify(name)} repeats in ${axis}, so that its positions are not known in other datasets: make the names unique`,
    { source, element: axis },
  );
}

/** Returns the names that occur in every list. No list may contain a name twice. */
function intersection(lists: readonly Int32Array[], all: NumberedNames): Int32Array {
  const having = new Uint32Array(all.count);
  for (const names of lists) for (const number of names) having[number]++;
  return lists[0].filter((number) => having[number] === lists.length);
}

/** Returns the names of all lists, sorted if two lists differ; empty lists are ignored. */
function union(lists: readonly Int32Array[], all: NumberedNames): Int32Array {
  const [first = new Int32Array(0), ...others] = lists.filter((names) => names.length > 0);
  if (others.every((names) => areNamesEqual(first, names))) return first;
  const found = new Uint8Array(all.count);
  for (const names of lists) for (const number of names) found[number] = 1;
  return Int32Array.from(found.keys())
    .filter((number) => found[number] === 1)
    .sort((a, b) => all.compare(a, b));
}

/** Returns an array that maps the number of each name to its index among the joined names; -1 for a dropped name. */
export function computeJoinedIndices(joined: Int32Array, all: NumberedNames): Int32Array {
  const places = new Int32Array(all.count).fill(-1);
  for (const [place, number] of joined.entries()) places[number] = place;
  return places;
}
