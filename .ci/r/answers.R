# Functions that ask R for the tables of an object.

utf8 <- function(x) enc2utf8(as.character(x))
digits <- function(x) { text <- sprintf("%.17g", x); text[is.nan(x)] <- "NaN"; text[is.na(x) & !is.nan(x)] <- NA; text }
scaled <- function(x, by) sprintf("%.0f", floor(as.numeric(x) * by + 0.5))
missing_where <- function(text, x) { text[is.na(x)] <- NA; I(text) }

# One column: its type in Arrow's words, and its values as text. NULL for what has no column.
column <- function(x) {
  if (methods::is(x, "Rle")) x <- S4Vectors::decode(x)
  if (is.factor(x)) {
    levels <- levels(x)[!is.na(levels(x))]
    return(list(type = "factor", values = missing_where(utf8(x), x), levels = I(utf8(levels)), ordered = is.ordered(x)))
  }
  if (inherits(x, "POSIXlt")) x <- as.POSIXct(x)
  if (inherits(x, "Date")) {
    days <- floor(as.numeric(x)); days[!is.finite(days)] <- NA
    return(list(type = "date", values = missing_where(sprintf("%.0f", days), days)))
  }
  if (inherits(x, "POSIXct")) {
    zone <- attr(x, "tzone"); zone <- if (is.null(zone) || zone[1] == "") "UTC" else zone[1]
    ticks <- unclass(x); ticks[!is.finite(ticks)] <- NA
    return(list(type = "time", zone = zone, values = missing_where(scaled(ticks, 1e6), ticks)))
  }
  if (inherits(x, "difftime")) {
    seconds <- as.numeric(x) * c(secs = 1, mins = 60, hours = 3600, days = 86400, weeks = 604800)[[attr(x, "units")]]
    return(list(type = "duration", values = missing_where(scaled(seconds, 1e6), seconds)))
  }
  if (inherits(x, "integer64")) return(list(type = "int64", values = missing_where(as.character(x), x)))
  if (is.logical(x)) return(list(type = "bool", values = missing_where(ifelse(x, "1", "0"), x)))
  if (is.integer(x)) return(list(type = "int32", values = missing_where(as.character(x), x)))
  if (is.double(x)) return(list(type = "double", values = I(unname(digits(as.numeric(x))))))
  if (is.character(x)) return(list(type = "text", values = missing_where(utf8(unname(x)), x)))
  if (is.complex(x)) return(list(type = "complex", values = I(paste(digits(Re(x)), digits(Im(x))))))
  if (is.raw(x)) return(list(type = "raw", values = I(as.character(as.integer(x)))))
  if (is_lists(x)) return(list(type = "list", values = I(lapply(as.list(unname(x)), function(one) if (is.null(one)) NA else column(unname(one))$values))))
  NULL
}
is_frame <- function(x) is.data.frame(x) || methods::is(x, "DataFrame")
is_lists <- function(x) methods::is(x, "CompressedAtomicList") || inherits(x, c("AsIs", "vctrs_list_of")) && is.list(x)

# A frame: the names of its rows first, unless they are bare numbers.
frame <- function(x, index = row_names(x)) {
  columns <- as.list(x)
  names(columns) <- make.unique(names(columns))
  out <- if (is.null(index)) list() else list(`_index` = column(index))
  for (name in names(columns)) {
    one <- columns[[name]]
    if (is_frame(one)) for (own in names(one)) out[[paste0(name, ".", own)]] <- column(one[[own]])
    else if (length(dim(one)) == 2) out[[name]] <- dense(one)
    else out[[name]] <- column(one)
  }
  if (length(out) == 0) stats::setNames(list(), character()) else out
}
row_names <- function(x) {
  if (methods::is(x, "DataFrame")) return(rownames(x))
  if (.row_names_info(x) < 0 || anyNA(.row_names_info(x, 0L))) NULL else as.character(attr(x, "row.names"))
}

