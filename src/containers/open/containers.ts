/**
 * All containers, and how each one is detected. A container's code is loaded only when it is called, so that other
 * packages can register containers, and names are known before a file is opened.
 */

import type { ByteSource, KeyValueSource, ReadOptions } from "../../io/sources/source.js";
import type { ContainerKind } from "../../model/dataset.js";
import { InvalidInputError } from "../../model/errors.js";
import type { ByteSpill } from "../tree/byte-spill.js";
import type { Container } from "../tree/container.js";
import type { FollowFile } from "../tree/followed-file.js";

/** Options that a container may use when it opens a source. */
export interface ContainerOptions extends ReadOptions {
  /** The path of the file in a file system, if it has one. A library may open the file in place. */
  readonly path?: string;
  /** Resolves other files that an HDF5 file links to. If absent, no other files may be opened. */
  readonly follow?: FollowFile;
  /** Creates temporary storage for long vectors of a file without an index; by default they stay in memory. */
  readonly newSpill?: () => Promise<ByteSpill | null>;
}

interface ContainerNames {
  /** The possible values of `kind` in opened containers, with names for people: `{ zarr2: "Zarr v2" }`. */
  readonly kinds: Readonly<Partial<Record<ContainerKind, string>>>;
  /**
   * Whether a dataset may take values from other files, whose paths are among its values. Changes to those files do not
   * change the version of the file itself, so nothing derived from the file is stored.
   */
  readonly hasExternalValues?: boolean;
}

/** A container in one file. */
export interface FileContainer extends ContainerNames {
  readonly source: "bytes";
  /** What errors call a file in this container: "an R object". */
  readonly what: string;
  /** Detects, from a file's first bytes, whether it is such a container. */
  detect(source: ByteSource, options: ReadOptions): Promise<boolean>;
  open(source: ByteSource, options: ContainerOptions): Promise<Container>;
  /** Returns the error text for a file of a related kind that is not supported; null for other files. */
  explain?(source: ByteSource, options: ReadOptions): Promise<string | null>;
}

/** A container in a folder or in another key-value store. */
export interface FolderContainer extends ContainerNames {
  readonly source: "keys";
  /** Detects, from the names of a store's files and folders, whether it is such a container. */
  detect(names: readonly string[]): boolean;
  /** @throws {NotFoundError} for a store that turns out to have other contents, if its names could not be listed. */
  open(source: KeyValueSource, options: ContainerOptions): Promise<Container>;
}

/**
 * Defines a container: how a source is detected, and how it is opened as a tree of groups and arrays. Arrays without a
 * `plan` are read by the thread that opened the file; the workers know all plans (`array-plan.ts`).
 */
export type ContainerDefinition = FileContainer | FolderContainer;

/** The containers, in the order in which they check whether a source is theirs. */
const CONTAINERS: ContainerDefinition[] = [
  {
    source: "bytes",
    kinds: { hdf5: "HDF5" },
    what: "HDF5",
    detect: async (source, options) => (await import("../hdf5/file/superblock.js")).isHdf5(source, options),
    open: async (source, options) => (await import("../hdf5/container.js")).openHdf5(source, options.path, options),
  },
  {
    source: "keys",
    kinds: { zarr2: "Zarr v2", zarr3: "Zarr v3" },
    detect: isZarrFolder,
    open: async (source) => (await import("../zarr/open.js")).openZarr(source),
  },
  {
    source: "keys",
    kinds: { directory: "a directory" },
    detect: (names) => names.includes("version"),
    open: async (source, options) => (await import("../arrays/open.js")).openArrays(source, options),
  },
];

/**
 * Registers a container of another package. It is asked before all others whether a source is its own.
 * @example
 * ```ts
 * declare module "annarrow/extend" {
 *   interface OtherContainers { study: true }
 * }
 * registerContainer({
 *   ...{ source: "bytes", kinds: { study: "a study" }, what: "a study" },
 *   detect: async (source, options) => (await source.read(0, 1, options))[0] === 0x53,
 *   open: async (source, options) => (await import("./study.js")).openStudy(source, options),
 * });
 * ```
 * @throws {InvalidInputError} for a kind that another container has.
 */
export function registerContainer(container: ContainerDefinition): void {
  const known = Object.keys(container.kinds).find((kind) => findContainer(kind) !== null);
  if (known !== undefined) throw new InvalidInputError(`there is a container ${known} already`);
  CONTAINERS.unshift(container);
}

export function listFileContainers(): readonly FileContainer[] {
  return CONTAINERS.filter((container) => container.source === "bytes");
}

export function listFolderContainers(): readonly FolderContainer[] {
  return CONTAINERS.filter((container) => container.source === "keys");
}

/**
 * Returns the container of this kind; null for unknown kinds, and for kinds that are not containers, such as Parquet.
 */
export function findContainer(kind: string): ContainerDefinition | null {
  return CONTAINERS.find(({ kinds }) => Object.hasOwn(kinds, kind)) ?? null;
}

/** True if datasets in this kind of container may take values from other files. */
export function hasExternalValues(kind: string): boolean {
  return findContainer(kind)?.hasExternalValues === true;
}

/** True if `kind` is the kind of a container. */
export function isContainerKind(kind: string): kind is ContainerKind {
  return findContainer(kind) !== null;
}

export function listContainerKinds(): readonly ContainerKind[] {
  return CONTAINERS.flatMap(({ kinds }) => Object.keys(kinds)).filter(isContainerKind);
}

/** Returns the name that people use for a kind of container. */
export function getContainerTitle(kind: ContainerKind): string {
  return findContainer(kind)?.kinds[kind] ?? kind;
}

/** The files that identify a folder as a Zarr store, regardless of what else it contains. */
const ZARR = ["zarr.json", ".zgroup", ".zarray"];

/** True if a folder containing these names is a Zarr store. */
export function isZarrFolder(names: readonly string[]): boolean {
  return ZARR.some((name) => names.includes(name));
}
