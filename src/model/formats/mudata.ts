/** MuData in HDF5 (`.h5mu`) or Zarr: several AnnData below `mod`. */

import { ZARR_COMPRESSIONS } from "./anndata.js";
import { CELLS_BY_GENES, describeFormat } from "./descriptor.js";

export const mudata = describeFormat({
  name: "mudata",
  title: "MuData",
  stores: {
    h5mu: { kind: "file", compressions: ["gzip", "none", "keep"] },
    "mudata.zarr": { kind: "directory", compressions: ZARR_COMPRESSIONS },
    "mudata.zarr.zip": { kind: "zip", compressions: ZARR_COMPRESSIONS },
  },
  isPromised: true,
  axes: CELLS_BY_GENES,
  tableNames: "anndata",
  modalities: "always",
  hasBothFrames: true,
  versionOf: "encoding",
});
