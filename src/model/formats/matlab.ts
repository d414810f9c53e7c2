/** MATLAB 7.3 (`.mat`) in HDF5. */

import { describeFormat, GZIP_OR_NONE } from "./descriptor.js";

export const matlab = describeFormat({
  name: "matlab",
  title: "MATLAB",
  stores: { mat: { kind: "file", compressions: GZIP_OR_NONE } },
  axes: null,
  // A variable may have any name.
  tableNames: "any",
});
