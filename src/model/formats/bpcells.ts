/** BPCells in a directory, in HDF5, or as an R object. */

import { describeFormat, GENES_BY_CELLS, GZIP_OR_NONE } from "./descriptor.js";

export const bpcells = describeFormat({
  name: "bpcells",
  title: "BPCells",
  stores: {
    bpcells: { kind: "directory", compressions: GZIP_OR_NONE },
    "bpcells.h5": { kind: "file", compressions: GZIP_OR_NONE, short: "bpcells", shared: ["h5", "hdf5"] },
    "bpcells.rds": { kind: "file", compressions: GZIP_OR_NONE, short: "bpcells", shared: ["rds"], rare: true },
  },
  axes: GENES_BY_CELLS,
});
