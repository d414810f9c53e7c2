/** How the chunks of a store are compressed, from what the caller asked for. */

import type { Compression } from "./containers/hdf5/write/file-state.js";
import type { ZarrCompression } from "./containers/zarr/write/compression.js";
import { InvalidInputError } from "./errors.js";

export const STORE_COMPRESSIONS = ["gzip", "zstd", "blosc", "none"] as const;
export type StoreCompression = (typeof STORE_COMPRESSIONS)[number];

/** @throws {InvalidInputError} for what no store is compressed by. */
export function storeCompression(name: string): StoreCompression {
  const known = STORE_COMPRESSIONS.find((one) => one === name);
  if (known !== undefined) return known;
  throw new InvalidInputError(`a store has no ${name}; there are ${STORE_COMPRESSIONS.join(", ")}`);
}

export interface CompressionOptions {
  /** `.h5ad`: gzip (default) or none. Zarr: blosc (default of version 2), zstd (default of version 3), gzip or none. */
  readonly compression?: StoreCompression;
  /** Of the compression: gzip 0 to 9 (default 4), blosc 0 to 9 (default 5), zstd 1 to 19 (default 3). */
  readonly level?: number;
}

/** Lowest, highest and usual level. */
const LEVELS: Readonly<Record<Exclude<StoreCompression, "none">, readonly [number, number, number]>> = {
  gzip: [0, 9, 4],
  blosc: [0, 9, 5],
  zstd: [1, 19, 3],
};

/** @throws {InvalidInputError} for what other HDF5 programs would not read without plugins. */
export function hdf5Compression(options: CompressionOptions): Compression {
  const { compression = "gzip" } = options;
  switch (compression) {
    case "none":
      return noLevel(options);
    case "gzip":
      return { kind: "gzip", level: levelOf("gzip", options) };
    case "zstd":
    case "blosc":
      throw new InvalidInputError(`.h5ad is compressed by gzip or not at all: few programs read ${compression} there`);
    default:
      return unknown(compression);
  }
}

/** @throws {InvalidInputError} for a level that the compression does not have. */
export function zarrCompression(options: CompressionOptions, version: 2 | 3): ZarrCompression {
  const { compression = version === 2 ? "blosc" : "zstd" } = options;
  switch (compression) {
    case "none":
      return noLevel(options);
    case "gzip":
      return { kind: "gzip", level: levelOf("gzip", options) };
    case "zstd":
      return { kind: "zstd", level: levelOf("zstd", options) };
    case "blosc":
      return { kind: "blosc", cname: "lz4", clevel: levelOf("blosc", options), shuffle: "byte" };
    default:
      return unknown(compression);
  }
}

function noLevel({ level }: CompressionOptions): { readonly kind: "none" } {
  if (level !== undefined) throw new InvalidInputError(`no compression has no level ${level}`);
  return { kind: "none" };
}

function levelOf(kind: keyof typeof LEVELS, { level }: CompressionOptions): number {
  const [lowest, highest, usual] = LEVELS[kind];
  if (level === undefined) return usual;
  if (Number.isInteger(level) && level >= lowest && level <= highest) return level;
  throw new InvalidInputError(`${kind} has the levels ${lowest} to ${highest}, not ${level}`);
}

/** From JavaScript, or a command line that lets more through. */
function unknown(compression: never): never {
  throw new InvalidInputError(
    `cannot compress by ${JSON.stringify(compression)}; there are ${STORE_COMPRESSIONS.join(", ")}`,
  );
}
