/** From columns to a store, the mirror of `openSource`: format, container, target. */

import { withBroughtNames } from "../annotated/brought-names.js";
import { type ConvertedTables, convertedTables, type NamedTables } from "../annotated/converted.js";
import { fittedShapes } from "../annotated/fitted-shapes.js";
import type { ChunkEncoder } from "../containers/tree/chunk-encoding.js";
import { formatOf, type StoreFormat } from "../formats/output.js";
import type { Progress } from "../model/dataset.js";
import { isCancellation, isNothingToWrite, locateError } from "../model/errors.js";
import type { ContainerTarget } from "../targets/target.js";
import { checkStoreOptions } from "./check-options.js";
import type { CompressionOptions } from "./compression.js";
import { ownFormat } from "./own-format.js";
import { withoutRefused } from "./without-refused.js";

/** How a store is written, whatever it is written to. What the format has not is an error. */
export interface StoreOptions extends CompressionOptions {
  /** Zarr: its version, 2 by default, which more programs read; 3 is sharded. */
  readonly zarrFormat?: 2 | 3;
  /**
   * AnnData: the encodings of tables that never were elements of a store: those that anndata 0.8 reads too (`portable`,
   * the default), or those of anndata 0.13.
   */
  readonly anndata?: "portable" | "0.13";
  /** Loom: the version of its specification, 3.0.0 by default. */
  readonly loomVersion?: "3.0.0" | "2.0.1";
  /** MATLAB: as MATLAB writes its files, the default, or with the attributes by which hdf5storage restores Python's types. */
  readonly matlab?: "MATLAB" | "hdf5storage";
  /** BPCells: false for plain arrays instead of packed ones. */
  readonly packed?: boolean;
  /** BPCells: the axis whose entries lie together in the stored matrix; that of the table by default. */
  readonly order?: "row" | "column";
  /** BPCells: the type of the values; the one that holds all of them by default. */
  readonly type?: "uint" | "float" | "double";
  /** BPCells in HDF5: the path of the group that is written; the root by default. */
  readonly group?: string;
  /** The table that becomes the matrix of another format: `layers/counts`; `X` by default, or the only one. */
  readonly matrix?: string;
  /** Write in another form what the store has none for, or leave it out, with a warning, instead of stopping. */
  readonly lossy?: boolean;
  /** [rows, columns] of the given matrix, where the tables do not tell: of `X`, [observations, variables]. */
  readonly shape?: readonly [number, number];
  /** The column that is the index, by the names of dataframes: `{ obs: "barcode" }`. */
  readonly index?: Readonly<Record<string, string>>;
  /** Loom, from or to: the attribute that holds the names of the cells; `CellID` by default, where it is there. */
  readonly obsNames?: string;
  /** Loom, from or to: the attribute that holds the names of the genes; `Gene` by default, where it is there. */
  readonly varNames?: string;
  /** From MATLAB: variables, or fields (`s/field`), by the elements that they become: `{ X: "counts", obs: "cells" }`. */
  readonly elements?: Readonly<Record<string, string>>;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

export interface WriteResult {
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly warnings: readonly string[];
}

/** Where a format's writer puts tables, and what it encodes chunks with. The caller commits the target. */
export interface StorePlace {
  readonly format: StoreFormat;
  readonly target: ContainerTarget;
  readonly encoder: ChunkEncoder;
}

/** Writes tables that have the names and forms of the format. */
export type StoreWriter = (place: StorePlace, tables: ConvertedTables, options: StoreOptions) => Promise<WriteResult>;

/**
 * Writes tables of any format to `target`, and commits it, or leaves nothing. What tables of an opened dataset do not say,
 * the names of their rows and columns, comes from there.
 * @param isChosen whether they are some of the tables of one dataset.
 * @throws {InvalidInputError} for options that make no sense, for tables that do not fit together, and for what the
 * format cannot hold, unless losses are allowed.
 */
export async function writeStore(
  given: NamedTables,
  wanted: StoreFormat,
  target: ContainerTarget,
  options: StoreOptions = {},
  isChosen = false,
): Promise<WriteResult> {
  const { signal, index = {}, obsNames, varNames, elements, lossy = false } = options;
  const format = ownFormat(wanted, given);
  let place = target;
  try {
    signal?.throwIfAborted();
    checkStoreOptions(format, options);
    const shape = options.shape ?? given.shape;
    const names = { obs: obsNames ?? null, var: varNames ?? null };
    const to = formatOf(format);
    // These have both axes, whatever lies along them.
    const beside = isChosen && (to === "anndata" || to === "mudata");
    const how = { index, names, beside, ...(signal ? { signal } : {}) };
    const named = elements === undefined ? await withBroughtNames(given, to, how) : given;
    const fitted = await fittedShapes(named, to, options.shape ?? null, signal);
    const converted = await convertedTables({ ...named, shape, tables: fitted.tables }, to, options);
    const warnings = [...(target.warnings ?? []), ...fitted.warnings, ...converted.warnings];
    const write = await storeWriter(format);
    let refused: unknown;
    for (let { tables } = converted; ; ) {
      try {
        const result = await written(write, { format, target: place }, { ...converted, tables }, options);
        return { ...result, warnings: [...warnings, ...result.warnings] };
      } catch (error) {
        // Where nothing is left, what was left out is the reason.
        if (refused !== undefined && isNothingToWrite(error)) throw refused;
        refused ??= error;
        const rest = lossy && !signal?.aborted ? withoutRefused(tables, error, index) : null;
        if (rest === null || place.anew === undefined) throw error;
        // What is half written cannot be taken out of most containers: all else is written anew.
        place = await place.anew();
        ({ tables } = rest);
        warnings.push(rest.warning);
      }
    }
  } catch (error) {
    await place.abort();
    if (signal?.aborted === true && !isCancellation(error)) throw signal.reason;
    throw locateError(error, { source: target.name });
  }
}

async function written(
  write: StoreWriter,
  { format, target }: Omit<StorePlace, "encoder">,
  tables: ConvertedTables,
  options: StoreOptions,
): Promise<WriteResult> {
  const { signal } = options;
  const { chunkEncoder } = await import("../jobs/workers/chunk-encoder.js");
  const encoder = chunkEncoder(signal);
  try {
    const result = await write({ format, target, encoder }, tables, options);
    signal?.throwIfAborted();
    await target.commit();
    return result;
  } finally {
    encoder.close();
  }
}

async function storeWriter(format: StoreFormat): Promise<StoreWriter> {
  switch (format) {
    case "h5ad":
    case "zarr":
    case "zarr.zip":
      return (await import("./anndata.js")).writeAnnDataStore;
    case "loom":
      return (await import("./loom.js")).writeLoomStore;
    case "h5mu":
    case "mudata.zarr":
    case "mudata.zarr.zip":
      return (await import("./mudata.js")).writeMuDataStore;
    case "mat":
      return (await import("./matlab.js")).writeMatlabStore;
    case "bpcells":
    case "bpcells.h5":
    case "bpcells.rds":
      return (await import("./bpcells.js")).writeBpcellsStore;
    default:
      format satisfies never;
      throw new TypeError("unknown format of a store");
  }
}
