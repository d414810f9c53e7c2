/** The containers that formats write to the target of a store, and the options that all writers accept. */

import type { Hdf5Options, Hdf5Writer } from "../containers/hdf5/write/container.js";
import type { ByteTarget, ContainerTarget, KeyValueTarget } from "../io/targets/target.js";
import { createSpill } from "../jobs/external-sort/create-spill.js";
import { InvalidInputError } from "../model/errors.js";
import type { WriterOptions } from "../writers/context.js";
import { type CompressionOptions, getHdf5Compression } from "./compression.js";
import type { CommonStoreOptions, StoreDestination } from "./format.js";

type Hdf5StoreOptions = Omit<Hdf5Options, "encoder" | "compression"> & {
  /** The gzip level if the caller requests none; 4 if absent. */
  readonly level?: number;
};

/** @throws {InvalidInputError} for a compression that HDF5 does not support, and if the target is a key-value store. */
export async function createHdf5Store(
  { store, target, encoder }: StoreDestination,
  options: CompressionOptions,
  { level, ...hdf5 }: Hdf5StoreOptions,
): Promise<Hdf5Writer> {
  const compression = getHdf5Compression(options, `.${store}`, level);
  const { createHdf5 } = await import("../containers/hdf5/write/container.js");
  return createHdf5(checkByteTarget(target, "HDF5"), { encoder, compression, ...hdf5 });
}

/** @throws {InvalidInputError} if the target is a key-value store. */
export function checkByteTarget(target: ContainerTarget, format: string): ByteTarget {
  if (target.kind === "bytes") return target;
  throw new InvalidInputError(`${format} is one file, not a store of keys`);
}

/** @throws {InvalidInputError} if the target is a single file. */
export function checkKeyValueTarget(target: ContainerTarget, format: string): KeyValueTarget {
  if (target.kind === "keys") return target;
  throw new InvalidInputError(`${format} is a store of keys, not one file`);
}

type CommonWriterOptions = WriterOptions & Required<Pick<WriterOptions, "lossy" | "spill">>;

export async function createWriterOptions(options: CommonStoreOptions): Promise<CommonWriterOptions> {
  const { lossy = false, sortBytes, signal, onProgress } = options;
  return {
    ...{ lossy, spill: await createSpill() },
    budgetBytes: sortBytes,
    signal,
    onProgress,
  };
}
