# What docs/h5seurat.md shows works
# needs: beside-engines
bash .ci/pages/docs.sh docs/h5seurat.md
