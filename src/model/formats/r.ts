/** R objects in `.rds` and `.RData` files: Seurat and SingleCellExperiment. */

import { describeFormat, GZIP_OR_NONE } from "./descriptor.js";

export const r = describeFormat({
  name: "r",
  title: "R",
  stores: {
    "seurat.rds": { kind: "file", compressions: GZIP_OR_NONE, short: "seurat", shared: ["rds"] },
    "sce.rds": { kind: "file", compressions: GZIP_OR_NONE, short: "sce", shared: ["rds"] },
  },
  endings: ["rdata", "rda"],
  // An object may be any matrix.
  axes: null,
  tableNames: "anndata",
  modalities: "may",
});
