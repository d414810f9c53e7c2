# Reads the h5Seurat file that annarrow has written of a.h5ad as its specification says, makes a Seurat object of its parts,
# and compares it with anndata's values: Rscript h5seurat_written.R FOLDER. With SeuratDisk, that opens the file, too.
suppressPackageStartupMessages({ library(Matrix); library(Seurat); library(rhdf5) })
folder <- commandArgs(trailingOnly = TRUE)[1]
file <- file.path(folder, "a.h5seurat")
values <- jsonlite::fromJSON(file.path(folder, "values.json"))
passed <- 0; failed <- 0
check <- function(what, ok) {
  if (isTRUE(ok)) passed <<- passed + 1 else { failed <<- failed + 1; cat("FAILED h5Seurat", what, ":", format(ok), "\n") }
}
text <- function(x) enc2utf8(as.vector(x))
attribute <- function(name, at = "/") as.vector(h5readAttributes(file, at)[[name]])
# One dataset, with its dimensions in R's order, as SeuratDisk's library reads it.
one <- function(name) {
  value <- h5read(file, name, bit64conversion = "double")
  if (length(dim(value)) == 1) value <- as.vector(value)
  if (is.character(value)) Encoding(value) <- "UTF-8"
  value
}
sparse <- function(at, names) {
  dims <- attribute("dims", at)
  new("dgCMatrix", i = as.integer(one(paste0(at, "/indices"))), p = as.integer(one(paste0(at, "/indptr"))),
    x = as.numeric(one(paste0(at, "/data"))), Dim = as.integer(dims), Dimnames = names)
}
column <- function(at) {
  if (!h5ls_is_group(at)) {
    value <- one(at)
    if (identical(attribute("s3class", at), "logical")) value <- c(FALSE, TRUE, NA)[value + 1L]
    return(value)
  }
  levels <- one(paste0(at, "/levels"))
  codes <- as.integer(one(paste0(at, "/values")))
  codes[codes == 0] <- NA
  factor(levels[codes], levels)
}
listing <- h5ls(file)
paths <- sub("^//", "/", paste0(listing$group, "/", listing$name))
h5ls_is_group <- function(at) listing$otype[match(paste0("/", at), paths)] == "H5I_GROUP"
frame <- function(at, names) {
  columns <- attribute("colnames", at)
  found <- stats::setNames(lapply(paste0(at, "/", columns), column), columns)
  check(paste(at, "index"), identical(one(paste0(at, "/", attribute("_index", at))), names))
  data.frame(found, row.names = names, stringsAsFactors = FALSE)
}
check("version", grepl("^[34][.]", attribute("version")))
check("required groups", all(c("/assays", "/commands", "/graphs", "/images", "/misc", "/neighbors", "/reductions", "/tools",
  "/meta.data", "/cell.names", "/active.ident") %in% paths))
cells <- one("cell.names"); main <- attribute("active.assay")
rna <- paste0("assays/", main)
features <- one(paste0(rna, "/features"))
check("cells", identical(cells, values$cells)); check("features", identical(features, values$features))
named <- function(m) { m <- t(m); dimnames(m) <- list(values$features, values$cells); m }
counts <- sparse(paste0(rna, "/counts"), list(features, cells)); data <- sparse(paste0(rna, "/data"), list(features, cells))
check("valid counts", validObject(counts)); check("valid data", validObject(data))
check("counts", identical(counts, as(named(values$counts), "CsparseMatrix"))); check("data", identical(data, as(named(values$X), "CsparseMatrix")))
meta <- frame("meta.data", cells)
check("logicals", identical(sort(attribute("logicals", "meta.data")), c("flag", "maybe")))
obs <- values$obs
check("factor", identical(as.character(meta$factor), obs$factor) && identical(levels(meta$factor), c("b", "unused", "a", "\u00e4")))
for (name in c("double", "large", "integer", "missing")) check(name, isTRUE(all.equal(as.numeric(meta[[name]]), as.numeric(obs[[name]]), tolerance = 0)))
for (name in c("flag", "maybe", "text")) check(name, identical(meta[[name]], obs[[name]]))
check("features' frame", identical(dim(frame(paste0(rna, "/meta.features"), features)), c(length(features), 1L)))

# The object of these parts.
object <- CreateSeuratObject(counts, meta.data = meta)
object <- SetAssayData(object, "data", data)
for (name in c("pca", "umap")) {
  at <- paste0("reductions/", name)
  check(paste(name, "assay"), identical(attribute("active.assay", at), main))
  embeddings <- one(paste0(at, "/cell.embeddings"))
  check(paste(name, "has cells as rows"), nrow(embeddings) == length(cells))
  key <- attribute("key", at)
  dimnames(embeddings) <- list(cells, paste0(key, seq_len(ncol(embeddings))))
  object[[name]] <- CreateDimReducObject(embeddings, key = key, assay = main)
  check(name, isTRUE(all.equal(unname(embeddings), values[[name]], tolerance = 0)))
}
loadings <- one("reductions/pca/feature.loadings")
check("loadings", identical(unname(loadings), values$PCs) && identical(one("reductions/pca/features"), features))
graph <- sparse("graphs/connectivities", list(cells, cells))
check("graph", identical(unname(as.matrix(graph)), values$graph) && identical(attribute("assay.used", "graphs/connectivities"), main))
object[["connectivities"]] <- `DefaultAssay<-`(as.Graph(graph), value = main)
ident <- column("active.ident")
check("identities", length(ident) == length(cells) && !anyNA(ident))
check("misc", identical(one("misc/title"), "hello") && identical(one("misc/pca/variance"), as.numeric(0:4)))
check("the object is valid", validObject(object, complete = TRUE))
check("FetchData", isTRUE(all.equal(unname(FetchData(object, "umap_1")[, 1]), values$umap[, 1], tolerance = 0)))

if (requireNamespace("SeuratDisk", quietly = TRUE)) {
  opened <- suppressMessages(suppressWarnings(SeuratDisk::LoadH5Seurat(file, verbose = FALSE)))
  check("SeuratDisk: valid", validObject(opened, complete = TRUE))
  check("SeuratDisk: counts", identical(GetAssayData(opened, "counts"), counts))
  check("SeuratDisk: data", isTRUE(all.equal(GetAssayData(opened, "data"), data, tolerance = 0)))
  check("SeuratDisk: umap", identical(unname(Embeddings(opened, "umap")), values$umap))
  check("SeuratDisk: loadings", identical(unname(Loadings(opened, "pca")), values$PCs))
  check("SeuratDisk: graph", identical(unname(as.matrix(opened[["connectivities"]])), values$graph))
}
cat(passed, "passed,", failed, "failed\n")
quit(status = as.integer(failed > 0))
