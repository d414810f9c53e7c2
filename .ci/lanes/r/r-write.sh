# R opens the objects that we write, with the values that anndata says are in them
# needs: build install-python install-r install-r-5
mkdir -p "$WORK/r-written"
"$ENVIRONMENTS/python/bin/python" .ci/tests/r_written.py "$WORK/r-written"
convert() { node dist/cli/main.js convert "$WORK/r-written/$1" "$WORK/r-written/$2" --overwrite "${@:3}" 2>/dev/null; }
convert a.h5ad sce.rds --to sce
convert a.h5ad seurat4.rds --seurat v4
convert a.h5ad seurat5.rds --seurat v5
convert raw.h5ad raw.rds --to sce
# Back again: an experiment has all that the file had.
convert sce.rds back.h5ad
"$ENVIRONMENTS/python/bin/python" .ci/tests/r_written.py "$WORK/r-written" --compare
"$ENVIRONMENTS/r4/Rscript" .ci/tests/r_written.R "$WORK/r-written" seurat4
"$ENVIRONMENTS/r5/Rscript" .ci/tests/r_written.R "$WORK/r-written" seurat5
