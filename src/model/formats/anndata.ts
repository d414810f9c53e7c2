/** AnnData in HDF5 (`.h5ad`) or Zarr. */

import { CELLS_BY_GENES, describeFormat } from "./descriptor.js";

/** Zarr has all codecs, and the chunks of another file. */
export const ZARR_COMPRESSIONS = ["gzip", "zstd", "blosc", "none", "keep"] as const;

export const anndata = describeFormat({
  name: "anndata",
  title: "AnnData",
  stores: {
    h5ad: { kind: "file", compressions: ["gzip", "none", "keep"] },
    zarr: { kind: "directory", compressions: ZARR_COMPRESSIONS },
    "zarr.zip": { kind: "zip", compressions: ZARR_COMPRESSIONS },
  },
  isPromised: true,
  axes: CELLS_BY_GENES,
  tableNames: "anndata",
  hasBothFrames: true,
  versionOf: "encoding",
});
