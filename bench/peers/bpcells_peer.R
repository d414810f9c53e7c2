# What BPCells does, the R package. Each task runs REPEAT times; prints {"seconds", "all", "result"}: the median, without
# the start of R and the loading of packages, and what tells that the other side found the same values.
#
#   Rscript bpcells_peer.R LIBRARY REPEAT blocks STORE            the whole matrix as unpacked arrays in memory
#   Rscript bpcells_peer.R LIBRARY REPEAT sums STORE col|row      sums by column or row
#   Rscript bpcells_peer.R LIBRARY REPEAT write STORE OUT         the matrix, unpacked in memory, to a packed directory
#   Rscript bpcells_peer.R LIBRARY REPEAT fragments STORE         counts all fragments by cell
#   Rscript bpcells_peer.R LIBRARY REPEAT write-fragments STORE OUT
#                                                                 the fragments, unpacked in memory, to a packed directory
#
# LIBRARY is the folder in which BPCells is installed.

given <- commandArgs(trailingOnly = TRUE)
.libPaths(c(given[1], .libPaths()))
suppressPackageStartupMessages(library(BPCells))
repeats <- as.integer(given[2])
task <- given[3]
store <- given[4]
rest <- given[-(1:4)]

of_sums <- function(sums) {
  c(total = sum(sums), weighted = sum(sums * seq_along(sums)), greatest = max(sums))
}

of_entries <- function(held) {
  counts <- diff(held@idxptr)
  columns <- sum(counts * (seq_along(counts) - 1))
  # Sums of integers as doubles: they are beyond 2^31.
  c(entries = length(held@val), row = sum(as.numeric(held@index)), col = columns, value = sum(as.numeric(held@val)))
}

in_memory <- function() write_matrix_memory(open_matrix_dir(store), compress = FALSE)
sum_by <- list(col = colSums, row = rowSums)
held <- switch(task,
  "write" = in_memory(),
  "write-fragments" = write_fragments_memory(open_fragments_dir(store), compress = FALSE)
)
run <- switch(task,
  "blocks" = in_memory,
  "sums" = function() sum_by[[rest[1]]](open_matrix_dir(store)),
  "write" = function() write_matrix_dir(held, rest[1]),
  "fragments" = function() nucleosome_counts(open_fragments_dir(store)),
  "write-fragments" = function() write_fragments_dir(held, rest[1])
)
tell <- switch(task,
  "blocks" = of_entries,
  "sums" = of_sums,
  "fragments" = function(counts) c(rows = sum(counts$nFrags)),
  function(none) NULL
)

seconds <- numeric(repeats)
for (i in seq_len(repeats)) {
  if (task %in% c("write", "write-fragments")) unlink(rest[1], recursive = TRUE)
  found <- NULL
  began <- Sys.time()
  found <- run()
  seconds[i] <- as.numeric(Sys.time() - began, units = "secs")
}
result <- tell(found)
numbers <- function(values) paste(format(values, digits = 17, trim = TRUE, scientific = FALSE), collapse = ", ")
fields <- paste(sprintf('"%s": %s', names(result), vapply(result, numbers, "")), collapse = ", ")
cat(sprintf(
  '{"seconds": %s, "all": [%s], "result": %s}\n',
  numbers(median(seconds)), numbers(seconds), if (is.null(result)) "null" else paste0("{", fields, "}")
))
