/**
 * The datasets that a virtual dataset is put together from. libhdf5 does that and says which they are; whether they may
 * be read is decided here, before it reads any value: it follows whatever the file names, other files among them, and
 * gives fill values for what it does not find.
 */

import { isAnnarrowError, UnsupportedError } from "../../../model/errors.js";
import { product } from "../../../model/stored.js";
import type { ReadOptions } from "../../../sources/source.js";
import { type Filter, filterName } from "../chunks/filters.js";
import type { Hdf5File } from "../file/hdf5-file.js";
import type { LazyLibrary } from "../library/lazy-library.js";
import { readObjectHeader } from "../objects/object-header.js";
import type { Objects } from "../objects/objects.js";
import { describeDataset, type Hdf5Dataset } from "./dataset.js";

/** What the file itself is called in a virtual dataset. */
const THIS_FILE = ".";

/** More sources than a file that is read by itself has. */
const MAX_SOURCES = 1024;

/** No filter of HDF5's own gives more bytes of one. */
const MAX_RATIO = 1032;

/** A source: what it stores at most, and the filters that it went through. */
interface Source {
  readonly bytes: number;
  readonly filters: readonly Filter[];
}

export class VirtualSources {
  readonly #file: Hdf5File;
  readonly #library: LazyLibrary;
  readonly #objects: Objects;
  /** By path: many virtual datasets may have the same ones. */
  readonly #known = new Map<string, Source>();

  constructor(file: Hdf5File, library: LazyLibrary, objects: Objects) {
    this.#file = file;
    this.#library = library;
    this.#objects = objects;
  }

  /**
   * A virtual dataset with what its sources store.
   * @param hardPath by which the library finds it.
   * @throws {UnsupportedError} where values lie in another file, in another virtual dataset, or behind a filter that the
   * library has not, and where there are more than 1024 sources.
   * @throws {InvalidDataError} where the library cannot open it, or a source is damaged.
   */
  async checked(hardPath: string, dataset: Hdf5Dataset, options?: ReadOptions): Promise<Hdf5Dataset> {
    const { file: library, filters } = await this.#library.open(options);
    const sources = library.virtualSources(hardPath);
    const other = sources.find(({ file }) => file !== THIS_FILE);
    if (other !== undefined) throw new UnsupportedError(`virtual dataset: the values lie in the file ${other.file}`);
    const paths = new Set(sources.map((source) => source.dataset));
    if (paths.size > MAX_SOURCES) {
      throw new UnsupportedError(`virtual dataset of ${paths.size} datasets; at most ${MAX_SOURCES} are read`);
    }
    let storedBytes = 0;
    for (const path of paths) {
      options?.signal?.throwIfAborted();
      const source = this.#known.get(path) ?? (await this.#source(path, options));
      this.#known.set(path, source);
      const missing = source.filters.filter(({ id }) => !filters.has(id));
      if (missing.length > 0) {
        const names = missing.map(({ id }) => filterName(id)).join(", ");
        throw new UnsupportedError(`virtual dataset of ${path}, which has the HDF5 filter ${names}`);
      }
      storedBytes += source.bytes;
    }
    return { ...dataset, layout: { kind: "virtual", storedBytes } };
  }

  /** The dataset at a path from the root. Fill values stand for one that is not there. */
  async #source(path: string, options?: ReadOptions): Promise<Source> {
    // libhdf5 puts a number in for it: a dataset for each block.
    if (path.includes("%")) throw new UnsupportedError(`virtual dataset: the values lie in datasets ${path}`);
    let place = this.#objects.root;
    try {
      for (const name of path.split("/").filter((segment) => segment !== "" && segment !== ".")) {
        place = await this.#objects.follow(place, name, options);
      }
    } catch (error) {
      if (isAnnarrowError(error, "NotFoundError")) return { bytes: 0, filters: [] };
      throw error;
    }
    const dataset = describeDataset(await readObjectHeader(this.#file, place.address, options), this.#file);
    if (dataset.layout.kind === "virtual") throw new UnsupportedError(`virtual dataset of the virtual dataset ${path}`);
    return { bytes: storedBytesOf(dataset, this.#file.size), filters: dataset.filters };
  }
}

/** What a source stores at most, in a file of that size. */
function storedBytesOf({ extent, datatype, layout }: Hdf5Dataset, fileSize: number): number {
  const bytes = product(extent ?? [0]) * datatype.size;
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

/** Tells how many bytes of a read are fill values of a virtual dataset that declares more than its sources store. */
export function countUnwritten({ layout, extent, datatype }: Hdf5Dataset, bytes: number, options?: ReadOptions): void {
  if (layout.kind !== "virtual") return;
  const declared = product(extent ?? []) * datatype.size;
  const share = Math.max(0, 1 - layout.storedBytes / Math.max(1, declared));
  if (share > 0) options?.onUnwritten?.(share * bytes);
}
