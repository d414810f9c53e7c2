/** R objects in `.rds` and `.RData` files: Seurat and SingleCellExperiment. */

import { choice, describeFormat, GZIP_OR_NONE, text } from "annarrow/format";

export const r = describeFormat({
  name: "r",
  title: "R",
  before: "10x",
  // An object without a class is a list, a matrix or a vector. A file written by `save` contains several objects of any
  // kind.
  contentWithoutVersion: "R data",
  stores: {
    "seurat.rds": { kind: "file", compressions: GZIP_OR_NONE, short: "seurat", shared: ["rds"] },
    "sce.rds": { kind: "file", compressions: GZIP_OR_NONE, short: "sce", shared: ["rds"] },
  },
  options: {
    /** The version of a Seurat object. Older Seurats cannot open "v5"; every Seurat since 3 opens "v4", the default. */
    seurat: choice(["v4", "v5"], "a version of Seurat", {
      flag: "--seurat <version>",
      help: "version of the Seurat object in an .rds: v4 (default) or v5",
      stores: ["seurat.rds"],
      // Only Seurat has these versions, so the option implies the format.
      implies: "seurat",
    }),
    /** To R: the name of the assay. */
    as: text("the name of a modality", {
      flag: "--as <name>",
      help: "to R: of the assay (default: RNA)",
      ...{ heading: "Output", note: "MuData has modalities" },
    }),
  },
  endings: ["rdata", "rda"],
  // An object may be any matrix.
  axes: null,
  tableNames: "anndata",
  modalities: "may",
});
