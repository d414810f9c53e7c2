/** Determines the compression of a store's chunks from the caller's options. */

import type { Hdf5Compression } from "../containers/hdf5/write/data/file-state.js";
import type { ZarrCompression } from "../containers/zarr/write/compression.js";
import { InvalidInputError } from "../model/errors.js";

export const STORE_COMPRESSIONS = ["gzip", "zstd", "blosc", "none", "keep"] as const;
export type StoreCompression = (typeof STORE_COMPRESSIONS)[number];

/** @throws {InvalidInputError} for a name that is not a compression for stores. */
export function storeCompression(name: string): StoreCompression {
  const known = STORE_COMPRESSIONS.find((one) => one === name);
  if (known !== undefined) return known;
  throw new InvalidInputError(`a store has no ${name}; there are ${STORE_COMPRESSIONS.join(", ")}`);
}

export interface CompressionOptions<Codec extends StoreCompression = StoreCompression> {
  /**
   * HDF5: gzip (default) or none. Zarr: blosc (default in version 2), zstd (default in version 3), gzip or none.
   * BPCells: none (default) or gzip in HDF5, gzip (default) or none as an R object. AnnData and MuData: `keep` copies
   * the chunks of matrices and arrays as they are stored in their file.
   */
  readonly compression?: Codec;
  /**
   * Compression level: gzip 0 to 9 (default 4; 2 for Loom, 3 for MATLAB), blosc 0 to 9 (default 5), zstd 1 to 19
   * (default 3).
   */
  readonly level?: number;
}

/** Lowest, highest and usual level. */
const LEVELS: Readonly<Record<Exclude<StoreCompression, "none" | "keep">, readonly [number, number, number]>> = {
  gzip: [0, 9, 4],
  blosc: [0, 9, 5],
  zstd: [1, 19, 3],
};

/**
 * @param store the name of the store in error messages, such as `.h5ad`.
 * @param usual the gzip level if the caller specifies none.
 * @throws {InvalidInputError} for compressions that other HDF5 programs could not read without plugins.
 */
export function getHdf5Compression(
  options: CompressionOptions,
  store: string,
  usual: number = LEVELS.gzip[2],
): Hdf5Compression {
  const { compression = "gzip", level = usual } = options;
  switch (compression) {
    case "keep":
      if (store !== ".h5ad" && store !== ".h5mu") refuseKeep(options, store);
      return { kind: "gzip", level: keptLevel(options, usual) };
    case "none":
      return noLevel(options);
    case "gzip":
      return { kind: "gzip", level: levelOf("gzip", { level }) };
    case "zstd":
    case "blosc":
      throw new InvalidInputError(
        `${store} is compressed by gzip or not at all: few programs read ${compression} there`,
      );
    default:
      return unknown(compression);
  }
}

/**
 * Compression hardly makes packed arrays smaller, so they are only compressed on request.
 * @throws {InvalidInputError} for compressions that other programs could not read, and for levels that do not exist.
 */
export function getBpcellsCompression(options: CompressionOptions, store: string): Hdf5Compression {
  const { compression } = options;
  refuseKeep(options, `.${store}`);
  if (store === "bpcells") {
    if ((compression ?? "none") === "none") return noLevel(options);
    throw new InvalidInputError(`a directory of BPCells is packed, not compressed by ${compression}`);
  }
  return compression === undefined ? noLevel(options) : getHdf5Compression(options, "BPCells in HDF5");
}

/** @throws {InvalidInputError} for a level that the compression does not have. */
export function getZarrCompression(options: CompressionOptions, version: 2 | 3): ZarrCompression {
  const { compression = version === 2 ? "blosc" : "zstd" } = options;
  switch (compression) {
    case "keep":
      keptLevel(options, null);
      return getZarrCompression({}, version);
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

/**
 * Returns the level for the other data in a store whose matrices keep their chunks.
 * @throws {InvalidInputError} if the caller specifies a level, because most chunks keep the level from their file.
 */
function keptLevel<T>({ level }: CompressionOptions, usual: T): T {
  if (level !== undefined) throw new InvalidInputError(`chunks that are kept have no choice of a level (${level})`);
  return usual;
}

/**
 * Checks the compression of a store that contains none of AnnData's matrices.
 * @throws {InvalidInputError} for `keep`.
 */
export function refuseKeep({ compression }: CompressionOptions, store: string): void {
  if (compression !== "keep") return;
  throw new InvalidInputError(`${store} cannot keep the chunks of another file: AnnData and MuData can`);
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

/** Rejects other names, which can come from plain JavaScript or from a command line that allows more names. */
function unknown(compression: never): never {
  throw new InvalidInputError(
    `cannot compress by ${JSON.stringify(compression)}; there are ${STORE_COMPRESSIONS.join(", ")}`,
  );
}
