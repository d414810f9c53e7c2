/** Checks the names of options: plain JavaScript can misspell them, and an option that nobody reads changes nothing. */

import { InvalidInputError } from "./errors.js";
import { near } from "./nearest.js";

/** The keys that any member of a union has. */
export type KeyOf<T> = T extends unknown ? keyof T : never;

/** The names of options; an option that is an object of options has names of its own. */
export interface OptionNames {
  readonly [name: string]: true | OptionNames;
}

/** The names of the options of type `T`, all of them: the compiler reports the ones that a table of names lacks. */
export type NamesOf<T> = { readonly [Name in KeyOf<T>]-?: true | OptionNames };

/**
 * Checks that a caller's options have no other names.
 * @param owner what has the options, for the error: the name of a function.
 * @example
 * ```ts
 * checkOptions({ colums: ["age"] }, "batches", BATCH_OPTIONS); // batches has no option colums; did you mean columns?
 * ```
 * @throws {InvalidInputError} for a name that is not known, with the nearest one, and for options that are no object.
 */
export function checkOptions(options: unknown, owner: string, names: OptionNames): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    const given = options === null ? "null" : Array.isArray(options) ? "an array" : `a ${typeof options}`;
    throw new InvalidInputError(`${owner} takes its options as an object, not as ${given}`);
  }
  for (const [name, value] of Object.entries(options)) {
    // An option that is undefined is not given.
    if (value === undefined) continue;
    const known = Object.hasOwn(names, name) ? names[name] : null;
    if (known === null) throw new InvalidInputError(`${owner} has no option ${name}; ${meant(name, names)}`);
    if (known !== true && typeof value === "object") checkOptions(value, name, known);
  }
}

function meant(name: string, names: OptionNames): string {
  const all = Object.keys(names);
  const similar = near(name, all);
  return similar.length > 0 ? `did you mean ${similar.join(", ")}?` : `it has ${all.join(", ")}`;
}

/** The names of options that consist of a signal alone. */
export const SIGNAL_OPTION = { signal: true } as const satisfies OptionNames;
