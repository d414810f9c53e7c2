/** MATLAB 7.3 (`.mat`) in HDF5. */

import { describeFormat, GZIP_OR_NONE } from "./descriptor.js";
import { choice } from "./option-table.js";

export const matlab = describeFormat({
  name: "matlab",
  title: "MATLAB",
  stores: { mat: { kind: "file", compressions: GZIP_OR_NONE } },
  options: {
    /**
     * The form of the file: like files that MATLAB itself writes (the default), or with the attributes from which
     * hdf5storage restores Python's types.
     */
    profile: choice(["MATLAB", "hdf5storage"], "a profile of MATLAB", {
      flag: "--mat-profile <profile>",
      help: "of .mat files: for MATLAB (default), or with Python's types",
    }),
  },
  axes: null,
  // A variable may have any name.
  tableNames: "any",
});
