/**
 * The interface to libhdf5, for virtual datasets. Calls are synchronous, and paths are absolute and follow only hard
 * links.
 */

export interface Hdf5Library {
  /** The ids of the filters that the library can decode in the sources of virtual datasets. */
  readonly filters: ReadonlySet<number>;
  /** @throws {InvalidDataError} with the library's reason, if the file cannot be opened. */
  open(file: Uint8Array | string): LibraryFile;
}

/**
 * Uses the result of a read, which consists of views of the library's memory that are valid only during the call.
 * Pointers are relative to the start of `heap`.
 */
export type UseMemory<T> = (bytes: Uint8Array, heap: Uint8Array) => T;

/** A file that is opened with the library. All methods throw `InvalidDataError` with the library's reason. */
export interface LibraryFile {
  /** Returns the size in bytes of one element of the dataset in memory. */
  elementSize(path: string): number;
  /** Reads a block of `count` elements starting at `offset`. Both are empty lists for a scalar. */
  readDataset<T>(path: string, block: Hyperslab, variable: boolean, use: UseMemory<T>): T;
  /** Lists the source datasets of a virtual dataset, together with their files. */
  virtualSources(path: string): readonly VirtualSource[];
  close(): void;
}

export interface VirtualSource {
  /** The name of the source's file; `.` means the virtual dataset's own file. */
  readonly file: string;
  readonly dataset: string;
}

export interface Hyperslab {
  readonly offset: readonly number[];
  readonly count: readonly number[];
  readonly bytes: number;
}
