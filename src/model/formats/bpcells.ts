/** BPCells in a directory or in HDF5. */

import { describeFormat, GENES_BY_CELLS, GZIP_OR_NONE } from "./descriptor.js";
import { choice, text, toggle } from "./option-table.js";

export const bpcells = describeFormat({
  name: "bpcells",
  title: "BPCells",
  stores: {
    bpcells: { kind: "directory", compressions: GZIP_OR_NONE },
    "bpcells.h5": { kind: "file", compressions: GZIP_OR_NONE, short: "bpcells", shared: ["h5", "hdf5"] },
  },
  options: {
    /** The type of the values. The default is the first of these types that can hold all values. */
    type: choice(["uint", "float", "double"], "a type of its values", {
      flag: "--type <type>",
      help: "of the values of a matrix",
    }),
    /** False to write plain arrays instead of packed ones. */
    packed: toggle("packed arrays", { flag: "--unpacked", help: "plain arrays instead of packed ones", gives: false }),
    /** In HDF5, the path of the group to write; the root by default. */
    group: text("a group", {
      flag: "--group <path>",
      help: "in HDF5: the group that is written (default: the root)",
      stores: ["bpcells.h5"],
    }),
    /** Storage order of the matrix: by rows or by columns. The table's own order by default. */
    order: choice(["row", "column"], "a storage order", {
      flag: "--order <order>",
      help: "row or column of BPCells",
      heading: "Output",
    }),
  },
  axes: GENES_BY_CELLS,
});
