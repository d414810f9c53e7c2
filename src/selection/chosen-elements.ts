/** The elements that a part keeps. */

import { InvalidInputError, NotFoundError } from "../model/errors.js";
import { nearest } from "../model/nearest.js";
import type { Selection } from "../model/selection.js";

/**
 * Names of the elements that `elements` and `drop` leave; null where neither is given. A name stands for the element and
 * everything below it.
 * @throws {NotFoundError} for a name that no element has.
 * @throws {InvalidInputError} where no element is left.
 */
export function chosenElements(
  names: readonly string[],
  { elements, drop }: Pick<Selection, "elements" | "drop">,
): readonly string[] | null {
  if (elements === undefined && drop === undefined) return null;
  for (const wanted of [...(elements ?? []), ...(drop ?? [])]) {
    if (names.some((name) => isWithin(name, wanted))) continue;
    throw new NotFoundError(`no element ${JSON.stringify(wanted)}; did you mean ${nearest(wanted, names).join(", ")}?`);
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
 * Whether a node that a derived table lists goes with the elements that are left out: a mapping goes with all that it
 * holds. An empty mapping holds nothing, and stays.
 * @param names names of all elements.
 * @param chosen those that are kept.
 */
export function leftOutNodes(names: Iterable<string>, chosen: Iterable<string>): (path: string) => boolean {
  const [all, kept] = [names, chosen].map(withAncestors);
  return (path) => all.has(path) && !kept.has(path);
}

/** The names, and the names of the mappings around them. */
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
