/** The schemes of addresses by their names, which packages register. */

import { UnsupportedError } from "../../model/errors.js";
import { type OptionNames, REGISTERED } from "../../model/option-names.js";
import { HTTP_OPTIONS } from "../http/http-options.js";
import type { RemoteOutput } from "./remote-output.js";
import type { AccessOptions, FileScheme, RemoteOutputOptions, Scheme, ServiceScheme } from "./scheme.js";

const SCHEMES = new Map<string, Scheme>();

/**
 * Registers a scheme under all its names, in place of one that had them before. Addresses with these names are then
 * opened, written and completed like the library's own, and its options are options of `open` and `convert`.
 */
export function registerScheme(scheme: Scheme): void {
  for (const name of [...scheme.names, ...scheme.aliases]) SCHEMES.set(name, scheme);
}

/** Returns the scheme of an address; null for a path, and for a scheme that nobody registered. */
export function findScheme(address: string): Scheme | null {
  const name = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1].toLowerCase();
  return name === undefined ? null : (SCHEMES.get(name) ?? null);
}

/** Returns the scheme of the address of a file or a folder; null for all else. */
export function findFileScheme(address: string): FileScheme | null {
  const scheme = findScheme(address);
  return scheme?.kind === "files" ? scheme : null;
}

/** Returns the scheme of the address of a service; null for all else. */
export function findServiceScheme(address: string): ServiceScheme | null {
  const scheme = findScheme(address);
  return scheme?.kind === "service" ? scheme : null;
}

/**
 * Opens the destination of an output at an address.
 * @throws {UnsupportedError} for an address that is only read.
 */
export async function createRemoteOutput(address: string, options: RemoteOutputOptions): Promise<RemoteOutput> {
  const create = findFileScheme(address)?.createOutput ?? null;
  if (create === null) throw new UnsupportedError("is read, not written", { source: address });
  return create(address, options);
}

/** Lists the schemes of one kind by the names that messages show. */
export function listSchemeNames(kind: Scheme["kind"]): readonly string[] {
  return listSchemes(kind).flatMap(({ names }) => names);
}

function listSchemes(...kinds: readonly Scheme["kind"][]): readonly Scheme[] {
  return [...new Set(SCHEMES.values())].filter(({ kind }) => kinds.includes(kind));
}

function listOptionNames(...kinds: readonly Scheme["kind"][]): OptionNames {
  return Object.fromEntries(listSchemes(...kinds).map(({ options: { key, names } }) => [key, names]));
}

/** The names of the options of access to files at addresses. */
export const ACCESS_OPTIONS = { http: HTTP_OPTIONS, [REGISTERED]: () => listOptionNames("files") };

/** The names of the options of all schemes. */
export const SCHEME_OPTIONS = { http: HTTP_OPTIONS, [REGISTERED]: () => listOptionNames("files", "service") };

/** Selects the options of access among others. */
export function pickAccessOptions(options: AccessOptions): AccessOptions {
  const names = new Set(["http", ...Object.keys(listOptionNames("files"))]);
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.has(name)));
}
