/** Loads an optional package, which is not installed with this one. */

import { MissingDependencyError } from "annarrow";

/**
 * Loads an optional package, whose exports the caller checks.
 * @param use purpose of the package.
 * @throws {MissingDependencyError} where it is not installed.
 */
export async function loadOptionalPackage(name: string, use: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(name);
  } catch (cause) {
    throw new MissingDependencyError(`${use} need the package ${name}: npm install ${name}`, { cause });
  }
}
