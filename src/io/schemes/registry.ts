/** The address schemes that packages register, by name. */

import { UnsupportedError } from "../../model/errors.js";
import { type OptionNames, REGISTERED } from "../../model/option-names.js";
import { HTTP_OPTIONS } from "../http/http-options.js";
import type { RemoteOutput } from "./remote-output.js";
import type { AccessOptions, FileScheme, RemoteOutputOptions, Scheme, ServiceScheme } from "./scheme.js";

const SCHEMES = new Map<string, Scheme>();

/**
 * Registers a scheme under all its names, replacing any scheme that already has one of them. Addresses with these names
 * are then opened, written and completed like addresses that the library supports itself, and the scheme's options
 * become options of `open` and `convert`.
 */
export function registerScheme(scheme: Scheme): void {
  for (const name of [...scheme.names, ...scheme.aliases]) SCHEMES.set(name, scheme);
}

/** Returns an address's scheme; null for a path, and for a scheme that is not registered. */
export function findScheme(address: string): Scheme | null {
  const name = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1].toLowerCase();
  return name === undefined ? null : (SCHEMES.get(name) ?? null);
}

/** Returns the scheme of an address for files or folders; null for anything else. */
export function findFileScheme(address: string): FileScheme | null {
  const scheme = findScheme(address);
  return scheme?.kind === "files" ? scheme : null;
}

/** Returns the scheme of an address for a service; null for anything else. */
export function findServiceScheme(address: string): ServiceScheme | null {
  const scheme = findScheme(address);
  return scheme?.kind === "service" ? scheme : null;
}

/**
 * Opens the destination for an output at an address.
 * @throws {UnsupportedError} for an address that can only be read.
 */
export async function createRemoteOutput(address: string, options: RemoteOutputOptions): Promise<RemoteOutput> {
  const create = findFileScheme(address)?.createOutput ?? null;
  if (create === null) throw new UnsupportedError("is read, not written", { source: address });
  return create(address, options);
}

/** Returns the names of all schemes of one kind, for use in messages. */
export function listSchemeNames(kind: Scheme["kind"]): readonly string[] {
  return listSchemes(kind).flatMap(({ names }) => names);
}

function listSchemes(...kinds: readonly Scheme["kind"][]): readonly Scheme[] {
  return [...new Set(SCHEMES.values())].filter(({ kind }) => kinds.includes(kind));
}

function listOptionNames(...kinds: readonly Scheme["kind"][]): OptionNames {
  return Object.fromEntries(listSchemes(...kinds).map(({ options: { key, names } }) => [key, names]));
}

/** The names of the options for accessing files at addresses. */
export const ACCESS_OPTIONS = { http: HTTP_OPTIONS, [REGISTERED]: () => listOptionNames("files") };

/** The names of all schemes' options. */
export const SCHEME_OPTIONS = { http: HTTP_OPTIONS, [REGISTERED]: () => listOptionNames("files", "service") };

/** Picks the access options from among other options. */
export function pickAccessOptions(options: AccessOptions): AccessOptions {
  const names = new Set(["http", ...Object.keys(listOptionNames("files"))]);
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.has(name)));
}
