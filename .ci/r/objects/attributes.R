# What values have beside their elements: attributes, names, and slots that users fill.
library(data.table)
library(dplyr)

noted <- columns[1:4, c("integer", "text", "factor", "berlin")]
attr(noted, "note") <- "of the frame"
attr(noted, "counts") <- structure(list(a = 1:2, b = structure(c(u = 1.5, v = NA), unit = "mm")), of = "the counts")
attr(noted$integer, "label") <- c("a label", NA)
attr(noted$factor, "contrasts") <- "contr.sum"
attr(noted$berlin, "origin of times") <- as.POSIXct(0, origin = "1970-01-01", tz = "UTC")
comment(noted$text) <- "a comment"
keep(noted, "attributes-frame")
within <- data.frame(n = 1:2, row.names = c("a", "b"))
within$own <- structure(data.frame(m = structure(3:4, label = "inner"), row.names = c("x", "y")), note = "inner frame")
within$same <- data.frame(m = 5:6, row.names = c("a", "b"))
within$matrix <- matrix(1:4, 2, dimnames = list(c("a", "b"), c("p", "q")))
keep(within, "attributes-inner")
keep(na.omit(data.frame(a = c(1, NA, 3), b = letters[1:3])), "attributes-na-omit")
keep(expand.grid(a = 1:2, b = c("x", "y")), "attributes-expand-grid")
keyed <- data.table(a = 3:1, b = c("y", "x", "z"))
setkey(keyed, b)
setindex(keyed, a)
keep(keyed, "attributes-data-table")
keep(group_by(tibble::tibble(a = c("x", "y", "x"), b = 1:3), a), "attributes-grouped")
keep(ts(c(2.5, NA, 4), start = c(2000, 2), frequency = 4), "attributes-ts")
keep(list(vector = structure(1:3, names = c("a", "b", "c"), unit = "mm"), list = structure(list(a = 1), of = "a list"),
  empty = structure(list(), of = "an empty list"), none = structure(integer(), of = "an empty vector"),
  series = ts(1:3), fit = unclass(prcomp(matrix(c(1, 2, 4, 3, 5, 9), 3)))[c("sdev", "center")],
  cells = matrix(list(1L, "b"), 1), day = structure(as.Date("2020-01-01"), note = "a day"),
  lt = structure(as.POSIXlt("2020-01-01", tz = "UTC"), note = "a time")), "attributes-list")
keep(structure(list(a = 1:2), class = "own", made = "by hand"), "attributes-class")

letter <- c("a", "b", "a")
keep(list(one = table(letter), two = table(letter, c("x", "y", "y")), named = matrix(1:4, 2, dimnames = list(NULL, c("p", "q"))),
  rotation = prcomp(matrix(c(1, 2, 4, 3, 5, 9), 3, dimnames = list(NULL, c("u", "v"))))$rotation, sparse = sparse), "names-in-list")
keep(table(letter, number = c(1, 2, 2)), "names-of-table")

# Lists of Bioconductor, and columns that have names and metadata.
lists <- CharacterList(p = c("a", NA), q = character(), r = "c")
keep(list(named = lists, bare = unname(lists), integers = IntegerList(x = 1:2, y = NA)), "lists-named")
runs <- Rle(c("u", "v"), c(1, 2))
metadata(runs) <- list(note = "of the runs")
annotated <- DataFrame(own = lists, named = c(x = 1, y = 2, z = 3), same = c(a = 1L, b = 2L, c = 3L), runs = runs, row.names = c("a", "b", "c"))
metadata(annotated) <- list(note = "of the frame")
mcols(annotated) <- DataFrame(about = c("first", "second", "third", "fourth"))
keep(annotated, "lists-in-frame")

# Experiments within others, with all that they may have beside their values.
attr(colData(alternative)$depth, "thresholds") <- c(lower = 1, higher = 2)
rowData(alternative)$score <- structure(as.numeric(1:7), label = "a score")
metadata(colPair(alternative, "knn")) <- list(method = "annoy")
within_other <- altExp(alternative, "ADT")
colPair(within_other, "near") <- SelfHits(c(1, 2), c(2, 1), nnode = 5, x = c(3, 4))
metadata(within_other) <- list(note = "of the alternative")
attr(colData(within_other)$extra, "label") <- "an extra"
altExp(within_other, "deep") <- SummarizedExperiment(list(counts = counts[1:2, ]), metadata = list(note = "deep"))
altExp(alternative, "ADT") <- within_other
keep(alternative, "sce-attributes")
