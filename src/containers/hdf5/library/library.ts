/**
 * The interface to libhdf5, for filters that only it has and for virtual datasets. Calls are synchronous; paths are
 * absolute and lead over hard links only.
 */

export interface Hdf5Library {
  /** Ids of the filters that it can undo. */
  readonly filters: ReadonlySet<number>;
  /** @throws {InvalidDataError} where the file cannot be opened, with the library's own reason. */
  open(file: Uint8Array | string): LibraryFile;
}

/** What a read gives: views of the library's memory, valid only during the call; pointers count from `heap`'s start. */
export type UseMemory<T> = (bytes: Uint8Array, heap: Uint8Array) => T;

/** All methods throw `InvalidDataError` with the library's own reason. */
export interface LibraryFile {
  /** Bytes of one element of the dataset in memory. */
  elementSize(path: string): number;
  /** A block of `count` elements from `offset` on; both empty for a scalar. */
  readDataset<T>(path: string, block: Hyperslab, variable: boolean, use: UseMemory<T>): T;
  /** The datasets that a virtual dataset is put together from, and the files that they lie in. */
  virtualSources(path: string): readonly VirtualSource[];
  close(): void;
}

export interface VirtualSource {
  /** `.` is the file of the virtual dataset. */
  readonly file: string;
  readonly dataset: string;
}

export interface Hyperslab {
  readonly offset: readonly number[];
  readonly count: readonly number[];
  readonly bytes: number;
}
