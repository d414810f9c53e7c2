/**
 * The stores that are written, by the ends of their names. The command line lists these names without loading the modules
 * of the formats.
 */

import type { Format } from "../model/dataset.js";
import { UnsupportedError } from "../model/errors.js";

/** A file, a directory of files, or a zip with the files of such a directory. */
type StoreKind = "file" | "directory" | "zip";

interface WrittenStore {
  /** Format of the tables in the store. */
  readonly format: Format;
  readonly kind: StoreKind;
}

const STORES = {
  h5ad: { format: "anndata", kind: "file" },
  zarr: { format: "anndata", kind: "directory" },
  "zarr.zip": { format: "anndata", kind: "zip" },
  bpcells: { format: "bpcells", kind: "directory" },
  "bpcells.h5": { format: "bpcells", kind: "file" },
  "bpcells.rds": { format: "bpcells", kind: "file" },
  loom: { format: "loom", kind: "file" },
  h5mu: { format: "mudata", kind: "file" },
  "mudata.zarr": { format: "mudata", kind: "directory" },
  "mudata.zarr.zip": { format: "mudata", kind: "zip" },
  mat: { format: "matlab", kind: "file" },
} as const satisfies Record<string, WrittenStore>;

/** A store that is written, by the end of its name: `h5ad`, `zarr.zip`. */
export type StoreFormat = keyof typeof STORES;

export function isStoreFormat(name: string): name is StoreFormat {
  return Object.hasOwn(STORES, name);
}

export const STORE_FORMATS: readonly StoreFormat[] = Object.keys(STORES).filter(isStoreFormat);

/** @throws {UnsupportedError} for another name, which JavaScript may give. */
export function storeOf(name: StoreFormat): WrittenStore {
  if (!isStoreFormat(name)) throw new UnsupportedError(`no store ${JSON.stringify(name)} is written`);
  return STORES[name];
}
