# Compares the objects that annarrow has written with anndata's values, and with what R's constructors make of these.
suppressPackageStartupMessages({ library(Matrix); library(SingleCellExperiment); library(Seurat) })
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]; version <- arguments[2]
values <- jsonlite::fromJSON(file.path(folder, "values.json"))
passed <- 0; failed <- 0
check <- function(what, ok) {
  if (isTRUE(ok)) passed <<- passed + 1 else { failed <<- failed + 1; cat("FAILED", version, what, ":", format(ok), "\n") }
}
same <- function(what, found, expected) check(what, all.equal(found, expected, tolerance = 0))
named <- function(m) { m <- t(m); dimnames(m) <- list(values$features, values$cells); m }
X <- as(named(values$X), "CsparseMatrix")
counts <- as(named(values$counts), "CsparseMatrix")
columns <- function(frame, of) {
  obs <- values$obs
  same(paste(of, "factor"), as.character(frame$factor), obs$factor)
  check(paste(of, "levels"), identical(levels(frame$factor), c("b", "unused", "a", "\u00e4")))
  check(paste(of, "ordered"), is.ordered(frame$ordered) && identical(levels(frame$ordered), c("lo", "hi")))
  for (name in c("integer", "missing")) check(paste(of, name), identical(frame[[name]], as.integer(obs[[name]])))
  for (name in c("double", "large")) check(paste(of, name), identical(frame[[name]], as.numeric(obs[[name]])))
  for (name in c("flag", "maybe", "text")) check(paste(of, name), identical(frame[[name]], obs[[name]]))
}

sce <- readRDS(file.path(folder, "sce.rds"))
check("sce valid", validObject(sce, complete = TRUE))
check("sce counts", identical(counts(sce), counts)); check("sce logcounts", identical(logcounts(sce), X))
check("sce cells", identical(colnames(sce), values$cells)); check("sce features", identical(rownames(sce), values$features))
columns(colData(sce), "sce")
check("sce umap", identical(unname(reducedDim(sce, "X_umap")), values$umap))
check("sce varm", identical(unname(rowData(sce)$PCs), values$PCs))
same("sce pairs", as.matrix(colPair(sce, "connectivities", asSparse = TRUE)), values$graph)
check("sce metadata", identical(metadata(sce)$pca$params, list(n = 3L, zero_center = TRUE)))
check("sce subset", ncol(sce[, sce$integer > 4]) == sum(values$obs$integer > 4))
made <- SingleCellExperiment(list(logcounts = X, counts = counts), colData = colData(sce), rowData = rowData(sce),
  metadata = metadata(sce), reducedDims = list(X_pca = values$pca, X_umap = values$umap))
colPair(made, "connectivities") <- as(values$graph, "CsparseMatrix")
int_metadata(made)$version <- int_metadata(sce)$version
check("sce as its constructor makes it", identical(sce, made) || all.equal(sce, made))
raw <- readRDS(file.path(folder, "raw.rds"))
check("raw valid", validObject(raw, complete = TRUE))
check("raw", identical(assay(altExp(raw, "raw"), "X"), X))

for (own in intersect(c("seurat4", version), c("seurat4", "seurat5"))) {
  s <- readRDS(file.path(folder, paste0(own, ".rds")))
  is5 <- packageVersion("SeuratObject") >= "5"
  layer <- function(name) if (is5) LayerData(s, name) else GetAssayData(s, name)
  check(paste(own, "valid"), validObject(s, complete = TRUE))
  check(paste(own, "counts"), identical(layer("counts"), counts)); check(paste(own, "data"), identical(layer("data"), X))
  columns(s[[]], own)
  check(paste(own, "umap"), identical(unname(Embeddings(s, "umap")), values$umap))
  check(paste(own, "loadings"), identical(unname(Loadings(s, "pca")), values$PCs))
  same(paste(own, "graph"), unname(as.matrix(s@graphs$connectivities)), values$graph)
  found <- FetchData(s, c("umap_1", "PC_2", "double", "G1"))
  same(paste(own, "FetchData"), unname(as.list(found)), list(values$umap[, 1], values$pca[, 2], values$obs$double, unname(X["G1", ])))
  check(paste(own, "subset"), ncol(subset(s, subset = integer > 4)) == sum(values$obs$integer > 4))
  check(paste(own, "DimPlot"), identical(unname(as.matrix(DimPlot(s, reduction = "umap")$data[, 1:2])), values$umap))
  check(paste(own, "misc"), identical(Misc(s, "title"), "hello"))
  if (own == version) {
    made <- if (is5) SetAssayData(CreateSeuratObject(counts), "data", X) else SetAssayData(CreateSeuratObject(counts), "data", X)
    check(paste(own, "counts as the constructor has them"), identical(made[["RNA"]]@key, s[["RNA"]]@key) &&
      identical(layer("counts"), if (is5) LayerData(made, "counts") else GetAssayData(made, "counts")))
  }
}
s <- readRDS(file.path(folder, paste0("scaled-", version, ".rds")))
wanted <- t(values$scaled)
dimnames(wanted) <- list(c("G7", "G2", "G5"), values$cells)
own <- s[["RNA"]]
check("scaled valid", validObject(s, complete = TRUE))
if (version == "seurat5") {
  made <- own
  LayerData(made, "scale.data") <- wanted
  check("scaled as LayerData<- has them", identical(own, made) && identical(LayerData(own, "scale.data"), wanted[c("G2", "G5", "G7"), ]))
} else check("scaled", identical(own@scale.data, wanted))
if (version == "seurat5") {
  s <- readRDS(file.path(folder, "cells.rds"))
  rna <- values$cells[1:40]; adt <- values$cells[11:50]
  check("cells valid", validObject(s, complete = TRUE))
  check("cells of the object", identical(colnames(s), values$cells))
  check("cells of the assays", identical(colnames(s[["rna"]]), rna) && identical(colnames(s[["adt"]]), adt))
  check("values of the assays", identical(LayerData(s[["adt"]], "data"), X[1:5, adt]))
  check("columns", identical(s$score, stats::setNames(c(rep(NA, 10), values$obs$double[11:50]), values$cells)))
  found <- FetchData(s, "adt_G1", cells = adt)
  check("cells FetchData", identical(found$adt_G1, unname(X["G1", adt])))
  part <- subset(s, cells = values$cells[c(1, 20, 45)])
  check("cells subset", identical(colnames(part[["rna"]]), values$cells[c(1, 20)]) && identical(colnames(part[["adt"]]), values$cells[c(20, 45)]))
}
cat(passed, "passed,", failed, "failed\n")
quit(status = as.integer(failed > 0))
