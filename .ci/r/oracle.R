# What R says is in R objects, as the tables that docs/r.md names: Rscript oracle.R FILE…
#
# Beside each FILE.rds it writes FILE.rds.json: {table: {column: {type, values, levels?}, …} | {shape, values} |
# {shape, row, col, value}}. Numbers are text of 17 digits, so that they are compared exactly; NA is null.
options(warn = 1)
suppressPackageStartupMessages({
  library(Matrix); library(SingleCellExperiment); library(SeuratObject); library(Seurat); library(bit64); library(HDF5Array)
})
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "classes.R"))
source(file.path(here, "answers.R"))

for (file in commandArgs(TRUE)) {
  tryCatch({
    # Paths in an object are relative to its folder.
    setwd(dirname(file))
    json <- jsonlite::toJSON(answer(readRDS(file), list()), auto_unbox = TRUE, null = "null", na = "null")
    writeLines(json, paste0(file, ".json"), useBytes = TRUE)
  }, error = function(problem) cat("R cannot answer", file, conditionMessage(problem), "\n"))
}
