export interface ReadRdsOptions {
  /** The most bytes that are decompressed in one piece: of bzip2, xz, and ASCII. Default 1 GiB. */
  readonly maxBytes?: number;
  /** The most values that are no element of an atomic vector: lists, cells, objects. Default 4 Mi. */
  readonly maxValues?: number;
  /** The most bytes that sequences become which the file holds as their bounds alone. Default 256 MiB. */
  readonly maxExpandedBytes?: number;
  readonly signal?: AbortSignal;
}

export interface ReadLimits {
  readonly maxBytes: number;
  readonly maxValues: number;
  readonly maxExpandedBytes: number;
}

export function readLimits(options: ReadRdsOptions): ReadLimits {
  return {
    maxBytes: options.maxBytes ?? 2 ** 30,
    maxValues: options.maxValues ?? 2 ** 22,
    maxExpandedBytes: options.maxExpandedBytes ?? 2 ** 28,
  };
}
