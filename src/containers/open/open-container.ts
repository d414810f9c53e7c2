/** Detects the container in a source, or in a zip that contains a folder's files. */

import type { ByteSource, KeyValueSource, ReadOptions, Source } from "../../io/sources/source.js";
import { isAnnarrowError, NotFoundError, UnsupportedError } from "../../model/errors.js";
import type { Container } from "../tree/container.js";
import { createLimitedContainer, type WalkLimit } from "../tree/walk-limit.js";
import { type ContainerOptions, listFileContainers, listFolderContainers } from "./containers.js";

export interface OpenContainerOptions extends ContainerOptions {
  /** Counts visited objects, and limits their number; unlimited by default. */
  readonly walkLimit?: WalkLimit;
}

/** Opens a zip as a store. Any other source is returned as it is. */
export async function openZipAsStore(source: Source, options: ReadOptions = {}): Promise<Source> {
  if (source.kind === "keys" || !(await startsLikeZip(source, options))) return source;
  return (await import("../../io/sources/zip.js")).zipSource(source);
}

/**
 * Opens the container in `given`.
 * @throws {UnsupportedError} if it is not a container.
 */
export async function openContainer(given: Source, options: OpenContainerOptions = {}): Promise<Container> {
  const container = await openUncounted(given, options);
  return options.walkLimit === undefined ? container : createLimitedContainer(container, options.walkLimit);
}

async function openUncounted(given: Source, options: OpenContainerOptions): Promise<Container> {
  const source = await openZipAsStore(given, options);
  if (source.kind === "keys") {
    return openKeys(source, options);
  }
  for (const container of listFileContainers()) {
    if (await container.detect(source, options)) return container.open(source, options);
  }
  throw new UnsupportedError(source.size === 0 ? "the file is empty" : await explainFile(source, options), {
    source: source.name,
  });
}

/** Returns the error text for a file that is not a container. */
async function explainFile(source: ByteSource, options: ReadOptions): Promise<string> {
  const files = listFileContainers();
  for (const container of files) {
    const text = (await container.explain?.(source, options)) ?? null;
    if (text !== null) return text;
  }
  const [{ detectOldMatlab }, { detectMatrixText, detectTableText }] = await Promise.all([
    import("./old-matlab.js"),
    import("./text-files.js"),
  ]);
  const known =
    (await detectMatrixText(source, options)) ?? (await detectOldMatlab(source, options)) ?? detectTableText(source);
  if (known !== null) return known;
  const [first, ...others] = files.map(({ what }) => what).toReversed();
  const all = [first, "Zarr", "a zip of Zarr", ...others, "Parquet or Arrow"];
  return `neither ${all.join(", nor ")} (wrong first bytes)`;
}

/**
 * Opens a key-value store according to its names. If these cannot be listed or are unknown, all containers are tried.
 */
async function openKeys(source: KeyValueSource, options: ContainerOptions): Promise<Container> {
  const names = await source.list("", options);
  const containers = listFolderContainers();
  const detected = names === null ? undefined : containers.find((container) => container.detect(names));
  if (detected !== undefined) return detected.open(source, options);
  const failures: unknown[] = [];
  for (const container of containers) {
    try {
      return await container.open(source, options);
    } catch (error) {
      if (!isAnnarrowError(error, "NotFoundError")) throw error;
      failures.push(error);
    }
  }
  throw names === null ? failures[0] : await nothingHere(names);
}

async function nothingHere(names: readonly string[]): Promise<NotFoundError | UnsupportedError> {
  const { detectMatrixFolder } = await import("./text-files.js");
  const known = detectMatrixFolder(names);
  if (known !== null) return new UnsupportedError(known);
  const held = names.length === 0 ? "nothing" : `${names.slice(0, 8).join(", ")}${names.length > 8 ? ", …" : ""}`;
  return new NotFoundError(
    `no Zarr store (zarr.json, .zgroup), no BPCells (version), no tables (manifest.json): it holds ${held}`,
  );
}

/** True if a file begins like a zip: with a local file entry, or with the end record of an empty zip. */
async function startsLikeZip(source: ByteSource, options: ReadOptions): Promise<boolean> {
  if (source.size < 22) return false;
  const [p, k, a, b] = await source.read(0, 4, options);
  return p === 0x50 && k === 0x4b && ((a === 3 && b === 4) || (a === 5 && b === 6));
}
