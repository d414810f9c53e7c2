/** The names of the axis that datasets share: the union or the intersection of their names, and the place of each. */

import { byCodePoint, repeatedName } from "../kernels/text/names.js";
import { InvalidInputError } from "../model/errors.js";

export type Join = "inner" | "outer";

export type AxisNames = readonly string[];

/** The names of the axis in one dataset, and the name of the dataset for errors. */
export interface NamedAxis {
  readonly source: string;
  readonly names: AxisNames;
}

/** Whether two lists have equal names in equal order. */
export function equalNames(a: AxisNames, b: AxisNames): boolean {
  return a === b || (a.length === b.length && a.every((name, i) => name === b[i]));
}

/**
 * Joins the names of two or more axes as pandas does: an intersection keeps the order of the first axis; a union of
 * different axes is sorted by code points.
 * @param axes axes whose names may be one object.
 * @throws {InvalidInputError} for names that repeat, where the axes differ: no position is meant by such a name.
 */
export function joinedNames(axes: readonly NamedAxis[], join: Join, axis: string): AxisNames {
  const distinct = new Map(axes.map((one) => [one.names, one]));
  if (distinct.size === 1) return axes[0].names;
  for (const one of distinct.values()) checkUnique(one, axis);
  const lists = [...distinct.keys()];
  return join === "inner" ? lists.reduce(intersection) : union(lists);
}

function checkUnique({ source, names }: NamedAxis, axis: string): void {
  const repeated = repeatedName(names);
  if (repeated === null) return;
  throw new InvalidInputError(
    `the name ${JSON.stringify(repeated)} repeats in ${axis}, so that its positions are not known in other datasets: make the names unique`,
    { source, element: axis },
  );
}

function intersection(a: AxisNames, b: AxisNames): AxisNames {
  if (equalNames(a, b)) return a;
  const known = new Set(b);
  return a.filter((name) => known.has(name));
}

/** The names of all lists, sorted where two lists differ; lists without names do not count. */
function union(lists: readonly AxisNames[]): AxisNames {
  const [first = [], ...others] = lists.filter((names) => names.length > 0);
  if (others.every((names) => equalNames(first, names))) return first;
  const all = new Set(first);
  for (const names of others) for (const name of names) all.add(name);
  return [...all].sort(byCodePoint);
}

/** The place of each of `names` among the joined names, -1 where it is left out; null where all stay in place. */
export function placesOf(names: AxisNames, joined: AxisNames, places: ReadonlyMap<string, number>): Int32Array | null {
  if (equalNames(names, joined)) return null;
  return Int32Array.from(names, (name) => places.get(name) ?? -1);
}
