/** Validates option names. JavaScript callers can misspell them, and an unknown option would be ignored silently. */

import { InvalidInputError } from "./errors.js";
import type { FileSchemeOptions, ServiceSchemeOptions } from "./formats/extend.js";
import { formatOptionsBeside } from "./formats/registry.js";
import { findSimilarNames } from "./nearest.js";

/** The keys of any member of a union. */
export type KeyOf<T> = T extends unknown ? keyof T : never;

/** The key of a function that returns additional option names, which packages register before options are checked. */
export const REGISTERED = Symbol("names of registered options");

/** The names of options. An option whose value is an options object has nested names. */
export interface OptionNames {
  readonly [name: string]: true | OptionNames;
  readonly [REGISTERED]?: () => OptionNames;
}

/**
 * The names of all options of type `T`, except the registered options of schemes. The compiler reports names that are
 * missing from a table of names.
 */
export type NamesOf<T> = {
  readonly [Name in Exclude<KeyOf<T>, keyof FileSchemeOptions | keyof ServiceSchemeOptions>]-?: true | OptionNames;
} & { readonly [REGISTERED]?: () => OptionNames };

/**
 * Checks that a caller's options contain no unknown names.
 * @param owner owner of the options, for the error: the name of a function.
 * @example
 * ```ts
 * checkOptions({ colums: ["age"] }, "batches", BATCH_OPTIONS); // batches has no option colums; did you mean columns?
 * ```
 * @throws {InvalidInputError} for an unknown name, with the nearest known one, and for options that are not an object.
 */
export function checkOptions(options: unknown, owner: string, names: OptionNames): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    const given = options === null ? "null" : Array.isArray(options) ? "an array" : `a ${typeof options}`;
    throw new InvalidInputError(`${owner} takes its options as an object, not as ${given}`);
  }
  const all: OptionNames = { ...names, ...names[REGISTERED]?.() };
  for (const [name, value] of Object.entries(options)) {
    // An option whose value is undefined counts as not given.
    if (value === undefined) continue;
    const known = Object.hasOwn(all, name) ? all[name] : formatOptionsBeside(all).has(name) ? true : null;
    if (known === null) throw new InvalidInputError(`${owner} has no option ${name}; ${meant(name, all)}`);
    if (known !== true && typeof value === "object") checkOptions(value, name, known);
  }
}

function meant(name: string, names: OptionNames): string {
  const all = [...new Set([...Object.keys(names), ...formatOptionsBeside(names)])];
  const similar = findSimilarNames(name, all);
  return similar.length > 0 ? `did you mean ${similar.join(", ")}?` : `it has ${all.join(", ")}`;
}

/** The option names of functions whose only option is `signal`. */
export const SIGNAL_OPTION = { signal: true } as const satisfies OptionNames;