# A dense matrix, row by row; any other as its entries.
dense <- function(m) {
  m <- as.matrix(m)
  values <- column(as.vector(t(m)))
  list(shape = dim(m), dense = TRUE, type = values$type, values = values$values)
}
entries <- function(m) {
  t <- as(as(m, "generalMatrix"), "TsparseMatrix")
  value <- if (is(m, "nsparseMatrix")) rep(TRUE, length(t@i)) else t@x
  order <- order(t@j, t@i)
  list(shape = dim(m), row = I(t@i[order]), col = I(t@j[order]), value = column(value[order])$values)
}
pairs <- function(hits, count) {
  order <- order(S4Vectors::to(hits), S4Vectors::from(hits))
  beside <- mcols(hits)
  value <- if (is.null(beside) || ncol(beside) == 0) rep(TRUE, length(hits)) else beside[[1]]
  list(shape = c(count, count), row = I(S4Vectors::from(hits)[order] - 1L), col = I(S4Vectors::to(hits)[order] - 1L), value = column(value[order])$values)
}
matrix_table <- function(m) {
  if (is(m, "DelayedMatrix")) m <- if (is_sparse(m)) as(m, "CsparseMatrix") else as.matrix(m)
  if (is(m, "sparseMatrix")) entries(m) else dense(m)
}
# The slots that a class adds to the one of Matrix that it inherits.
slots_of_subclass <- function(m) {
  parents <- Filter(function(one) identical(attr(getClass(one), "package"), "Matrix") && !isVirtualClass(one), is(m))
  if (!isS4(m) || length(parents) == 0) character() else setdiff(slotNames(m), slotNames(parents[1]))
}
# Cells are the rows of annotated matrices.
cells_by_features <- function(m) matrix_table(if (is(m, "DelayedMatrix")) t(m) else Matrix::t(m))

put <- function(tables, name, table) { if (!is.null(table)) tables[[name]] <- table; tables }

# The attributes of vectors, lists and frames that say more than their values and form, the slots of those of Bioconductor,
# and what columns of a frame have: each as elements of its own.
beside <- function(tables, name, x, columns = names(x)) {
  if (methods::is(x, "Vector") && !methods::is(x, "GRanges")) {
    tables <- attribute(tables, paste0(name, ".metadata"), S4Vectors::metadata(x))
    tables <- attribute(tables, paste0(name, ".elementMetadata"), S4Vectors::mcols(x, use.names = FALSE))
  } else if (!isS4(x) && (is.atomic(x) || is.list(x))) {
    form <- c("names", "class", if (is.data.frame(x)) "row.names", if (is.factor(x)) "levels", if (!is.list(x)) c("dim", "dimnames"),
      if (inherits(x, "POSIXt")) c("tzone", "balanced"), if (inherits(x, "difftime")) "units", if (inherits(x, "data.table")) "index")
    for (own in setdiff(names(attributes(x)), form)) tables <- attribute(tables, paste0(name, ".", own), attr(x, own, exact = TRUE))
  }
  if (has_dimensions(x)) tables <- beside_dimensions(tables, name, x)
  if (is_frame(x)) for (own in columns) {
    at <- paste0(name, ".", gsub("/", "_", own, fixed = TRUE))
    one <- x[[own]]
    names <- if (is_frame(one)) row_names(one) else if (is.null(dim(one)) && !inherits(one, "POSIXlt")) names(one)
    if (!is.null(names) && !identical(names, row_names(x)))
      tables <- element(tables, paste0(at, if (is_frame(one)) ".rownames" else ".names"), names)
    # The names of the rows are those of the frame.
    if (length(dim(one)) == 2 && !is_frame(one) && identical(rownames(one), row_names(x))) rownames(one) <- NULL
    tables <- beside(tables, at, one)
  }
  tables
}
has_dimensions <- function(x) methods::is(x, "Matrix") || is.array(x) && !is.list(x)
beside_dimensions <- function(tables, name, x) {
  names <- dimnames(x)
  if (length(names) == 2) {
    if (!is.null(names[[1]])) tables <- element(tables, paste0(name, ".rownames"), names[[1]])
    if (!is.null(names[[2]])) tables <- element(tables, paste0(name, ".colnames"), names[[2]])
  }
  if (length(names) < 3 && any(nzchar(titles_of(x)))) tables <- element(tables, paste0(name, ".dimnames"), titles_of(x))
  tables
}
titles_of <- function(x) names(dimnames(x))
# An empty attribute has no element, but what it has itself, and an address in the memory of R is no data.
attribute <- function(tables, name, x) {
  if (typeof(x) == "externalptr") tables
  else if (length(x) == 0) beside(tables, name, x)
  else element(tables, name, x)
}

answer <- function(x, tables, prefix = "") {
  if (is(x, "Seurat")) seurat(x, tables, prefix)
  else if (is(x, "SummarizedExperiment")) experiments(x, tables, prefix)
  else if (is_frame(x)) beside(put(tables, "value", frame(x)), "value", x)
  else if (is(x, "GRanges")) put(tables, "value", ranges_frame(x))
  else if (is.matrix(x) && !is.list(x) || is(x, "Matrix")) {
    tables$matrix <- matrix_table(x)
    if (!is.null(rownames(x))) tables$row_names <- list(value = column(rownames(x)))
    if (!is.null(colnames(x))) tables$col_names <- list(value = column(colnames(x)))
    if (any(nzchar(titles_of(x)))) tables$matrix.dimnames <- list(value = column(titles_of(x)))
    for (name in slots_of_subclass(x)) tables <- element(tables, paste0("matrix.", name), slot(x, name))
    tables
  }
  else if (is.list(x) && !inherits(x, "POSIXlt")) {
    keys <- keys_of(x)
    for (i in seq_along(x)) tables <- element(tables, keys[i], x[[i]])
    beside(tables, "value", x)
  }
  else element(tables, "value", x)
}

