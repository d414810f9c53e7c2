/**
 * The sources of a virtual dataset. libhdf5 assembles the dataset and lists its sources. Before libhdf5 reads any
 * value, this code decides whether the sources may be read: libhdf5 would follow every name in the file, even to other
 * files, and return fill values for sources that it does not find.
 */

import { platform } from "#platform";
import type { ReadOptions } from "../../../io/sources/source.js";
import { isAnnarrowError, UnsupportedError } from "../../../model/errors.js";
import { countElements } from "../../../model/stored.js";
import { type Filter, filterName } from "../chunks/filters.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import type { FollowedFiles } from "../followed/followed-files.js";
import type { LazyLibrary } from "../library/lazy-library.js";
import { readObjectHeader } from "../objects/object-header.js";
import type { Objects } from "../objects/objects.js";
import { describeDataset, type Hdf5Dataset } from "./dataset.js";

/** The name by which a virtual dataset refers to its own file. */
const THIS_FILE = ".";

/** Maximum number of sources. Files that contain all sources of a virtual dataset have fewer. */
const MAX_SOURCES = 1024;

/** Maximum compression ratio of HDF5's own filters. */
const MAX_RATIO = 1032;

/** A source's maximum number of stored bytes, and its filters. */
interface Source {
  readonly bytes: number;
  readonly filters: readonly Filter[];
}

/** A file, and the other files that it refers to. */
export interface VirtualFile {
  readonly file: Hdf5File;
  readonly library: LazyLibrary;
  readonly objects: Objects;
  /** The file's path, if it has one. */
  readonly path: string | undefined;
  readonly followed: FollowedFiles<Pick<VirtualFile, "file" | "objects">>;
}

export class VirtualSources {
  readonly #own: VirtualFile;
  readonly #library: LazyLibrary;
  /** Cached sources by file and path, because many virtual datasets may share them. */
  readonly #known = new Map<string, Source>();

  constructor(own: VirtualFile) {
    this.#own = own;
    this.#library = own.library;
  }

  /**
   * Returns a virtual dataset together with the number of bytes that its sources store.
   * @param hardPath the path by which the library finds the dataset.
   * @throws {UnsupportedError} if values lie in another file, in another virtual dataset, or behind a filter that the
   * library does not have, and if there are more than 1024 sources.
   * @throws {InvalidDataError} if the library cannot open the dataset, or a source is damaged.
   */
  async checked(hardPath: string, dataset: Hdf5Dataset, options?: ReadOptions): Promise<Hdf5Dataset> {
    const { file: library, filters } = await this.#library.open(options);
    const sources = library.virtualSources(hardPath);
    const unlike = new Map(sources.map((source) => [`${source.file}\0${source.dataset}`, source]));
    if (unlike.size > MAX_SOURCES) {
      throw new UnsupportedError(`virtual dataset of ${unlike.size} datasets; at most ${MAX_SOURCES} are read`);
    }
    let storedBytes = 0;
    for (const [key, { file, dataset: path }] of unlike) {
      options?.signal?.throwIfAborted();
      const source = this.#known.get(key) ?? (await this.#source(await this.#fileOf(file), path, options));
      this.#known.set(key, source);
      const missing = source.filters.filter(({ id }) => !filters.has(id));
      if (missing.length > 0) {
        const names = missing.map(({ id }) => filterName(id)).join(", ");
        throw new UnsupportedError(`virtual dataset of ${path}, which has the HDF5 filter ${names}`);
      }
      storedBytes += source.bytes;
    }
    return { ...dataset, layout: { kind: "virtual", storedBytes } };
  }

  /**
   * Opens the file of a source in the place where libhdf5 will open it, too: beside the virtual dataset's own file.
   * @throws {UnsupportedError} if the file must not be opened.
   */
  async #fileOf(name: string): Promise<Pick<VirtualFile, "file" | "objects">> {
    if (name === THIS_FILE) return this.#own;
    const { followed, path } = this.#own;
    const what = "virtual dataset: the values lie";
    const { isBeside } = await followed.find(name, path, what);
    if (!isBeside || path === undefined || platform.h5wasmOnFiles === null) {
      throw new UnsupportedError(
        `${what} in the file ${name}, which must be a file on disk, of Node, at this place from the folder of the file`,
      );
    }
    return await followed.context(name, path, what);
  }

  /** Finds the dataset at a path from the root. A missing dataset stands for fill values. */
  async #source(
    { file, objects }: Pick<VirtualFile, "file" | "objects">,
    path: string,
    options?: ReadOptions,
  ): Promise<Source> {
    // libhdf5 replaces this placeholder with a number, so that each block has its own dataset.
    if (path.includes("%")) throw new UnsupportedError(`virtual dataset: the values lie in datasets ${path}`);
    let place = objects.root;
    try {
      for (const name of path.split("/").filter((segment) => segment !== "" && segment !== ".")) {
        place = await objects.follow(place, name, options);
      }
    } catch (error) {
      if (isAnnarrowError(error, "NotFoundError")) return { bytes: 0, filters: [] };
      throw error;
    }
    const dataset = describeDataset(await readObjectHeader(file, place.address, options), file);
    if (dataset.layout.kind === "virtual") throw new UnsupportedError(`virtual dataset of the virtual dataset ${path}`);
    return { bytes: storedBytesOf(dataset, file.size), filters: dataset.filters };
  }
}

/** Returns the maximum number of bytes that a source can store in a file of this size. */
function storedBytesOf({ extent, datatype, layout }: Hdf5Dataset, fileSize: number): number {
  const bytes = countElements(extent ?? [0]) * datatype.size;
  switch (layout.kind) {
    case "compact":
      return bytes;
    case "contiguous":
      return layout.address === null ? 0 : bytes;
    case "chunked":
      return layout.index.kind === "none" ? 0 : Math.min(bytes, MAX_RATIO * fileSize);
    case "virtual":
      return 0;
    default:
      return layout satisfies never;
  }
}

/**
 * Reports how many bytes of a read are fill values, for a virtual dataset that declares more values than its sources
 * store.
 */
export function countUnwritten({ layout, extent, datatype }: Hdf5Dataset, bytes: number, options?: ReadOptions): void {
  if (layout.kind !== "virtual") return;
  const declared = countElements(extent ?? []) * datatype.size;
  const share = Math.max(0, 1 - layout.storedBytes / Math.max(1, declared));
  if (share > 0) options?.onUnwritten?.(share * bytes);
}
