/** 10x Genomics: Cell Ranger's matrices in HDF5, which can only be read, and fragments as text. */

import { CELLS_BY_GENES, describeFormat } from "./descriptor.js";

export const tenx = describeFormat({
  name: "10x",
  title: "10x Genomics",
  program: "Cell Ranger",
  page: "cellranger",
  // Fragments are text, which is not a store; formats/output.ts recognizes them by their names.
  stores: {},
  endings: ["h5", "tsv", "tsv.gz", "bed", "bed.gz"],
  options: {},
  axes: CELLS_BY_GENES,
});
