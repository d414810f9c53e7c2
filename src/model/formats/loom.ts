/** Loom in HDF5. */

import { describeFormat, GENES_BY_CELLS, GZIP_OR_NONE } from "./descriptor.js";
import { choice, text } from "./option-table.js";

export const loom = describeFormat({
  name: "loom",
  title: "Loom",
  stores: { loom: { kind: "file", compressions: GZIP_OR_NONE } },
  options: {
    /** Version of the specification of Loom, 3.0.0 by default. */
    version: choice(["3.0.0", "2.0.1"], "a version of the specification", {
      flag: "--loom-version <version>",
      help: "3.0.0 (default) or 2.0.1",
    }),
    /**
     * For Loom as input or output: the attribute that holds the names of the cells. The default is `CellID`, if it
     * exists.
     */
    obsNames: text("an attribute with the names of cells", {
      flag: "--obs-attr <name>",
      help: "from or to Loom: the attribute with the names of the cells (default: CellID)",
      ofSource: true,
    }),
    /**
     * For Loom as input or output: the attribute that holds the names of the genes. The default is `Gene`, if it
     * exists.
     */
    varNames: text("an attribute with the names of genes", {
      flag: "--var-attr <name>",
      help: "from or to Loom: the attribute with the names of the genes (default: Gene)",
      ofSource: true,
    }),
  },
  isPromised: true,
  axes: GENES_BY_CELLS,
});
