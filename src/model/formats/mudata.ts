/** MuData in HDF5 (`.h5mu`) or Zarr: several AnnData below `mod`. */

import { anndata, ZARR_COMPRESSIONS } from "./anndata.js";
import { CELLS_BY_GENES, describeFormat } from "./descriptor.js";
import { text } from "./option-table.js";

export const mudata = describeFormat({
  name: "mudata",
  title: "MuData",
  stores: {
    h5mu: { kind: "file", compressions: ["gzip", "none", "keep"] },
    "mudata.zarr": { kind: "directory", compressions: ZARR_COMPRESSIONS },
    "mudata.zarr.zip": { kind: "zip", compressions: ZARR_COMPRESSIONS },
  },
  options: {
    ...anndata.options,
    /** For MuData as output: the name of the modality that an AnnData or another dataset becomes. */
    as: text("the name of a modality", {
      flag: "--as <name>",
      help: "to MuData: the name of the modality, as rna",
      ...{ heading: "Output", note: "MuData has modalities" },
    }),
  },
  isPromised: true,
  axes: CELLS_BY_GENES,
  tableNames: "anndata",
  modalities: "always",
  hasBothFrames: true,
  versionOf: "encoding",
});
