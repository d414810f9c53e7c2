# R of Debian 13, with Seurat 5 and SingleCellExperiment
bash .ci/environments/debian-r.sh "$ENVIRONMENTS/r5" trixie r-base-core r-cran-seurat r-bioc-singlecellexperiment \
  r-bioc-hdf5array r-cran-tibble r-cran-bit64 r-cran-jsonlite
