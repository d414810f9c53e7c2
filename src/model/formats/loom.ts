/** Loom in HDF5. */

import { describeFormat, GENES_BY_CELLS, GZIP_OR_NONE } from "./descriptor.js";

export const loom = describeFormat({
  name: "loom",
  title: "Loom",
  stores: { loom: { kind: "file", compressions: GZIP_OR_NONE } },
  isPromised: true,
  axes: GENES_BY_CELLS,
});
