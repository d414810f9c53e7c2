export interface ReadRdsOptions {
  /** The most bytes that are decompressed in one piece: of bzip2, xz, and ASCII. Default 1 GiB. */
  readonly maxBytes?: number;
  /**
   * The most bytes that all vectors take together. Default 64 times the size of the file, 256 MiB at least: deflate can
   * make a thousand bytes of one, vectors of numbers do not.
   */
  readonly maxVectorBytes?: number;
  /** The most values that are no element of an atomic vector: lists, cells, objects. Default 4 Mi. */
  readonly maxValues?: number;
  /** The most bytes that sequences become which the file holds as their bounds alone. Default 256 MiB. */
  readonly maxExpandedBytes?: number;
  readonly signal?: AbortSignal;
}

export interface ReadLimits {
  readonly maxBytes: number;
  readonly maxVectorBytes: number;
  readonly maxValues: number;
  readonly maxExpandedBytes: number;
}

/** @param size of the file. */
export function readLimits(options: ReadRdsOptions, size: number): ReadLimits {
  return {
    maxBytes: options.maxBytes ?? 2 ** 30,
    maxVectorBytes: options.maxVectorBytes ?? Math.max(2 ** 28, 64 * size),
    maxValues: options.maxValues ?? 2 ** 22,
    maxExpandedBytes: options.maxExpandedBytes ?? 2 ** 28,
  };
}
