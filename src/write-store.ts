/** From columns to a store of an annotated matrix, the mirror of `openSource`: format, container, target. */

import type { ChunkEncoder } from "./containers/chunk-encoding.js";
import type { ContainerWriter } from "./containers/container-writer.js";
import type { Progress } from "./dataset.js";
import { InvalidInputError, isCancellation, locateError } from "./errors.js";
import type { StoreFormat } from "./output.js";
import { type CompressionOptions, hdf5Compression, zarrCompression } from "./store-compression.js";
import type { ColumnTable } from "./tables/column-table.js";
import type { ByteTarget, ContainerTarget, KeyValueTarget } from "./targets/target.js";

/** How a store is written, whatever it is written to. */
export interface StoreOptions extends CompressionOptions {
  /** Version of Zarr: 2 by default, which more programs read; 3 is sharded. */
  readonly zarrFormat?: 2 | 3;
  /**
   * The encodings of tables that never were elements of a store: those that anndata 0.8 reads too (`portable`, the
   * default), or those of anndata 0.13.
   */
  readonly anndata?: "portable" | "0.13";
  /** Write in another form what the store has none for, or leave it out, with a warning, instead of stopping. */
  readonly lossy?: boolean;
  /** [observations, variables], where the tables do not tell: a matrix of coordinates without `obs` and `var`. */
  readonly shape?: readonly [number, number];
  /** The column that is the index, by the names of dataframes: `{ obs: "barcode" }`. */
  readonly index?: Readonly<Record<string, string>>;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

export interface WriteResult {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly warnings: readonly string[];
}

/** The elements of a store by their names. */
export interface WrittenTables {
  readonly tables: ReadonlyMap<string, ColumnTable>;
  /** [observations, variables] where that is known already. */
  readonly shape: readonly [number, number] | null;
}

/**
 * Writes `tables` to `target`, and commits it, or leaves nothing.
 * @throws {InvalidInputError} for options that make no sense, and for tables that do not fit together.
 */
export async function writeStore(
  { tables, shape }: WrittenTables,
  format: StoreFormat,
  target: ContainerTarget,
  options: StoreOptions = {},
): Promise<WriteResult> {
  const { signal, onProgress } = options;
  try {
    signal?.throwIfAborted();
    const { chunkEncoder } = await import("./jobs/chunk-encoder.js");
    const encoder = chunkEncoder(signal);
    try {
      const container = await containerOf(format, target, encoder, options);
      const { writeAnnData } = await import("./writers/anndata/write.js");
      const { newSpill } = await import("./external-sort/spill.js");
      const result = await writeAnnData(container, tables, {
        profile: options.anndata ?? "portable",
        lossy: options.lossy ?? false,
        shape: options.shape ?? shape,
        spill: newSpill(),
        ...(options.index ? { index: options.index } : {}),
        ...(signal ? { signal } : {}),
        ...(onProgress ? { onProgress } : {}),
      });
      await container.close();
      signal?.throwIfAborted();
      await target.commit();
      return result;
    } finally {
      encoder.close();
    }
  } catch (error) {
    await target.abort();
    if (signal?.aborted === true && !isCancellation(error)) throw signal.reason;
    throw locateError(error, { source: target.name });
  }
}

async function containerOf(
  format: StoreFormat,
  target: ContainerTarget,
  encoder: ChunkEncoder,
  options: StoreOptions,
): Promise<ContainerWriter> {
  switch (format) {
    case "h5ad": {
      const compression = hdf5Compression(options);
      const { createHdf5 } = await import("./containers/hdf5/write/container.js");
      return createHdf5(byteTarget(target), { encoder, compression, shuffle: "integers" });
    }
    case "zarr":
    case "zarr.zip": {
      const version = options.zarrFormat ?? 2;
      const compression = zarrCompression(options, version);
      const { createZarr } = await import("./containers/zarr/write/container.js");
      // The older name of the type is read by every zarr-python 3, the newer one by the newest.
      const records = options.anndata === "0.13" ? "struct" : "structured";
      return createZarr(keyValueTarget(target), { version, encoder, compression, records });
    }
    default:
      format satisfies never;
      throw new TypeError("unknown format of a store");
  }
}

function byteTarget(target: ContainerTarget): ByteTarget {
  if (target.kind === "bytes") return target;
  throw new InvalidInputError("HDF5 is one file, not a store of keys");
}

function keyValueTarget(target: ContainerTarget): KeyValueTarget {
  if (target.kind === "keys") return target;
  throw new InvalidInputError("Zarr is a store of keys, not one file");
}
