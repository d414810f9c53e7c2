/** What a name in a group stands for. */

import { InvalidDataError } from "../../../model/errors.js";
import { byCodePoint } from "../../tree/code-point-order.js";

export type Link =
  | { readonly kind: "hard" /** Of the object header. */; readonly address: number }
  | { readonly kind: "soft"; readonly target: string }
  | { readonly kind: "external"; readonly file: string; readonly path: string }
  | { readonly kind: "user-defined"; readonly type: number };

/** The links of one group. */
export interface GroupLinks {
  /** Sorted by code point. */
  names(): readonly string[];
  /** Null where there is no link of that name. */
  find(name: string): Link | null;
}

/** @throws {InvalidDataError} where a name stands twice. */
export function linksByName(links: Iterable<readonly [string, Link]>): GroupLinks {
  const byName = new Map<string, Link>();
  for (const [name, link] of links) {
    if (byName.has(name)) throw new InvalidDataError(`the name ${JSON.stringify(name)} stands twice in the group`);
    byName.set(name, link);
  }
  const names = [...byName.keys()].sort(byCodePoint);
  return { names: () => names, find: (name) => byName.get(name) ?? null };
}
