# Makes R objects of every kind that is read: Rscript make-objects.R FOLDER
#
# R of two versions of Debian runs it, so that both versions of each class are there.
options(warn = 1)
suppressPackageStartupMessages({
  library(Matrix); library(SingleCellExperiment); library(SeuratObject); library(Seurat); library(HDF5Array)
})
here <- normalizePath(dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))))
source(file.path(here, "classes.R"))
folder <- commandArgs(TRUE)[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
keep <- function(object, name, ...) base::saveRDS(object, file.path(folder, paste0(name, ".rds")), ...)
set.seed(11)
for (part in setdiff(c("experiments.R", "seurat.R", "values.R", "attributes.R"), commandArgs(TRUE)[-1])) source(file.path(here, "objects", part))
