/** New element names from the caller. */

import { InvalidInputError, NotFoundError } from "../model/errors.js";
import { findNearestNames } from "../model/nearest.js";

/** New element names by old names. Everything below an element is renamed with it. */
export type NewNames = Readonly<Record<string, string>>;

export interface NamedElements {
  /** Names of all elements, in their order. */
  readonly names: readonly string[];
  /** Whether the format defines an element of this name. */
  readonly isOwnName: (name: string) => boolean;
  readonly axesOf: (name: string) => readonly [row: string | null, col: string | null];
  /** Whether a table of this name has columns, which may be elements below it. */
  readonly hasColumns: (name: string) => boolean;
  /** The shape of an element; null if unknown. */
  readonly shapeOf: (name: string) => readonly number[] | null;
  /** The length of the axis that a table describes; null if unknown. */
  readonly lengthOf: (axis: string) => number | null;
}

/**
 * Returns a function that maps the name of an element to its new name.
 * @throws {NotFoundError} if an element does not exist.
 * @throws {InvalidInputError} if two elements would have the same name, or if a new name belongs to another axis.
 */
export function createElementRenamer(rename: NewNames, elements: NamedElements): (name: string) => string {
  const pairs = Object.entries(rename);
  for (const [from, to] of pairs) checkPair(from, to, elements);
  const nameOf = (name: string) => {
    const [pair] = pairs.filter(([from]) => isWithin(name, from)).sort(([a], [b]) => b.length - a.length);
    return pair === undefined ? name : `${pair[1]}${name.slice(pair[0].length)}`;
  };
  const taken = new Map<string, string>();
  for (const name of elements.names) {
    const renamed = nameOf(name);
    const other = taken.get(renamed);
    if (other !== undefined) {
      const problem = `the name of two elements: ${other} and ${name}`;
      throw new InvalidInputError(problem, { element: renamed });
    }
    taken.set(renamed, name);
    if (renamed !== name) checkAxes(name, renamed, elements);
  }
  return nameOf;
}

function isWithin(name: string, element: string): boolean {
  return name === element || name.startsWith(`${element}/`);
}

function checkPair(from: string, to: string, { names, isOwnName, axesOf, hasColumns }: NamedElements): void {
  const frame = names.find((name) => hasColumns(name) && from.startsWith(`${name}/`));
  if (frame !== undefined) {
    throw new InvalidInputError(`a column of ${frame}: elements get new names, columns do not`, { element: from });
  }
  if (!names.some((name) => isWithin(name, from))) {
    throw new NotFoundError(
      `no element ${JSON.stringify(from)}; did you mean ${findNearestNames(from, names).join(", ")}?`,
    );
  }
  if (!/^[^/]+(\/[^/]+)*$/.test(to) || (isOwnName(from) && !isOwnName(to))) {
    throw new InvalidInputError(`the format has no place ${JSON.stringify(to)}`, { element: from });
  }
  for (const name of [from, to]) {
    if (axesOf(name)[0] === name) {
      throw new InvalidInputError(`the table of an axis keeps its name, and no other table gets it`, { element: name });
    }
  }
}

/** @throws {InvalidInputError} if the new name belongs to another axis. The message contains both shapes. */
function checkAxes(from: string, to: string, { axesOf, shapeOf, lengthOf }: NamedElements): void {
  const [own, other] = [axesOf(from), axesOf(to)];
  if (own.every((axis, i) => axis === other[i])) return;
  const place = (axes: readonly (string | null)[]) => axes.filter((axis) => axis !== null).join(" and ") || "no axis";
  const shape = shapeOf(from)?.join(" x ");
  const lengths = other.flatMap((axis) => (axis === null ? [] : [lengthOf(axis) ?? "?"])).join(" x ");
  throw new InvalidInputError(
    `it lies along ${place(own)}${shape ? ` (${shape})` : ""}, and ${to} along ${place(other)}${lengths ? ` (${lengths})` : ""}: a new name is one along equal axes`,
    { element: from },
  );
}
