/** Detects the container in a source: HDF5, an R object, Zarr, a folder of arrays, or a zip of the last two. */

import { isAnnarrowError, NotFoundError, UnsupportedError } from "../../model/errors.js";
import type { ByteSource, KeyValueSource, ReadOptions, Source } from "../../sources/source.js";
import type { VectorSpill } from "../rds/items/long-vector.js";
import type { Container } from "../tree/container.js";
import type { FollowFile } from "../tree/followed-file.js";
import { createLimitedContainer, type WalkLimit } from "../tree/walk-limit.js";

export interface OpenContainerOptions extends ReadOptions {
  /** The path of the file in a file system, if there is one. A library may open it in place. */
  readonly path?: string;
  /** Resolves other files that an HDF5 file links to. If absent, no other files may be opened. */
  readonly follow?: FollowFile;
  /** Counts visited objects, and limits their number; unlimited by default. */
  readonly walkLimit?: WalkLimit;
  /** Creates temporary storage for the long vectors of an R object; by default they stay in memory. */
  readonly newSpill?: () => Promise<VectorSpill | null>;
}

/** Opens a zip as a store, and returns any other source itself. */
export async function openZipAsStore(source: Source, options: ReadOptions = {}): Promise<Source> {
  if (source.kind === "keys" || !(await startsLikeZip(source, options))) return source;
  return (await import("../../sources/zip.js")).zipSource(source);
}

/**
 * Opens the container in `given`.
 * @throws {UnsupportedError} where it is neither HDF5 nor an R object nor Zarr nor a zip.
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
  const { isRds } = await import("../rds/input/signature.js");
  if (await isRds(source, options)) return (await import("../rds/container.js")).openRds(source, options);
  const { isHdf5 } = await import("../hdf5/file/superblock.js");
  if (!(await isHdf5(source, options))) {
    const [{ detectOldMatlab }, { detectQuickSerialisation }, { detectMatrixText, detectTableText }] =
      await Promise.all([import("./old-matlab.js"), import("./quick-serialisation.js"), import("./text-files.js")]);
    const known =
      (await detectQuickSerialisation(source, options)) ??
      (await detectMatrixText(source, options)) ??
      (await detectOldMatlab(source, options)) ??
      detectTableText(source);
    throw new UnsupportedError(
      source.size === 0
        ? "the file is empty"
        : (known ??
            "neither HDF5, nor Zarr, nor a zip of Zarr, nor an R object, nor Parquet or Arrow (wrong first bytes)"),
      { source: source.name },
    );
  }
  const { openHdf5 } = await import("../hdf5/container.js");
  return openHdf5(source, options.path, options);
}

/** The files that identify a folder as a Zarr store, whatever else it contains. */
const ZARR = ["zarr.json", ".zgroup", ".zarray"];

/** True if a folder that contains these names is a Zarr store. */
export function isZarrFolder(names: readonly string[]): boolean {
  return ZARR.some((name) => names.includes(name));
}

/** Opens Zarr, or a folder of arrays with a file `version`. If the keys cannot be listed, both are tried. */
async function openKeys(source: KeyValueSource, options: ReadOptions): Promise<Container> {
  const names = await source.list("", options);
  const isArrays = names?.includes("version") === true && !isZarrFolder(names);
  if (isArrays) return (await import("../arrays/open.js")).openArrays(source, options);
  const { openZarr } = await import("../zarr/open.js");
  return openZarr(source).catch(async (error: unknown) => {
    if (!isAnnarrowError(error, "NotFoundError")) throw error;
    if (names !== null) throw isZarrFolder(names) ? error : await nothingHere(names);
    const { openArrays } = await import("../arrays/open.js");
    return openArrays(source, options).catch((other: unknown) => {
      throw isAnnarrowError(other, "NotFoundError") ? error : other;
    });
  });
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

/** True if a file begins like a zip: with a local entry, or with the end record of an empty zip. */
async function startsLikeZip(source: ByteSource, options: ReadOptions): Promise<boolean> {
  if (source.size < 22) return false;
  const [p, k, a, b] = await source.read(0, 4, options);
  return p === 0x50 && k === 0x4b && ((a === 3 && b === 4) || (a === 5 && b === 6));
}
