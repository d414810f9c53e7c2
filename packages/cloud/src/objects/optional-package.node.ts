/** Loads optional packages, which are not installed together with this one. */

import { MissingDependencyError } from "annarrow";

/**
 * Loads an optional package. The caller checks its exports.
 * @param use purpose of the package.
 * @throws {MissingDependencyError} if it is not installed.
 */
export async function loadOptionalPackage(name: string, use: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(name);
  } catch (cause) {
    throw new MissingDependencyError(`${use} need the package ${name}: npm install ${name}`, { cause });
  }
}
