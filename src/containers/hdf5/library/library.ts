/**
 * The interface to libhdf5, for virtual datasets. Calls are synchronous; paths are absolute and lead over hard links
 * only.
 */

export interface Hdf5Library {
  /** The ids of the filters that the library can decode, in the sources of virtual datasets. */
  readonly filters: ReadonlySet<number>;
  /** @throws {InvalidDataError} if the file cannot be opened, with the library's reason. */
  open(file: Uint8Array | string): LibraryFile;
}

/**
 * Uses the result of a read: views of the library's memory, valid only during the call. Pointers count from `heap`'s
 * start.
 */
export type UseMemory<T> = (bytes: Uint8Array, heap: Uint8Array) => T;

/** A file opened with the library. All methods throw `InvalidDataError` with the library's reason. */
export interface LibraryFile {
  /** Returns the bytes of one element of the dataset in memory. */
  elementSize(path: string): number;
  /** Reads a block of `count` elements starting at `offset`; both are empty for a scalar. */
  readDataset<T>(path: string, block: Hyperslab, variable: boolean, use: UseMemory<T>): T;
  /** Lists the source datasets of a virtual dataset, and their files. */
  virtualSources(path: string): readonly VirtualSource[];
  close(): void;
}

export interface VirtualSource {
  /** The name of the source's file; `.` is the file of the virtual dataset. */
  readonly file: string;
  readonly dataset: string;
}

export interface Hyperslab {
  readonly offset: readonly number[];
  readonly count: readonly number[];
  readonly bytes: number;
}
