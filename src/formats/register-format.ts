/**
 * Formats from other packages, which are registered before files are opened. This file loads none of the other formats.
 */

import { InvalidInputError } from "../model/errors.js";
import type { FormatOption } from "../model/formats/option-table.js";
import { addDescription, addStores, findFormat, listFormats } from "../model/formats/registry.js";
import type { FormatModule } from "./format.js";
import { outputFormats } from "./output.js";
import { STORE_OPTIONS } from "./store-options.js";

/** Modules in the order of their registration. */
const REGISTERED: FormatModule[] = [];

/**
 * Registers a format from another package. Within each detection step, it is checked for a match before all others,
 * unless its description names the format before which it belongs (`before`).
 * @throws {InvalidInputError} for a name or a store that another format already has, and for an existing option that
 * gets another flag or other values.
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
 * Registers further stores for a format, such as a container from another package, with their own code to detect, read
 * and write them: `defineFormat({ ...description, stores, detect, read, write })` with the format's name and options.
 * @throws {InvalidInputError} for an unknown format, and for a store that another format already has.
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

/**
 * Returns `own` with all registered modules inserted. Modules with further stores of a format come directly after that
 * format.
 */
export function withRegistered(own: readonly FormatModule[]): readonly FormatModule[] {
  const modules = [...own];
  for (const module of REGISTERED) {
    const known = modules.findIndex(({ name }) => name === module.name);
    const next = modules.findIndex(({ name }) => name === module.before);
    modules.splice(known === -1 ? Math.max(next, 0) : known + 1, 0, module);
  }
  return modules;
}

/** Returns the options that only some formats support, by name. */
export function listOptionsOfFormats(): ReadonlyMap<string, FormatOption> {
  return new Map(listFormats().flatMap(({ options }) => Object.entries(options)));
}
