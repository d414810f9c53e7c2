/** h5Seurat: Seurat objects in HDF5, in the layout of SeuratDisk. */

import { CELLS_BY_GENES, describeFormat, GZIP_OR_NONE } from "annarrow/format";

export const h5seurat = describeFormat({
  name: "h5seurat",
  title: "h5Seurat",
  before: "10x",
  stores: { h5seurat: { kind: "file", compressions: GZIP_OR_NONE } },
  isPromised: true,
  options: {},
  axes: CELLS_BY_GENES,
  tableNames: "anndata",
  modalities: "may",
});
