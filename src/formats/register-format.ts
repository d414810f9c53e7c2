/** Formats of other packages, which are registered before files are opened. This file loads none of the others. */

import { InvalidInputError } from "../model/errors.js";
import type { FormatOption } from "../model/formats/option-table.js";
import { addDescription, addStores, findFormat, listFormats } from "../model/formats/registry.js";
import type { FormatModule } from "./format.js";
import { outputFormats } from "./output.js";
import { STORE_OPTIONS } from "./store-options.js";

/** Modules in the order of their registration. */
const REGISTERED: FormatModule[] = [];

/**
 * Registers a format of another package. Unless its description names a format that comes after it (`before`), it is asked
 * before all others, among the formats that look at the same, whether a file is its own.
 * @throws {InvalidInputError} for a name or a store that another format has, and for an option of a known name with another
 * flag or other values.
 */
export function registerFormat(format: FormatModule): void {
  const { name, options } = format;
  if (findFormat(name) !== null) throw new InvalidInputError(`there is a format ${name} already`);
  checkStoreNames(format);
  const others = listOptionsOfFormats();
  const taken = Object.keys(options).find((one) => {
    const [own, known] = [options[one], others.get(one)];
    if (known === undefined) return Object.hasOwn(STORE_OPTIONS, one);
    return known.flag !== own.flag || known.kind !== own.kind;
  });
  if (taken !== undefined) throw new InvalidInputError(`there is an option ${taken} already`);
  addDescription(format);
  REGISTERED.push(format);
}

/**
 * Registers further stores of a format, which other code detects, reads and writes, such as a container of another
 * package: `defineFormat({ ...description, stores, detect, read, write })` with the name and the options of the format.
 * @throws {InvalidInputError} for an unknown format, and for a store that another format has.
 */
export function registerStores(format: FormatModule): void {
  const { name, stores } = format;
  if (findFormat(name) === null) throw new InvalidInputError(`there is no format ${name}`);
  checkStoreNames(format);
  addStores(name, stores);
  REGISTERED.push(format);
}

function checkStoreNames({ stores }: FormatModule): void {
  const store = Object.keys(stores).find((one) => outputFormats().some((known) => known === one));
  if (store !== undefined) throw new InvalidInputError(`there is a store .${store} already`);
}

/** Returns modules with all registered ones in between: further stores of a format directly after it. */
export function withRegistered(own: readonly FormatModule[]): readonly FormatModule[] {
  const modules = [...own];
  for (const module of REGISTERED) {
    const known = modules.findIndex(({ name }) => name === module.name);
    const next = modules.findIndex(({ name }) => name === module.before);
    modules.splice(known === -1 ? Math.max(next, 0) : known + 1, 0, module);
  }
  return modules;
}

/** The options that some formats have and others not, by their names. */
export function listOptionsOfFormats(): ReadonlyMap<string, FormatOption> {
  return new Map(listFormats().flatMap(({ options }) => Object.entries(options)));
}
