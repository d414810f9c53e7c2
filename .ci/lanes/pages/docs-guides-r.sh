# What docs/guides/r.md shows works, in R of Debian 12 with Seurat 4
# needs: beside-engines install-r
RSCRIPT="$ENVIRONMENTS/r4/Rscript" bash .ci/pages/docs.sh docs/guides/r.md
