/** The elements that are part of a selection. */

import { InvalidInputError, NotFoundError } from "../model/errors.js";
import { findNearestNames } from "../model/nearest.js";
import type { Selection } from "../model/selection.js";

/**
 * Returns the names of the elements selected by `elements` and `drop`; null if neither is given. A name selects the
 * element and everything below it.
 * @throws {NotFoundError} for a name that no element has.
 * @throws {InvalidInputError} if no element is left.
 */
export function selectElements(
  names: readonly string[],
  { elements, drop }: Pick<Selection, "elements" | "drop">,
): readonly string[] | null {
  if (elements === undefined && drop === undefined) return null;
  for (const wanted of [...(elements ?? []), ...(drop ?? [])]) {
    if (names.some((name) => isWithin(name, wanted))) continue;
    throw new NotFoundError(
      `no element ${JSON.stringify(wanted)}; did you mean ${findNearestNames(wanted, names).join(", ")}?`,
    );
  }
  const chosen = names.filter(
    (name) =>
      (elements === undefined || elements.some((wanted) => isWithin(name, wanted))) &&
      !drop?.some((left) => isWithin(name, left)),
  );
  if (chosen.length === 0) throw new InvalidInputError("elements and drop (--elements, --drop) leave no element");
  return chosen;
}

function isWithin(name: string, element: string): boolean {
  return name === element || name.startsWith(`${element}/`);
}

/**
 * Returns a function that tests whether a derived table's node is dropped with the unselected elements. A mapping is
 * dropped if all of its contents are dropped. An empty mapping stays.
 * @param names names of all elements.
 * @param chosen names of the selected elements.
 */
export function createOmittedNodeTest(names: Iterable<string>, chosen: Iterable<string>): (path: string) => boolean {
  const [all, kept] = [names, chosen].map(withAncestors);
  return (path) => all.has(path) && !kept.has(path);
}

function withAncestors(names: Iterable<string>): ReadonlySet<string> {
  const all = new Set<string>();
  for (let name of names) {
    while (!all.has(name)) {
      all.add(name);
      const cut = name.lastIndexOf("/");
      if (cut < 0) break;
      name = name.slice(0, cut);
    }
  }
  return all;
}
