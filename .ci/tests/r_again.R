# Makes a Seurat object (make FOLDER VERSION), or compares it with what annarrow made of it, by way of tables (compare …):
# every slot that both have is identical() to R's own.
suppressPackageStartupMessages({ library(Matrix); library(Seurat) })
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[2]; version <- arguments[3]
file <- function(name) file.path(folder, paste0(name, "-", version, ".rds"))
quiet <- function(x) suppressWarnings(suppressMessages(x))

if (arguments[1] == "make") {
  set.seed(5)
  options(Seurat.object.assay.version = if (version == "seurat4") "v3" else "v5")
  # Names and text of a session in Latin-1.
  latin1 <- function(x) iconv(x, "UTF-8", "latin1")
  cells <- latin1(paste0("caf\u00e9-", 1:60)); genes <- latin1(paste0(rep(c("G", "g\u00e8ne"), c(30, 10)), 1:40))
  counts <- as(matrix(as.numeric(rpois(2400, 1.5)), 40, dimnames = list(genes, cells)), "dgCMatrix")
  meta <- data.frame(kind = factor(rep(c("a", "b", NA), 20), levels = c("b", "none", "a")), depth = rnorm(60), flag = rep(c(TRUE, NA), 30),
    text = latin1(rep(c("x", "\u00fc"), 30)), row.names = cells)
  levels(meta$kind) <- latin1(c("b", "n\u00f6", "a"))
  meta[[latin1("\u00e9tat")]] <- 60:1
  s <- quiet(NormalizeData(CreateSeuratObject(counts, meta.data = meta), verbose = FALSE))
  s <- quiet(FindVariableFeatures(s, nfeatures = 12, verbose = FALSE))
  # Seurat 5 keeps rows in the order of the features, Seurat 4 as they come.
  s <- quiet(ScaleData(s, features = VariableFeatures(s), verbose = FALSE))
  s <- quiet(RunPCA(s, npcs = 5, approx = FALSE, verbose = FALSE))
  s <- quiet(FindNeighbors(s, dims = 1:5, k.param = 5, verbose = FALSE))
  Idents(s) <- factor(rep(c("k2", "k1", "k2"), 20))
  saveRDS(s, file("made"))
  quit()
}
made <- readRDS(file("made")); again <- readRDS(file("again"))
passed <- 0; failed <- 0
check <- function(what, a, b) {
  if (identical(a, b)) passed <<- passed + 1
  else { failed <<- failed + 1; cat("FAILED", version, what, ":", format(utils::head(all.equal(a, b), 3)), "\n") }
}
invisible(validObject(again, complete = TRUE))
# What R marks as Latin-1 is written as UTF-8, and equal.
encodings <- function(object) lapply(list(cells = colnames(object), genes = rownames(object), columns = names(object@meta.data),
  levels = levels(object$kind), text = unname(object$text)), function(x) setdiff(Encoding(x), "unknown"))
for (name in names(encodings(made))) {
  check(paste("Latin-1 of", name), encodings(made)[[name]], "latin1")
  check(paste("UTF-8 of", name), encodings(again)[[name]], "UTF-8")
}
for (name in c("meta.data", "active.assay", "active.ident", "project.name", "images", "tools")) check(name, slot(made, name), slot(again, name))
check("assays", names(made@assays), names(again@assays))
one <- made[["RNA"]]; other <- again[["RNA"]]
check("class", class(one), class(other))
# Which features are variable is a column of AnnData, too.
extra <- c("highly_variable", "highly_variable_rank")
drop <- function(frame) frame[setdiff(names(frame), extra)]
frames <- intersect(c("meta.features", "meta.data"), slotNames(one))
for (name in setdiff(slotNames(one), c(frames, "assay.orig", "misc"))) check(paste("assay", name), slot(one, name), slot(other, name))
for (name in frames) check(paste("assay", name), slot(one, name), drop(slot(other, name)))
check("variable features", VariableFeatures(made), VariableFeatures(again))
for (name in names(made@graphs)) check(name, made@graphs[[name]], again@graphs[[name]])
pca <- made[["pca"]]; pca_again <- again[["pca"]]
for (name in c("cell.embeddings", "feature.loadings.projected", "assay.used", "stdev", "key", "jackstraw"))
  check(paste("pca", name), slot(pca, name), slot(pca_again, name))
own <- rownames(pca@feature.loadings)
check("loadings", pca@feature.loadings, pca_again@feature.loadings[own, ])
check("FetchData", FetchData(made, c("PC_1", "G3", "depth")), FetchData(again, c("PC_1", "G3", "depth")))
cat(passed, "passed,", failed, "failed\n")
quit(status = as.integer(failed > 0))
