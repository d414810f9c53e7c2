# Classes of packages that Debian does not have, with their slots, and one that inherits a class of Matrix.

setClass("Inherits", contains = "dgCMatrix", slots = c(note = "character"))
# Signac's.
setClass("ChromatinAssay", contains = "Assay", slots = c(ranges = "GRanges", motifs = "ANY", fragments = "list",
  seqinfo = "ANY", annotation = "ANY", bias = "ANY", positionEnrichment = "list", links = "GRanges"))
setClass("Fragment", slots = c(path = "character", hash = "character", cells = "ANY"))
