# Frames, vectors, matrices and lists: every type, with every kind of missing value.
latin1 <- c("caf\xe9", "na\xefve", "plain")
Encoding(latin1) <- "latin1"
nan <- c(NA, NaN, 1, -0, Inf, -Inf, 1e308, 5e-324, 0.1, pi)
columns <- data.frame(
  logical = rep(c(TRUE, NA, FALSE), length.out = 10), integer = c(1:8, NA, -.Machine$integer.max), double = nan,
  text = c("a", NA, "", latin1, "\u00e9\u4e2d\U1F600", "NA", " b ", "line\nbreak"),
  factor = factor(rep(c("x", NA, "y"), length.out = 10), levels = c("y", "unused", "x")),
  ordered = factor(rep(c("low", "high"), 5), levels = c("low", "mid", "high"), ordered = TRUE),
  empty_level = factor(rep(c("", "a"), 5)), na_level = addNA(factor(rep(c("a", NA), 5))), no_levels = factor(rep(NA, 10)),
  date = as.Date(c("2020-02-29", NA, "1969-12-31", "0001-01-01", "9999-12-31", "1970-01-01", "2000-01-01", NA, NA, "1900-03-01")),
  utc = as.POSIXct(c(0, NA, -1, 1.5, 1e9, 1234567890.123456, 4e9, -4e9, 0.000001, NaN), origin = "1970-01-01", tz = "UTC"),
  berlin = as.POSIXct(1e9 + 0:9 * 1e6, origin = "1970-01-01", tz = "Europe/Berlin"),
  seconds = as.difftime(c(1.5, NA, -2, 0:6), units = "secs"), weeks = as.difftime(0:9, units = "weeks"), stringsAsFactors = FALSE)
columns$day_integer <- structure(c(0L, NA, -1L, 18000L, 5:10), class = "Date")
columns$half_day <- structure(c(0.5, -0.5, 1.999, NA, NaN, 1:5), class = "Date")
columns$complex <- complex(real = nan, imaginary = rev(nan))
columns$big <- bit64::as.integer64(c("9007199254740993", NA, "-9223372036854775807", "9223372036854775807", 0:5))
columns$raw <- as.raw(0:9 * 28)
keep(columns, "frame")
keep(columns, "frame-version-2", version = 2)
keep(columns, "frame-xz", compress = "xz")
keep(columns, "frame-ascii", ascii = TRUE)
keep(columns[0, ], "frame-no-rows")
keep(columns[, 0], "frame-no-columns")
keep(columns[1, ], "frame-one-row")
keep(tibble::as_tibble(columns), "tibble")
keep(DataFrame(columns, row.names = letters[1:10], check.names = FALSE), "DFrame")
named <- data.frame(n = 1:3, row.names = c("a", latin1[1], "\u4e2d"))
keep(named, "frame-named")
keep(named[c(3, 1), , drop = FALSE], "frame-picked")
keep(data.frame(n = 1:5)[c(4, 2), , drop = FALSE], "frame-picked-numbers")
twice <- data.frame(1:2, 3:4, 5:6, 7:8)
names(twice) <- c("a", "a", "a.1", "\u00e9")
keep(twice, "frame-twice")
lt <- data.frame(n = 1:3)
lt$lt <- as.POSIXlt(c("2020-01-01 10:00:00", NA, "2020-07-01 12:30:15"), tz = "UTC")
keep(lt, "frame-posixlt")

keep(factor(c("b", NA, "a")), "factor")
keep(c(a = 1.5, b = NA, c = NaN), "named")
keep(structure(1:3, names = c("a", NA, "a")), "named-twice")
keep(list(n = 5L, deep = list(list(list("bottom"))), 7, latin1 = latin1, none = NULL, zero = character(), big = bit64::as.integer64(5),
  frame = columns[1:2, 1:4], day = as.Date("2020-01-01"), times = as.POSIXct(c(0, 1), origin = "1970-01-01", tz = "UTC"),
  m = matrix(c(1, NA, NaN, 4), 2), text_matrix = matrix(c("a", NA, "c", "d", "e", "f"), 2), lt = as.POSIXlt("2020-01-01", tz = "UTC"),
  logical_matrix = matrix(c(TRUE, NA, FALSE, TRUE), 2), complex_matrix = matrix(1:4 + 1i, 2)), "list")

m <- matrix(c(1, NA, NaN, 0, -0, 6), 2, dimnames = list(c("r1", "r2"), c("c1", "c1", "")))
keep(m, "matrix-real")
keep(matrix(c(1L, NA, 3L), 1), "matrix-integer")
keep(matrix(c(TRUE, NA, FALSE, FALSE), 2), "matrix-logical")
keep(matrix(c("a", NA, "\u00e9", "d"), 2, dimnames = list(NULL, c("x", "y"))), "matrix-text")
keep(matrix(numeric(), 0, 3), "matrix-no-rows")
sparse <- as(matrix(c(0, 1, NA, 0, 0, NaN, 2, 0, 0, 0, 3, 0), 4, dimnames = list(letters[1:4], LETTERS[1:3])), "dgCMatrix")
keep(sparse, "dgCMatrix")
keep(as(sparse, "RsparseMatrix"), "dgRMatrix")
keep(as(sparse, "TsparseMatrix"), "dgTMatrix")
keep(as(sparse > 1, "CsparseMatrix"), "lgCMatrix")
keep(as(sparse, "nMatrix"), "ngCMatrix")
keep(as(as.matrix(sparse), "denseMatrix"), "dgeMatrix")
symmetric <- forceSymmetric(as(matrix(c(1, 2, 0, 2, 0, 3, 0, 3, 4), 3, dimnames = list(letters[1:3], letters[1:3])), "CsparseMatrix"))
keep(symmetric, "dsCMatrix")
keep(as(symmetric, "RsparseMatrix"), "dsRMatrix")
keep(as(symmetric, "TsparseMatrix"), "dsTMatrix")
keep(triu(as(as.matrix(symmetric), "CsparseMatrix")), "dtCMatrix")
keep(Diagonal(3), "ddiMatrix-unit")
keep(Diagonal(x = c(1, 2, 3)), "ddiMatrix")
keep(forceSymmetric(matrix(c(1, 2, 2, 3), 2)), "dsyMatrix")
keep(as(as.matrix(sparse > 1), "denseMatrix"), "lgeMatrix")
keep(sparseMatrix(i = c(1, 1, 3), j = c(2, 2, 1), x = c(1, 2, 3), dims = c(3, 3), repr = "T"), "dgTMatrix-twice")
keep(sparseMatrix(i = integer(), j = integer(), x = numeric(), dims = c(0, 0)), "dgCMatrix-nothing")
keep(new("Inherits", sparse, note = "n"), "inherits")
