/** AnnData in HDF5 (`.h5ad`) or Zarr. */

import { CELLS_BY_GENES, describeFormat } from "./descriptor.js";
import { choice, toggle } from "./option-table.js";

/** Compressions of Zarr: its own codecs, and `keep`, which copies the chunks of another file. */
export const ZARR_COMPRESSIONS = ["gzip", "zstd", "blosc", "none", "keep"] as const;

/** Zarr stores of all formats. */
const IN_ZARR = ["zarr", "zarr.zip", "mudata.zarr", "mudata.zarr.zip", "plain.zarr", "plain.zarr.zip"] as const;

export const zarrOptions = {
  /** Version of Zarr. The default is 2, which more programs can read. Arrays in version 3 are sharded. */
  zarrFormat: choice([2, 3], "a version of Zarr", {
    ...{ flag: "--zarr-format <version>", help: "2 (default) or 3", heading: "Output" },
    ...{ everywhere: true, stores: IN_ZARR },
  }),
};

export const anndata = describeFormat({
  name: "anndata",
  title: "AnnData",
  stores: {
    h5ad: { kind: "file", compressions: ["gzip", "none", "keep"] },
    zarr: { kind: "directory", compressions: ZARR_COMPRESSIONS },
    "zarr.zip": { kind: "zip", compressions: ZARR_COMPRESSIONS },
  },
  options: {
    /**
     * With the compression `keep`: decodes and checks matrices as in other conversions, although their chunks are
     * copied. By default this is false, and neither the indices nor the chunk contents are checked.
     */
    check: toggle("a check of kept chunks", {
      flag: "--check",
      help: "with --compression keep: read and check what is copied all the same",
      ...{ heading: "Output", everywhere: true },
    }),
    ...zarrOptions,
    /**
     * Encodings of tables that do not come from a store. The default, `portable`, writes encodings that anndata 0.8 can
     * also read. `0.13` writes the encodings that anndata 0.13 added. `0.14` writes those that anndata 0.14 uses by
     * default: text in dataframes becomes `nullable-string-array`.
     */
    anndata: choice(["portable", "0.13", "0.14"], "encodings of AnnData", {
      ...{ flag: "--anndata <version>", help: "encodings of new elements", heading: "Output", everywhere: true },
    }),
    /**
     * Storage order of the sparse matrices `X`, `raw/X` and `layers/*`: `csr` stores the entries of each cell together,
     * `csc` those of each gene. By default, the order of the input is kept.
     */
    order: choice(["csr", "csc"], "an order of its matrices", {
      flag: "--order <order>",
      help: "storage order of sparse matrices: csr or csc of AnnData",
      heading: "Output",
    }),
  },
  isPromised: true,
  axes: CELLS_BY_GENES,
  tableNames: "anndata",
  hasBothFrames: true,
  versionOf: "encoding",
});
