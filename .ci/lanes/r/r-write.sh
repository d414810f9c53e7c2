# R opens the objects that we write, with the values that anndata says are in them
# needs: build install-python install-r install-r-5
set -uo pipefail
written="$WORK/r-written"
python="$ENVIRONMENTS/python/bin/python"
mkdir -p "$written"
convert() {
  node dist/cli/main.js convert "$written/$1" "$written/$2" --overwrite "${@:3}" || echo "0 passed, 1 failed"
}
{
  "$python" .ci/tests/r_written.py "$written" || echo "0 passed, 1 failed"
  convert a.h5ad sce.rds --to sce
  convert a.h5ad seurat4.rds --seurat v4
  convert a.h5ad seurat5.rds --seurat v5
  convert raw.h5ad raw.rds --to sce
  convert cells.h5mu cells.rds --seurat v5
  convert scaled.h5ad scaled-seurat4.rds --seurat v4
  convert scaled.h5ad scaled-seurat5.rds --seurat v5
  # Back again: an experiment has all that the file had.
  convert sce.rds back.h5ad
  convert cells.rds cells-back.h5mu --lossy
  "$python" .ci/tests/r_written.py "$written" --compare || echo "0 passed, 1 failed"
  for version in 4 5; do
    "$ENVIRONMENTS/r$version/Rscript" .ci/tests/r_written.R "$written" "seurat$version" || echo "0 passed, 1 failed"
  done
  # R's own objects, by way of tables: every slot is what it was.
  for version in 4 5; do
    r=$ENVIRONMENTS/r$version/Rscript
    "$r" .ci/tests/r_again.R make "$written" "seurat$version" || echo "0 passed, 1 failed"
    convert "made-seurat$version.rds" "again-seurat$version.rds" --seurat "v$version"
    "$r" .ci/tests/r_again.R compare "$written" "seurat$version" || echo "0 passed, 1 failed"
  done
} | tee "$WORK/r-write.log"
awk '/^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
     END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 || passed == 0 }' "$WORK/r-write.log"
