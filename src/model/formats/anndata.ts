/** AnnData in HDF5 (`.h5ad`) or Zarr. */

import { CELLS_BY_GENES, describeFormat } from "./descriptor.js";
import { choice, toggle } from "./option-table.js";

/** Zarr has all codecs, and the chunks of another file. */
export const ZARR_COMPRESSIONS = ["gzip", "zstd", "blosc", "none", "keep"] as const;

/** Stores in Zarr, whatever the format. */
const IN_ZARR = ["zarr", "zarr.zip", "mudata.zarr", "mudata.zarr.zip", "plain.zarr", "plain.zarr.zip"] as const;

export const zarrOptions = {
  /** Version of Zarr: 2 by default, which more programs read; 3 is sharded. */
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
     * With the compression `keep`: decodes and checks matrices as other conversions do, although their chunks are copied.
     * False by default: neither the indices nor the content of chunks is checked.
     */
    check: toggle("a check of kept chunks", {
      flag: "--check",
      help: "with --compression keep: read and check what is copied all the same",
      ...{ heading: "Output", everywhere: true },
    }),
    ...zarrOptions,
    /**
     * Encodings of tables that come from no store: `portable`, the default, writes encodings that anndata 0.8 reads too;
     * `0.13` writes the encodings that anndata 0.13 added, `0.14` those that anndata 0.14 writes by default: text of
     * dataframes as `nullable-string-array`.
     */
    anndata: choice(["portable", "0.13", "0.14"], "encodings of AnnData", {
      ...{ flag: "--anndata <version>", help: "encodings of new elements", heading: "Output", everywhere: true },
    }),
    /**
     * Storage order of the sparse matrices `X`, `raw/X` and `layers/*`: the entries of a cell (`csr`) or of a gene
     * (`csc`) are stored together. By default the order of the input.
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
