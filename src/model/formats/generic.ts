/** Plain HDF5 and Zarr: files that belong to no other format. Their arrays become tables. */

import { ZARR_COMPRESSIONS, zarrOptions } from "./anndata.js";
import { describeFormat, GZIP_OR_NONE } from "./descriptor.js";

export const hdf5 = describeFormat({
  name: "hdf5",
  title: "HDF5",
  content: "arrays",
  stores: {
    // The name of a file alone does not show that its arrays are plain.
    hdf5: {
      ...{ kind: "file", compressions: GZIP_OR_NONE, shared: ["h5", "hdf5"] },
      purpose: "every table as an array",
    },
  },
  options: {},
  axes: null,
  // An array may have any name.
  tableNames: "any",
});

export const zarr = describeFormat({
  name: "zarr",
  title: "Zarr",
  content: "arrays",
  stores: {
    "plain.zarr": { kind: "directory", compressions: ZARR_COMPRESSIONS },
    "plain.zarr.zip": { kind: "zip", compressions: ZARR_COMPRESSIONS },
  },
  options: zarrOptions,
  axes: null,
  tableNames: "any",
});