keys_of <- function(x) {
  keys <- names(x)
  if (is.null(keys)) keys <- rep("", length(x))
  make.unique(as.character(ifelse(is.na(keys) | keys == "", as.character(seq_along(x)), keys)))
}

# An element of a list, as its table or as tables of its own elements.
element <- function(tables, name, x) {
  if (is.null(x)) return(put(tables, name, list(value = list(type = "null", values = I(NA)))))
  beside(own_tables(tables, name, x), name, x)
}
own_tables <- function(tables, name, x) {
  if (is_frame(x)) return(put(tables, name, frame(x)))
  if (is.matrix(x) && !is.list(x) || is(x, "Matrix")) return(put(tables, name, matrix_table(x)))
  if (is.list(x) && !inherits(x, "POSIXlt")) {
    keys <- keys_of(x)
    for (i in seq_along(x)) tables <- element(tables, paste0(name, "/", utf8(keys[i])), x[[i]])
    return(tables)
  }
  if (length(dim(x)) > 1) return(tables)
  value <- column(x)
  if (is.null(value)) return(tables)
  if (!is.null(names(x)) && !is.factor(x)) list(`_index` = column(names(x)), value = column(unname(x))) -> table
  else table <- list(value = value)
  put(tables, name, table)
}

# Experiments of Bioconductor.
experiments <- function(x, tables, prefix) {
  if (length(others(x)) == 0) return(experiment(x, tables, prefix))
  name <- mainExpName(x)
  tables <- experiment(x, tables, paste0("mod/", if (is.null(name)) "main" else name, "/"))
  alternatives(x, tables, "mod/")
}
others <- function(x) if (is(x, "SingleCellExperiment")) altExpNames(x) else character()
# Those within an alternative experiment have its name in front.
alternatives <- function(x, tables, above) {
  for (name in others(x)) {
    one <- altExp(x, name)
    tables <- alternatives(one, experiment(one, tables, paste0(above, name, "/")), paste0(above, name, "."))
  }
  tables
}
names_or_numbers <- function(names, count) if (is.null(names)) as.character(seq_len(count)) else names
experiment <- function(x, tables, prefix) {
  at <- function(name) paste0(prefix, name)
  tables <- put(tables, at("obs"), frame(colData(x), names_or_numbers(colnames(x), ncol(x))))
  tables <- put(tables, at("var"), frame(rowData(x), names_or_numbers(rownames(x), nrow(x))))
  for (i in seq_along(assays(x))) {
    name <- if (i == 1) "X" else paste0("layers/", names_or_numbers(assayNames(x), length(assays(x)))[i])
    tables <- put(tables, at(name), cells_by_features(assay(x, i, withDimnames = FALSE)))
  }
  if (is(x, "SingleCellExperiment")) {
    for (name in reducedDimNames(x)) {
      one <- reducedDim(x, name)
      if (is(one, "LinearEmbeddingMatrix")) one <- sampleFactors(one)
      tables <- put(tables, at(paste0("obsm/", name)), if (is.matrix(one)) dense(one) else frame(one, colnames(x)))
    }
    for (name in colPairNames(x)) tables <- put(tables, at(paste0("obsp/", name)), pairs(colPair(x, name), ncol(x)))
    for (name in rowPairNames(x)) tables <- put(tables, at(paste0("varp/", name)), pairs(rowPair(x, name), nrow(x)))
  }
  if (is(x, "RangedSummarizedExperiment") && is(rowRanges(x), "GRanges")) {
    ranges <- rowRanges(x)
    tables <- put(tables, at("varm/rowRanges"), list(`_index` = column(names_or_numbers(rownames(x), nrow(x))),
      seqnames = column(as.factor(seqnames(ranges))), start = column(start(ranges)), end = column(end(ranges)),
      strand = column(as.factor(strand(ranges)))))
  }
  for (name in names(metadata(x))) tables <- element(tables, at(paste0("uns/", name)), metadata(x)[[name]])
  vectors <- function(frame) Filter(function(name) is.null(dim(frame[[name]])), names(frame))
  tables <- beside(tables, at("uns/colData"), colData(x), vectors(colData(x)))
  tables <- beside(tables, at("uns/rowData"), rowData(x, use.names = FALSE), vectors(rowData(x)))
  if (is(x, "SingleCellExperiment")) {
    for (name in colPairNames(x)) tables <- attribute(tables, at(paste0("uns/", name, ".metadata")), metadata(colPair(x, name)))
    for (name in rowPairNames(x)) tables <- attribute(tables, at(paste0("uns/", name, ".metadata")), metadata(rowPair(x, name)))
  }
  tables
}

