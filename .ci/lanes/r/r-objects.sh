# Objects that R makes, with Seurat 4 and 5 and Bioconductor, have the tables that R says are in them
# needs: build install-r install-r-5
set -uo pipefail
for version in 4 5; do
  rscript=$ENVIRONMENTS/r$version/Rscript made=$WORK/r-objects/$version
  "$rscript" .ci/r/make-objects.R "$made" && "$rscript" .ci/r/oracle.R "$made"/*.rds || exit
done
node .ci/r/compare.mjs "$WORK/r-objects/4" "$WORK/r-objects/5"
