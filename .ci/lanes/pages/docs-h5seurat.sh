# What docs/h5seurat.md shows works
# needs: build
bash .ci/pages/docs.sh docs/h5seurat.md
