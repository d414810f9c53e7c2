# R of Debian 12, with Seurat 4, SingleCellExperiment, and its kernel of Jupyter
bash .ci/environments/debian-r.sh "$ENVIRONMENTS/r4" bookworm r-base-core r-cran-seurat r-bioc-singlecellexperiment \
  r-bioc-hdf5array r-cran-tibble r-cran-bit64 r-cran-jsonlite r-cran-irkernel r-cran-ggplot2
