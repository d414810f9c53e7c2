# Seurat objects, as this version of SeuratObject makes them.
is_5 <- packageVersion("SeuratObject") >= "5.0.0"
quiet <- function(x) suppressWarnings(suppressMessages(x))
options(Seurat.object.assay.version = "v3")
rownames(counts)[7] <- "gene-7"
rownames(dense)[7] <- "gene-7"
meta <- data.frame(cluster = factor(c("a", "b", "a", "b", NA), levels = c("b", "unused", "a")), score = c(1, NA, NaN, 4, 5),
  day = as.Date("2020-01-01") + 0:4, flag = c(TRUE, NA, FALSE, TRUE, FALSE), text = c("x", NA, "y", "", "z"), row.names = cells)
finished <- function(object) {
  object <- quiet(NormalizeData(object, verbose = FALSE))
  pca <- matrix(rnorm(10), 5, dimnames = list(cells, c("PC_1", "PC_2")))
  loadings <- matrix(rnorm(4), 2, dimnames = list(c("LYZ", "CD3E"), c("PC_1", "PC_2")))
  object[["pca"]] <- quiet(CreateDimReducObject(pca, loadings = loadings, stdev = c(2, 1), key = "PC_", assay = "RNA",
    projected = matrix(rnorm(14), 7, dimnames = list(rownames(counts), c("PC_1", "PC_2"))), misc = list(note = "kept")))
  knn <- as(matrix(c(0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3, 0), 5, dimnames = list(cells, cells)), "dgCMatrix")
  graph <- as.Graph(knn)
  DefaultAssay(graph) <- "RNA"
  object[["RNA_snn"]] <- graph
  object@neighbors[["RNA.nn"]] <- new("Neighbor", nn.idx = matrix(c(1:5, 2, 3, 4, 5, 1), 5), nn.dist = matrix(c(0, 0, 0, 0, 0, 1:5 / 2), 5), cell.names = cells)
  object@misc <- list(note = "kept", f = mean, nested = list(m = matrix(1:4, 2)))
  Idents(object) <- factor(c("k1", "k2", "k1", "k2", "k2"))
  object
}
seurat3 <- finished(quiet(CreateSeuratObject(counts, meta.data = meta)))
VariableFeatures(seurat3) <- c("LYZ", "CD3E")
seurat3 <- quiet(SetAssayData(seurat3, "scale.data", dense[c("LYZ", "CD3E"), ]))
keep(seurat3, "seurat3")
keep(seurat3[, 1], "seurat3-one-cell")
latin1 <- function(x) iconv(x, "UTF-8", "latin1")
coded_cells <- latin1(paste0(c("\u00fc", "\u00df", "x", "\u00ff", "\u00a0"), 1:5))
coded <- as(matrix(as.numeric(1:15), 3, dimnames = list(latin1(c("g\u00e8ne", "G", "\u00c5")), coded_cells)), "dgCMatrix")
coded_meta <- data.frame(n = 1:5, text = coded_cells, level = factor(coded_cells), row.names = coded_cells)
names(coded_meta)[1] <- latin1("\u00e9tat")
in_latin1 <- function(version) {
  options(Seurat.object.assay.version = version)
  object <- quiet(CreateSeuratObject(coded, meta.data = coded_meta))
  object@misc <- stats::setNames(list(coded_cells), latin1("cl\u00e9"))
  stopifnot("latin1" %in% Encoding(colnames(object)), "latin1" %in% Encoding(rownames(object)), "latin1" %in% Encoding(names(object@meta.data)))
  keep(object, paste0("seurat-latin1-", version))
}
in_latin1("v3")
if (is_5) in_latin1("v5")
options(Seurat.object.assay.version = "v3")
# Seurat 4 has rows of scaled values in any order.
other_order <- seurat3
other_order@assays$RNA@scale.data <- dense[rev(rownames(dense)), ]
keep(other_order, "seurat3-scaled-order")
adt <- as(matrix(as.numeric(1:10), 2, dimnames = list(c("CD3", "CD19"), cells)), "dgCMatrix")
two <- seurat3
two[["ADT"]] <- CreateAssayObject(counts = adt)
two[["SCT"]] <- new("SCTAssay", counts = counts, data = log1p(counts), scale.data = dense, key = "sct_", assay.orig = "RNA",
  var.features = "LYZ", meta.features = data.frame(row.names = rownames(counts)), misc = list(vst = list(1, 2)), SCTModel.list = list(model1 = new("SCTModel",
    feature.attributes = data.frame(theta = 1:2, row.names = c("LYZ", "CD3E")), cell.attributes = data.frame(umi = 1:5, row.names = cells),
    clips = list(vst = c(-1, 1)), umi.assay = "RNA", model = "y ~ x", arguments = list(n = 5), median_umi = 3)))
