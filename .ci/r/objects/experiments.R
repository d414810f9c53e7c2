# Experiments of Bioconductor.
genes <- c("CD3E", "MS4A1", "caf\u00e9", "LYZ", "NKG7", "GNLY", "gene/7")
cells <- paste0("cell", 1:5)
counts <- as(as(matrix(as.numeric(rpois(35, 1.2)), 7, dimnames = list(genes, cells)), "CsparseMatrix"), "dgCMatrix")
logged <- log1p(counts)
dense <- matrix(rnorm(35), 7, dimnames = list(genes, cells))
colData <- DataFrame(cluster = factor(c("a", "b", "a", NA, "b"), levels = c("b", "unused", "a")), depth = c(1.5, NA, 2, NaN, 3),
  is.control = c(TRUE, NA, FALSE, FALSE, TRUE), day = as.Date("2020-01-01") + 0:4, runs = Rle(c("u", "u", "v", "v", "v")),
  codes = Rle(factor(c("p", "p", "q", "q", "q"))), row.names = cells)
ranges <- GRanges(rep(c("chr1", "chr2"), length.out = 7), IRanges(c(1, 100, 5, 7, 9, 11, 13), width = 1:7), c("+", "-", "*", "+", "+", "-", "*"))
names(ranges) <- genes
ranges$symbol <- toupper(genes)
embedding <- matrix(rnorm(10), 5, dimnames = list(cells, c("PC1", "PC2")))
attr(embedding, "percentVar") <- c(60, 40)
attr(embedding, "rotation") <- matrix(rnorm(14), 7, dimnames = list(genes, c("PC1", "PC2")))
sce <- SingleCellExperiment(list(counts = counts, logcounts = logged, dense = dense), colData = colData, rowRanges = ranges,
  metadata = list(title = "made", nested = list(k = 1:3), f = sum, formula = y ~ x, frame = data.frame(n = 1:2)),
  reducedDims = list(PCA = embedding, UMAP = unname(matrix(rnorm(10), 5)), frame = DataFrame(x = 1:5, y = letters[1:5], row.names = cells)))
colPair(sce, "knn") <- SelfHits(c(1, 1, 3, 5), c(2, 3, 4, 1), nnode = 5, x = c(0.5, 0.25, 1, 2))
colPair(sce, "bare") <- SelfHits(c(1, 2), c(2, 1), nnode = 5)
rowPair(sce, "same") <- SelfHits(c(1, 2), c(2, 1), nnode = 7, value = c(1, 2))
keep(sce, "sce")
keep(ranges, "granges")
keep(unname(ranges), "granges-unnamed")
keep(sce[, 1], "sce-one-cell")
keep(sce[, 0], "sce-no-cells")
keep(sce[0, ], "sce-no-features")
alternative <- sce
mainExpName(alternative) <- "RNA"
altExp(alternative, "ERCC") <- SummarizedExperiment(list(counts = counts[1:2, ]))
altExp(alternative, "ADT") <- SingleCellExperiment(list(counts = dense[1:3, ], other = dense[1:3, ] * 2), colData = DataFrame(extra = 1:5))
keep(alternative, "sce-altexp")
nameless <- alternative
mainExpName(nameless) <- NULL
keep(nameless, "sce-altexp-no-name")
bare <- function(m) { dimnames(m) <- list(NULL, NULL); m }
keep(SummarizedExperiment(list(rows = bare(as(counts, "RsparseMatrix")), integers = matrix(1:35, 7), logical = bare(counts > 1))), "se")
keep(SummarizedExperiment(list(whole = matrix(c(1L, NA, 3L, 4L), 2), text = matrix(letters[1:4], 2), yes = matrix(c(TRUE, NA, FALSE, TRUE), 2))), "se-missing")
keep(SummarizedExperiment(colData = DataFrame(a = integer())), "se-empty")
keep(SummarizedExperiment(list(counts = counts), rowRanges = ranges), "rse")
unnamed <- SummarizedExperiment(list(counts, logged))
keep(unnamed, "se-unnamed-assays")
keep(SingleCellExperiment(list(counts = counts[c(1, 1, 2), c(1, 1)])), "sce-names-twice")

# Assays that lie in files beside the object.
home <- setwd(folder)
unlink(c("assays.h5", "tenx.h5"))
in_file <- writeHDF5Array(bare(dense), "assays.h5", "dense")
# HDF5Array of Debian 12 cannot open what it writes.
is_new <- packageVersion("HDF5Array") >= "1.30"
in_tenx <- if (is_new) writeTENxMatrix(counts, "tenx.h5", group = "tenx") else NULL
relative <- function(x) { x@seed@filepath <- basename(x@seed@filepath); x }
delayed <- list(dense = relative(in_file), memory = DelayedArray(bare(counts)), named = DelayedArray(bare(dense)))
if (is_new) delayed$tenx <- relative(in_tenx)
if (is_new) {
  # X of a file of AnnData, whose entries are read of it.
  file.copy(file.path(here, "..", "..", "examples", "pbmc.h5ad"), "pbmc.h5ad", overwrite = TRUE)
  keep(SummarizedExperiment(list(X = relative(H5ADMatrix("pbmc.h5ad")))), "se-h5ad")
}
delayed <- SummarizedExperiment(delayed, checkDimnames = FALSE)
keep_delayed <- delayed
setwd(home)
keep(keep_delayed, "se-delayed")
# Names that a session in Latin-1 has made.
in_latin1 <- function(x) iconv(x, "UTF-8", "latin1")
coded_cells <- in_latin1(paste0(c("\u00fc", "\u00df", "x", "\u00ff", "\u00a0"), 1:5))
coded_genes <- in_latin1(c("g\u00e8ne", "G", "\u00c5"))
coded <- SingleCellExperiment(stats::setNames(list(matrix(as.numeric(1:15), 3, dimnames = list(coded_genes, coded_cells))), in_latin1("\u00e0")),
  colData = DataFrame(text = coded_cells, level = factor(coded_cells), row.names = coded_cells), rowData = DataFrame(n = 1:3, row.names = coded_genes),
  metadata = stats::setNames(list(coded_cells), in_latin1("cl\u00e9")))
reducedDim(coded, in_latin1("d\u00e9j\u00e0")) <- matrix(as.numeric(1:10), 5)
stopifnot("latin1" %in% Encoding(colnames(coded)), "latin1" %in% Encoding(rownames(coded)))
keep(coded, "sce-latin1")
