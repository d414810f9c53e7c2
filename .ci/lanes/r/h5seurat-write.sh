# R finds what an h5Seurat file must have where its specification says, with anndata's values, and makes an object of it
# needs: build install-python install-r
set -uo pipefail
written="$WORK/h5seurat-written"
mkdir -p "$written"
"$ENVIRONMENTS/python/bin/python" .ci/tests/r_written.py "$written" &&
  node dist/cli/main.js convert "$written/a.h5ad" "$written/a.h5seurat" --overwrite &&
  "$ENVIRONMENTS/r4/Rscript" .ci/tests/h5seurat_written.R "$written"
