/** The options of every store: a union by format, so that the compiler refuses an option that the format has not. */

import type { KeyOf, NamesOf } from "../model/option-names.js";
import type { AnnDataStoreOptions, ZarrStoreOptions } from "./anndata.js";
import type { BpcellsStoreOptions } from "./bpcells.js";
import type { CompressionOptions } from "./compression.js";
import type { AnyOrder, CommonStoreOptions } from "./format.js";
import type { LoomStoreOptions } from "./loom.js";
import type { MatlabStoreOptions } from "./matlab.js";
import type { RStoreOptions } from "./r.js";

type Gzip = CompressionOptions<"gzip" | "none">;
type GzipOrKept = CompressionOptions<"gzip" | "none" | "keep">;

/** Options by the stores that have them. */
export type OwnStoreOptions =
  | ({ readonly format?: "h5ad" | "h5mu" } & AnnDataStoreOptions & GzipOrKept)
  | ({
      readonly format?: "zarr" | "zarr.zip" | "mudata.zarr" | "mudata.zarr.zip";
    } & AnnDataStoreOptions &
      ZarrStoreOptions &
      CompressionOptions)
  | ({ readonly format?: "hdf5" } & Gzip)
  | ({ readonly format?: "plain.zarr" | "plain.zarr.zip" } & ZarrStoreOptions & CompressionOptions)
  | ({ readonly format?: "loom" } & LoomStoreOptions & Gzip)
  | ({ readonly format?: "h5seurat" } & Gzip)
  | ({ readonly format?: "mat" } & MatlabStoreOptions & Gzip)
  | ({ readonly format?: "seurat.rds" | "sce.rds" | "seurat" | "sce" } & RStoreOptions & Gzip)
  | ({ readonly format?: "bpcells" | "bpcells.h5" | "bpcells.rds" } & BpcellsStoreOptions & Gzip);

/** Each member of a union, without the properties that only other members have. */
export type Exclusive<T, Keys extends PropertyKey> = T extends unknown
  ? T & { readonly [Other in Exclude<Keys, keyof T>]?: never }
  : never;

/**
 * How a store is written: `{ format: "zarr", zarrFormat: 3 }`, `{ version: "2.0.1" }` of a Loom. The name of a file says
 * its format; an option that the format has not is an error of the compiler, or, from JavaScript, when it is written.
 */
export type StoreOptions = Omit<CommonStoreOptions, keyof CompressionOptions> &
  Exclusive<OwnStoreOptions, KeyOf<OwnStoreOptions>>;

/** Options of any store, before the store is known: `checkStoreOptions` compares them with its format. */
export interface AnyStoreOptions
  extends CommonStoreOptions,
    AnyOrder<AnnDataStoreOptions>,
    ZarrStoreOptions,
    LoomStoreOptions,
    MatlabStoreOptions,
    RStoreOptions,
    AnyOrder<BpcellsStoreOptions> {}

/** The names of the options of all stores. */
export const STORE_OPTIONS = {
  ...{ format: true, compression: true, level: true, matrix: true, lossy: true, shape: true, index: true },
  ...{ obsNames: true, varNames: true, elements: true, sortBytes: true, onProgress: true, signal: true },
  ...{ anndata: true, order: true, as: true, check: true, zarrFormat: true, version: true, profile: true },
  ...{ seurat: true, packed: true, type: true, group: true },
} as const satisfies NamesOf<StoreOptions>;
