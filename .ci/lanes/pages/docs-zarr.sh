# What docs/zarr.md shows works
# needs: build
bash .ci/pages/docs.sh docs/zarr.md