# Seurat of versions 3 to 5. SeuratObject 5 has layers, before there were slots.
is_5 <- function() packageVersion("SeuratObject") >= "5.0.0"
layer <- function(assay, name) if (is_5()) LayerData(assay, layer = name) else GetAssayData(assay, slot = name)
layers_of <- function(assay) if (is_5()) Layers(assay) else c("counts", "data", "scale.data")
has_values <- function(m) !is.null(m) && all(dim(m) > 0)
seurat <- function(x, tables, prefix) {
  several <- length(Assays(x)) > 1
  place <- function(assay) {
    if (length(assay) == 0 || !assay %in% Assays(x)) assay <- DefaultAssay(x)
    if (several) paste0("mod/", assay, "/") else prefix
  }
  cells <- x[[]]
  if (!"ident" %in% names(cells)) cells$ident <- unname(Idents(x))
  tables <- put(tables, paste0(prefix, "obs"), frame(cells, colnames(x)))
  # Assays of Seurat 5 may have some of the cells.
  cells_of <- function(name) if (several && name %in% Assays(x)) colnames(x[[name]]) else colnames(x)
  differ <- !all(vapply(Assays(x), function(name) identical(cells_of(name), colnames(x)), TRUE))
  for (name in Assays(x)) {
    own <- place(name)
    if (several) tables <- put(tables, paste0(own, "obs"), frame(cells[cells_of(name), , drop = FALSE], cells_of(name)))
    if (differ) tables <- put(tables, paste0(prefix, "obsmap/", name), list(value = column(match(colnames(x), cells_of(name), nomatch = 0L))))
    tables <- assay_tables(x[[name]], cells_of(name), tables, own)
  }
  for (name in Reductions(x)) {
    one <- x[[name]]
    own <- place(DefaultAssay(one))
    of_all <- !all(rownames(Embeddings(one)) %in% cells_of(DefaultAssay(one)))
    all_cells <- if (of_all) colnames(x) else cells_of(DefaultAssay(one))
    tables <- put(tables, paste0(if (of_all) prefix else own, "obsm/X_", name), dense(spread(Embeddings(one), all_cells)))
    features <- rownames(x[[if (DefaultAssay(one) %in% Assays(x)) DefaultAssay(one) else DefaultAssay(x)]])
    if (has_values(Loadings(one, projected = FALSE)))
      tables <- put(tables, paste0(own, "varm/", name), dense(spread(Loadings(one, projected = FALSE), features)))
    if (has_values(one@feature.loadings.projected))
      tables <- put(tables, paste0(own, "varm/", name, "_projected"), dense(spread(one@feature.loadings.projected, features)))
    if (length(Stdev(one)) > 0) tables <- put(tables, paste0(own, "uns/", name, "/stdev"), list(value = column(Stdev(one))))
  }
  for (name in Graphs(x)) {
    used <- x[[name]]@assay.used
    of_all <- length(used) == 1 && nrow(x@graphs[[name]]) > length(cells_of(used))
    tables <- put(tables, paste0(if (of_all) prefix else place(used), "obsp/", name), entries(as(x[[name]], "dgCMatrix")))
  }
  for (name in names(x@neighbors)) {
    one <- x@neighbors[[name]]
    tables <- put(tables, paste0(place(DefaultAssay(x)), "obsp/", name), neighbors(one))
  }
  tables <- beside(tables, paste0(prefix, "uns/meta.data"), x[[]])
  for (name in names(x@misc)) tables <- element(tables, paste0(prefix, "uns/misc/", name), x@misc[[name]])
  for (name in names(x@images)) tables <- image_tables(x@images[[name]], tables, paste0(prefix, "uns/images/", name, "/"))
  tables
}
# The coordinates of an image, and those of the parts of a field of view.
image_tables <- function(image, tables, own) {
  if ("coordinates" %in% slotNames(image)) tables <- put(tables, paste0(own, "coordinates"), frame(image@coordinates))
  if (!is(image, "FOV")) return(tables)
  plain <- function(x) { rownames(x) <- NULL; frame(x) }
  for (name in names(image@boundaries)) {
    places <- GetTissueCoordinates(image@boundaries[[name]])
    tables <- put(tables, paste0(own, "boundaries/", name, "/coordinates"), plain(places[c("x", "y", "cell")]))
  }
  for (name in names(image@molecules)) {
    places <- GetTissueCoordinates(image@molecules[[name]])
    tables <- put(tables, paste0(own, "molecules/", name), plain(places[c("x", "y", "molecule")]))
  }
  tables
}
neighbors <- function(one) {
  cells <- nrow(one@nn.idx)
  row <- as.vector(row(one@nn.idx)) - 1L
  col <- as.integer(as.vector(one@nn.idx)) - 1L
  order <- order(col, row)
  list(shape = c(cells, cells), row = I(row[order]), col = I(col[order]), value = column(as.vector(one@nn.dist)[order])$values)
}
spread <- function(m, names) {
  if (identical(rownames(m), names)) return(m)
  all <- matrix(NaN, length(names), ncol(m))
  all[match(rownames(m), names), ] <- m
  all
}
assay_tables <- function(assay, cells, tables, own) {
  is_layered <- is(assay, "StdAssay")
  if (is_layered && any(grepl("^(counts|data)[.]", Layers(assay)))) assay <- suppressWarnings(JoinLayers(assay, layers = c("counts", "data")))
  features <- rownames(assay)
  var <- if (is_layered) assay[[]] else assay@meta.features
  if (nrow(var) == 0) var <- data.frame(row.names = features)
  chosen <- suppressWarnings(VariableFeatures(assay))
  if (length(chosen) > 0 && !"highly_variable" %in% names(var)) {
    var$highly_variable <- features %in% chosen
    # Their order, where it is another one than that of the features, and no column has it.
    ranks <- match(features, chosen) - 1
    if (is.unsorted(ranks, na.rm = TRUE) && !any(grepl("^(var[.]features[.]rank|vf_.+_rank)$", names(var))))
      var$highly_variable_rank <- ifelse(is.na(ranks), NaN, ranks)
  }
  tables <- put(tables, paste0(own, "var"), frame(var, features))
  if ("ranges" %in% slotNames(assay)) {
    tables <- put(tables, paste0(own, "varm/ranges"), ranges_frame(assay@ranges, features))
    if (length(assay@links) > 0) tables <- put(tables, paste0(own, "uns/links"), ranges_frame(assay@links))
    if (!is.null(assay@annotation)) tables <- put(tables, paste0(own, "uns/annotation"), ranges_frame(assay@annotation))
    if (!is.null(assay@bias)) tables <- element(tables, paste0(own, "uns/bias"), assay@bias)
    for (name in names(assay@positionEnrichment))
      tables <- element(tables, paste0(own, "uns/positionEnrichment/", name), assay@positionEnrichment[[name]])
  }
  names <- Filter(function(name) has_values(suppressWarnings(layer(assay, name))), layers_of(assay))
  main <- if ("data" %in% names) "data" else if ("counts" %in% names) "counts" else if (length(names) == 1) names else ""
  for (name in names) {
    m <- suppressWarnings(layer(assay, name))
    if (is.null(dim(m))) stop("SeuratObject 5 has no matrix for a layer of one cell")
    if (name != main && !is(m, "sparseMatrix") && !identical(rownames(m), features)) {
      tables <- put(tables, paste0(own, "obsm/", name), dense(t(m)))
      tables <- put(tables, paste0(own, "uns/", name, ".features"), list(value = column(rownames(m))))
      next
    }
    if (is(m, "sparseMatrix")) m <- whole(m, features, cells)
    tables <- put(tables, paste0(own, if (name == main) "X" else paste0("layers/", name)), cells_by_features(m))
  }
  tables
}
# Ranges, with their names or those of features, and the columns beside them.
ranges_frame <- function(ranges, index = names(ranges)) {
  out <- list(seqnames = column(as.factor(seqnames(ranges))), start = column(start(ranges)), end = column(end(ranges)),
    strand = column(as.factor(strand(ranges))))
  if (!is.null(index)) out <- c(list(`_index` = column(index)), out)
  for (name in names(mcols(ranges))) out[[name]] <- column(mcols(ranges)[[name]])
  out
}
# A sparse layer with all features and cells.
whole <- function(m, features, cells) {
  if (identical(rownames(m), features) && identical(colnames(m), cells)) return(m)
  t <- as(m, "TsparseMatrix")
  sparseMatrix(match(rownames(m), features)[t@i + 1], match(colnames(m), cells)[t@j + 1], x = t@x, dims = c(length(features), length(cells)))
}
