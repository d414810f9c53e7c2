/** Which options a store's format has. Others are refused: no option that is asked for is passed over. */

import { InvalidInputError } from "../model/errors.js";
import type { OptionRule } from "./format.js";
import { FORMATS, moduleOf } from "./formats.js";
import type { AnyStoreOptions } from "./store-options.js";
import { type StoreFormat, storeOf } from "./stores.js";

/** The options that some formats have and others not. */
const RULES: ReadonlyMap<string, OptionRule> = new Map(FORMATS.flatMap(({ options }) => Object.entries(options)));

/** @throws {InvalidInputError} for an option that the format has not, and for a value that the option has not. */
export function checkStoreOptions(store: StoreFormat, options: AnyStoreOptions): void {
  const own = moduleOf(storeOf(store).format).options;
  for (const [name, value] of given(options)) {
    const rule = own[name];
    if (rule === undefined || rule.stores?.test(store) === false) {
      throw new InvalidInputError(`.${store} has no choice of ${RULES.get(name)?.called ?? name}`);
    }
    if (rule.values !== undefined && !rule.values.includes(value)) {
      throw new InvalidInputError(
        `.${store} has no ${name} ${JSON.stringify(value)}; there are ${rule.values.join(", ")}`,
      );
    }
  }
}

/** @throws {InvalidInputError} for an option of stores that tables of their own have not. */
export function checkTableOptions(options: Omit<AnyStoreOptions, "compression">): void {
  const [first] = given(options);
  if (first !== undefined) {
    throw new InvalidInputError(`files of tables have no choice of ${RULES.get(first[0])?.called ?? first[0]}`);
  }
  if (options.matrix !== undefined) {
    throw new InvalidInputError("files of tables have no matrix to be chosen: name the tables (--table)");
  }
  if (options.elements !== undefined) {
    throw new InvalidInputError(
      "files of tables keep the names of variables: choose some by their names (--table), not as elements (--X, --obs, --var, --element)",
    );
  }
  if (options.obsNames !== undefined || options.varNames !== undefined) {
    throw new InvalidInputError(
      "files of tables keep the names of columns: there are none to choose (--obs-names, --var-names)",
    );
  }
}

/** The options among these that only some formats have. */
function given(options: Omit<AnyStoreOptions, "compression">): readonly (readonly [string, unknown])[] {
  return Object.entries(options).filter(([name, value]) => value !== undefined && RULES.has(name));
}