keep(two, "seurat3-assays")
only_data <- seurat3
only_data[["RNA"]] <- quiet(CreateAssayObject(data = as.matrix(log1p(counts))))
only_data[["pca"]] <- NULL
only_data@graphs <- list()
keep(only_data, "seurat3-only-data")
peaks <- GRanges(c("chr1", "chr1", "chrX", "chr2", "chr2", "chrX", "chr1"), IRanges(c(1, 50, 9, 3, 700, 20, 90), width = 1:7), score = 7:1 / 2)
chromatin <- counts
rownames(chromatin) <- paste(as.character(seqnames(peaks)), start(peaks), end(peaks), sep = "-")
plain_peaks <- quiet(CreateAssayObject(counts = chromatin))
fragments <- list(new("Fragment", path = "fragments.tsv.gz", hash = c("a", "b"), cells = stats::setNames(paste0(cells, "-1"), cells)))
atac <- seurat3
atac[["peaks"]] <- new("ChromatinAssay", counts = plain_peaks@counts, data = plain_peaks@data, key = "peaks_", meta.features = plain_peaks@meta.features,
  ranges = peaks, fragments = fragments, annotation = GRanges("chr1", IRanges(1:3, width = 5), gene_name = c("a", NA, "c"), type = factor(c("exon", "exon", "cds"))),
  bias = c(AA = 1.5, AC = NA), positionEnrichment = list(TSS = as(counts[1:2, ], "dgCMatrix")), links = peaks[c(2, 4)])
keep(atac, "seurat3-chromatin")
image <- seurat3
spots <- data.frame(tissue = 1L, row = 1:5, col = 5:1, imagerow = 1:5 * 10, imagecol = 5:1 * 10, row.names = cells)
image@images$slice1 <- new("VisiumV1", image = array(runif(24), c(2, 4, 3)), scale.factors = scalefactors(spot = 1, fiducial = 2, hires = 0.5, lowres = 0.1),
  coordinates = spots, spot.radius = 0.01, assay = "RNA", key = "slice1_")
keep(image, "seurat3-visium")
centroids <- CreateCentroids(data.frame(x = 1:5, y = 5:1 / 2, cell = cells))
fov <- quiet(CreateFOV(list(centroids = centroids, segmentation = CreateSegmentation(data.frame(
  x = c(0, 0, 1, 1, 2, 2, 3), y = c(0, 1, 1, 0, 0, 2, 1), cell = rep(cells[1:2], c(4, 3))))), type = c("centroids", "segmentation"),
  molecules = data.frame(x = 1:3, y = 3:1, gene = c("LYZ", "LYZ", "CD3E")), assay = "RNA"))
image@images <- list(fov = fov)
keep(image, "seurat-fov")

if (is_5) {
  options(Seurat.object.assay.version = "v5")
  seurat5 <- finished(quiet(CreateSeuratObject(counts, meta.data = meta)))
  seurat5 <- quiet(ScaleData(FindVariableFeatures(seurat5, nfeatures = 3, verbose = FALSE), verbose = FALSE))
  keep(seurat5, "seurat5")
  keep(quiet(CreateSeuratObject(counts, meta.data = meta)), "seurat5-counts-alone")
  chosen <- seurat5
  VariableFeatures(chosen) <- c("LYZ", "CD3E")
  keep(chosen, "seurat5-chosen")
  keep(seurat5[, 1], "seurat5-one-cell")
  several <- seurat5
  several[["ADT"]] <- CreateAssay5Object(counts = adt)
  several[["OLD"]] <- CreateAssayObject(counts = adt)
  keep(several, "seurat5-assays")
  some <- seurat5
  some[["ADT"]] <- quiet(CreateAssay5Object(counts = adt[, c(2, 4)]))
  some[["apca"]] <- quiet(CreateDimReducObject(matrix(rnorm(4), 2, dimnames = list(cells[c(2, 4)], c("APC_1", "APC_2"))), key = "APC_", assay = "ADT"))
  some[["wide"]] <- quiet(CreateDimReducObject(matrix(rnorm(10), 5, dimnames = list(cells, c("W_1", "W_2"))), key = "W_", assay = "ADT"))
  wide <- as.Graph(as(some[["RNA_snn"]], "dgCMatrix"))
  DefaultAssay(wide) <- "ADT"
  some@graphs[["ADT_snn"]] <- wide
  narrow <- as.Graph(as(matrix(c(0, 1, 2, 0), 2, dimnames = list(cells[c(2, 4)], cells[c(2, 4)])), "dgCMatrix"))
  DefaultAssay(narrow) <- "ADT"
  some@graphs[["ADT_knn"]] <- narrow
  keep(some, "seurat5-some-cells")
  batch <- c("one", "two", "one", "two", "two")
  split <- seurat5
  split[["RNA"]] <- quiet(split(split[["RNA"]], f = batch))
  keep(split, "seurat5-split")
  first <- quiet(CreateSeuratObject(counts[1:5, 1:3]))
  second <- quiet(CreateSeuratObject(counts[c(7, 3, 4, 5), 4:5]))
  merged <- quiet(NormalizeData(merge(first, second, add.cell.ids = c("a", "b")), verbose = FALSE))
  keep(merged, "seurat5-merged")
  part <- seurat5
  LayerData(part, "part") <- counts[c(1, 3, 6), c(2, 4)]
  keep(part, "seurat5-part")
  dense5 <- quiet(CreateSeuratObject(CreateAssay5Object(counts = dense)))
  keep(dense5, "seurat5-dense")
  v2 <- seurat5
  v2@images$slice1 <- new("VisiumV2", image = array(runif(24), c(2, 4, 3)), scale.factors = scalefactors(spot = 1, fiducial = 2, hires = 0.5, lowres = 0.1),
    molecules = list(), boundaries = list(centroids = centroids), assay = "RNA", key = "slice1_")
  keep(v2, "seurat5-visium")
}
