# What R does with R objects, each task in a process of its own; prints {"seconds", "result"}: the time of the task without
# the start of R, and the sums by which the other side shows that it found the same values.
#
#   Rscript r_peer.R read IN        readRDS
#   Rscript r_peer.R write IN OUT   saveRDS of the object of IN, which is in memory
#
# No package is loaded: slots are attributes.

given <- commandArgs(trailingOnly = TRUE)
at <- function(object, ...) Reduce(function(one, name) attr(one, name, exact = TRUE), c(...), object)
numbers <- function(value) format(value, digits = 17, trim = TRUE, scientific = FALSE)

if (given[1] == "read") {
  seconds <- system.time(object <- readRDS(given[2]))[["elapsed"]]
  data <- attr(attr(object, "assays")[["RNA"]], "data", exact = TRUE)
  counts <- diff(at(data, "p"))
  # Sums of integers as doubles: they are beyond 2^31. Cells are the rows of our table.
  result <- c(
    entries = length(at(data, "i")), row = sum(as.numeric(counts) * (seq_along(counts) - 1)),
    col = sum(as.numeric(at(data, "i"))), value = sum(at(data, "x"))
  )
  fields <- paste(sprintf('"%s": %s', names(result), vapply(result, numbers, "")), collapse = ", ")
  result <- paste0("{", fields, "}")
} else {
  object <- readRDS(given[2])
  seconds <- system.time(saveRDS(object, given[3]))[["elapsed"]]
  result <- "null"
}
cat(sprintf('{"seconds": %s, "result": %s}\n', numbers(seconds), result))
